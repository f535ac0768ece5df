#![allow(unused_variables)]

use mcp_runtime::prelude::*;

/// Does something.
#[mcp_tool]
fn run(#[mcp(default = "a")] letter: char) {}

fn main() {
    let _: Option<run> = None;
    let _ = run;
}
