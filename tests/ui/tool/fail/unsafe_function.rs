use mcp_runtime::prelude::*;

/// Adds.
#[mcp_tool]
unsafe fn add(a: i64, b: i64) -> i64 {
    a + b
}

fn main() {}
