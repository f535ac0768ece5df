use mcp_runtime::prelude::*;

/// Adds.
#[mcp_tool(task = "always")]
fn add(a: i64, b: i64) -> i64 {
    a + b
}

/// Subtracts.
#[mcp_tool(task = 5)]
fn subtract(a: i64, b: i64) -> i64 {
    a - b
}

/// Multiplies.
#[mcp_tool(task("required"))]
fn multiply(a: i64, b: i64) -> i64 {
    a * b
}

fn main() {
    let _: Option<(add, subtract, multiply)> = None;
    let _ = (add, subtract, multiply);
}
