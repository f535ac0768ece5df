#![allow(unused_variables)]

use mcp_runtime::prelude::*;

/// Does something.
#[mcp_tool]
fn run((a, b): (u8, u8)) {}

fn main() {
    let _: Option<run> = None;
    let _ = run;
}
