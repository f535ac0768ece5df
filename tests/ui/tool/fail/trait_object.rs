#![allow(unused_variables)]

use mcp_runtime::prelude::*;

/// Does something.
#[mcp_tool]
fn run(text: Box<dyn std::fmt::Debug>) {}

fn main() {
    let _: Option<run> = None;
    let _ = run;
}
