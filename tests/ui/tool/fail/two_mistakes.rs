#![allow(unused_variables)]

use mcp_runtime::prelude::*;

#[mcp_tool(tilte = "x", timeout = 30)]
fn run(text: String) {}

fn main() {
    let _: Option<run> = None;
    let _ = run;
}
