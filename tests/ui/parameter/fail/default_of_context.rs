#![allow(unused_variables)]

use mcp_runtime::prelude::*;

/// Does something.
#[mcp_tool]
fn run(#[mcp(default)] a: Context, #[mcp(default = 3)] b: State<u8>) {}

fn main() {
    let _: Option<run> = None;
    let _ = run;
}
