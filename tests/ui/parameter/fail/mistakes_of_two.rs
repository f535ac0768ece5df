#![allow(unused_variables)]

use mcp_runtime::prelude::*;

/// Does something.
#[mcp_tool]
fn run(#[mcp(minimun = 1)] a: u8, #[mcp(default = 300)] b: u8) {}

fn main() {
    let _: Option<run> = None;
    let _ = run;
}
