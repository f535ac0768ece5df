use mcp_runtime::prelude::*;

/// Adds.
#[mcp_tool]
fn add(a: i64, #[cfg_attr(unix, mcp(default = 1))] b: i64) -> i64 {
    a + b
}

fn main() {}
