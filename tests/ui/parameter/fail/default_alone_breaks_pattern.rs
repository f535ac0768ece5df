use mcp_runtime::prelude::*;

/// Says something
#[mcp_tool]
fn say(#[mcp(default, pattern = "^[a-z]+$")] text: String) {}

fn main() {}
