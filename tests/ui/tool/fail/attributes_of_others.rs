#![allow(unused_variables)]

use mcp_runtime::prelude::*;

/// Does something.
#[mcp_tool]
fn run(
    #[serde(default)] a: String,
    #[schemars(range(min = 1))] b: u8,
    #[mcp_tool(minimum = 1)] c: u8,
    #[mpc(minimum = 1)] d: u8,
) {
}

fn main() {
    let _: Option<run> = None;
    let _ = run;
}
