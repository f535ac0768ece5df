use mcp_runtime::prelude::*;

/// Takes a value.
#[mcp_tool]
fn take(#[mcp(minimum = 7, maximum = 1)] value: i64) {
    drop(value);
}

fn main() {
    let _: Option<take> = None;
    let _ = take;
}
