#![allow(unused_variables)]

use mcp_runtime::prelude::*;

/// Does something.
#[mcp_tool]
fn run(#[mcp(minimum = 2, exclusive_maximum = 2)] n: std::num::NonZeroU8) {}

fn main() {
    let _: Option<run> = None;
    let _ = run;
}
