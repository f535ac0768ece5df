#![allow(unused_variables)]

use mcp_runtime::prelude::*;

#[mcp_tool(desc = "Does something")]
fn run(text: String) {}

fn main() {
    let _: Option<run> = None;
    let _ = run;
}
