use mcp_runtime::prelude::*;

/// Takes a value.
#[mcp_tool]
fn take(#[mcp(min_length = -1)] value: String) {
    drop(value);
}

fn main() {
    let _: Option<take> = None;
    let _ = take;
}
