use mcp_runtime::prelude::*;

/// Nothing.
#[mcp_tool]
fn nothing(_: i64) {}

fn main() {}
