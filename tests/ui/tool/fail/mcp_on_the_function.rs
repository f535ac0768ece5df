//! `#[mcp(…)]` belongs to parameters.

use mcp_runtime::prelude::*;

#[mcp_tool]
#[mcp(description = "Adds")]
/// Adds
fn add(a: i32, b: i32) -> i32 {
    a + b
}

struct Calculator;

#[mcp_server]
impl Calculator {
    /// Adds
    #[mcp_tool]
    #[mcp(minimum = 1)]
    fn add(&self, a: i32, b: i32) -> i32 {
        a + b
    }
}

fn main() {}
