#![allow(unused_variables)]

use mcp_runtime::prelude::*;

/// Does something.
#[mcp_tool]
fn run(#[mcp(min_length = 1)] tags: Vec<String>) {}

fn main() {
    let _: Option<run> = None;
    let _ = run;
}
