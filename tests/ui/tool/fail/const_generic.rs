#![allow(unused_variables)]

use mcp_runtime::prelude::*;

/// Does something.
#[mcp_tool]
fn run<const N: usize>(text: [u8; N]) {}

fn main() {
    let _: Option<run> = None;
}
