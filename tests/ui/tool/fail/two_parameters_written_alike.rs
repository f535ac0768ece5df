#![allow(unused_variables)]

use mcp_runtime::prelude::*;

/// Adds.
#[mcp_tool]
fn add(a: i64, a: i64) {}

fn main() {
    let _: Option<add> = None;
    let _ = add;
}
