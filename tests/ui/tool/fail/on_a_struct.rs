use mcp_runtime::prelude::*;

/// Adds.
#[mcp_tool]
struct Add;

fn main() {}
