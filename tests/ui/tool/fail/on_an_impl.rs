use mcp_runtime::prelude::*;

struct Calculator;

#[mcp_tool]
impl Calculator {}

fn main() {}
