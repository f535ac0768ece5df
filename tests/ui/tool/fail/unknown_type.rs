use mcp_runtime::prelude::*;

/// Adds.
#[mcp_tool]
fn add(a: Numbr) -> i64 {
    5
}

fn main() {}
