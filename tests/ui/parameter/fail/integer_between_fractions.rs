#![allow(unused_variables)]

use mcp_runtime::prelude::*;

/// Does something.
#[mcp_tool]
fn run(#[mcp(minimum = 1.2, maximum = 1.8)] n: Option<u8>) {}

fn main() {
    let _: Option<run> = None;
    let _ = run;
}
