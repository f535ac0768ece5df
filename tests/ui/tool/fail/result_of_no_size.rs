#![allow(unused_variables)]

use mcp_runtime::prelude::*;

/// Does something.
#[mcp_tool]
fn run() -> [String] {
    *Box::<[String]>::default()
}

fn main() {
    let _: Option<run> = None;
    let _ = run;
}
