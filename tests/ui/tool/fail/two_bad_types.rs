#![allow(unused_variables)]

use mcp_runtime::prelude::*;

/// Does something.
#[mcp_tool]
fn run(a: &str, b: impl Into<String>) {}

fn main() {
    let _: Option<run> = None;
}
