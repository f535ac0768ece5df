#![allow(unused_variables)]

use mcp_runtime::prelude::*;

/// Does something.
#[mcp_tool]
fn run(#[mcp(minimum = 5, exclusive_minimum = 5, maximum = 3)] n: f64) {}

fn main() {
    let _: Option<run> = None;
    let _ = run;
}
