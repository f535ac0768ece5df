#![allow(unused_variables)]

use mcp_runtime::prelude::*;

/// Does something.
#[mcp_tool]
fn run(text: String) -> Self {
    text.into()
}

fn main() {}
