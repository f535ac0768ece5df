use mcp_runtime::prelude::*;

/// Takes two.
#[mcp_tool]
fn take(first: String, #[mcp(name = "first")] second: String) -> String {
    first + &second
}

fn main() {}
