use mcp_runtime::prelude::*;

/// Takes a value.
#[mcp_tool]
fn take(#[mcp(maximum = 9007199254740993)] value: u64) {
    drop(value);
}

fn main() {
    let _: Option<take> = None;
    let _ = take;
}
