use mcp_runtime::prelude::*;

/// Sums.
#[mcp_tool]
fn sum(numbers: &[i64]) -> i64 {
    numbers.iter().sum()
}

fn main() {}
