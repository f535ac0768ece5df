#![allow(unused_variables)]

use mcp_runtime::prelude::*;

/// Does something.
#[mcp_tool]
fn run(#[mcp(min_items = 3, max_items = 2)] tags: Vec<String>) {}

fn main() {
    let _: Option<run> = None;
    let _ = run;
}
