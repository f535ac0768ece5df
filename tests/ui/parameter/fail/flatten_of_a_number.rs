#![allow(unused_variables)]

use mcp_runtime::prelude::*;

/// Does something.
#[mcp_tool]
fn run(#[mcp(flatten)] n: u8, #[mcp(flatten)] list: Vec<String>, #[mcp(flatten)] text: Option<String>) {}

fn main() {
    let _: Option<run> = None;
    let _ = run;
}
