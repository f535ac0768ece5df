#![allow(unused_variables)]

use mcp_runtime::prelude::*;

/// Does something.
#[mcp_tool]
fn run(#[mcp(max_length = 1.5)] text: String) {}

fn main() {
    let _: Option<run> = None;
    let _ = run;
}
