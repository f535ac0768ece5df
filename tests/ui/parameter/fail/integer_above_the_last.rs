#![allow(unused_variables)]

use mcp_runtime::prelude::*;

/// Does something.
#[mcp_tool]
fn run(#[mcp(exclusive_minimum = 255)] n: u8) {}

fn main() {
    let _: Option<run> = None;
    let _ = run;
}
