#![allow(unused_variables)]

use mcp_runtime::prelude::*;

/// Does something.
#[mcp_tool]
fn run(#[mcp(maximum = -0.5)] n: usize) {}

fn main() {
    let _: Option<run> = None;
    let _ = run;
}
