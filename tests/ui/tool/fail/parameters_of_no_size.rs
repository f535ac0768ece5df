#![allow(unused_variables)]

use mcp_runtime::prelude::*;

/// Does something.
#[mcp_tool]
fn run(a: str, b: [i64], c: dyn Fn()) {}

fn main() {
    let _: Option<run> = None;
    let _ = run;
}
