#![allow(unused_variables)]

use mcp_runtime::prelude::*;

/// Does something.
#[mcp_tool(output_schema = "yes")]
fn run(text: String) {}

fn main() {
    let _: Option<run> = None;
    let _ = run;
}
