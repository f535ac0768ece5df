#![allow(unused_variables)]

use mcp_runtime::prelude::*;

/// Does something.
#[mcp_tool]
fn run(#[mcp(maximum = 300)] days: Option<u8>) {}

fn main() {
    let _: Option<run> = None;
    let _ = run;
}
