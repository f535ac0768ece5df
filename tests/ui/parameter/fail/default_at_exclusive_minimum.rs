use mcp_runtime::prelude::*;

/// Takes a value.
#[mcp_tool]
fn take(#[mcp(default = 0.0, exclusive_minimum = 0)] value: f64) {
    drop(value);
}

fn main() {
    let _: Option<take> = None;
    let _ = take;
}
