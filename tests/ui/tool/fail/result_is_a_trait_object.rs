#![allow(unused_variables)]

use mcp_runtime::prelude::*;

/// Does something.
#[mcp_tool]
fn run() -> dyn Iterator<Item = u8> {
    0..3
}

fn main() {
    let _: Option<run> = None;
    let _ = run;
}
