use mcp_runtime::prelude::*;

/// Takes a value.
#[mcp_tool]
fn take(#[mcp(min_length = 9, max_length = 3)] value: String) {
    drop(value);
}

fn main() {
    let _: Option<take> = None;
    let _ = take;
}
