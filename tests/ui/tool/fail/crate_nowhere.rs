#![allow(unused_variables)]

use mcp_runtime::prelude::*;

/// Adds.
#[mcp_tool(crate = crate::nowhere)]
fn add(a: i64, b: i64) {}

fn main() {
    let _: Option<add> = None;
}
