use mcp_runtime::prelude::*;

/// Takes a value.
#[mcp_tool]
fn take(#[mcp(header = "Ratio")] value: f64) {
    drop(value);
}

fn main() {
    let _: Option<take> = None;
    let _ = take;
}
