use mcp_runtime::prelude::*;

/// Adds.
#[mcp_tool(crate = mcp_runtime)]
fn add(a: i64, b: i64) -> i64 {
    a + b
}

fn main() {
    let _: Option<add> = None;
    let _ = add;
}
