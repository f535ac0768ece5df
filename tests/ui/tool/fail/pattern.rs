use mcp_runtime::prelude::*;

/// Adds.
#[mcp_tool]
fn add((a, b): (i64, i64)) -> i64 {
    a + b
}

fn main() {
    let _: Option<add> = None;
    let _ = add;
}
