#![allow(unused_variables)]

use mcp_runtime::prelude::*;

/// Does something.
#[mcp_tool(read_only, destructive = true)]
fn run(text: String) {}

fn main() {
    let _: Option<run> = None;
    let _ = run;
}
