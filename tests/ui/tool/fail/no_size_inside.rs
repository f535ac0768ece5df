#![allow(unused_variables)]

use mcp_runtime::prelude::*;

/// Does something.
#[mcp_tool]
fn run(a: Vec<str>, b: Option<dyn std::fmt::Debug>) -> Result<Vec<[u8]>, ToolError> {
    Ok(a)
}

fn main() {
    let _: Option<run> = None;
}
