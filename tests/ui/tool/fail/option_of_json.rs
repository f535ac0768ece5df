#![allow(unused_variables)]

use mcp_runtime::prelude::*;

/// Does something.
#[mcp_tool]
fn run(text: String) -> Option<Json<u8>> {
    None
}

fn main() {
    let _: Option<run> = None;
    let _ = run;
}
