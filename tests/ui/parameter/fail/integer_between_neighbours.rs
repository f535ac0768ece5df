#![allow(unused_variables)]

use mcp_runtime::prelude::*;

/// Does something.
#[mcp_tool]
fn run(#[mcp(exclusive_minimum = 3, exclusive_maximum = 4)] n: i64) {}

fn main() {
    let _: Option<run> = None;
    let _ = run;
}
