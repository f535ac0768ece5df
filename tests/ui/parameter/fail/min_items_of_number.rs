use mcp_runtime::prelude::*;

/// Takes a value.
#[mcp_tool]
fn take(#[mcp(min_items = 1)] value: u32) {
    drop(value);
}

fn main() {
    let _: Option<take> = None;
    let _ = take;
}
