#![allow(unused_variables)]

use mcp_runtime::prelude::*;

/// Does something.
#[mcp_tool]
fn run(#[mcp(header = "Tags")] tags: Vec<String>) {}

fn main() {
    let _: Option<run> = None;
    let _ = run;
}
