use mcp_runtime::prelude::*;

/// Counts.
#[mcp_tool]
fn count(#[mcp(default)] names: State<u8>) -> u8 {
    *names
}

fn main() {}
