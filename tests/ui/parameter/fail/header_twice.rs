use mcp_runtime::prelude::*;

/// Takes two.
#[mcp_tool]
fn take(#[mcp(header = "Region")] first: String, #[mcp(header = "region")] second: String) -> String {
    first + &second
}

fn main() {}
