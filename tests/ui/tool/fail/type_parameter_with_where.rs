#![allow(unused_variables)]

use mcp_runtime::prelude::*;

/// Does something.
#[mcp_tool]
fn run<T>(text: T)
where
    T: std::str::FromStr,
{
}

fn main() {
    let _: Option<run> = None;
}
