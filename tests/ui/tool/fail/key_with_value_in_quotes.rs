#![allow(unused_variables)]

use mcp_runtime::prelude::*;

/// Does something.
#[mcp_tool("name" = "run")]
fn run(text: String) {}

fn main() {
    let _: Option<run> = None;
    let _ = run;
}
