use mcp_runtime::prelude::*;

/// Takes a value.
#[mcp_tool]
fn take(#[mcp(exclusive_minimum = 1, maximum = 1)] value: f64) {
    drop(value);
}

fn main() {
    let _: Option<take> = None;
    let _ = take;
}
