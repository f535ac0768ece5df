#![allow(unused_variables)]

use mcp_runtime::prelude::*;

/// Does something.
#[mcp_tool]
fn run(list: Vec, state: State) -> Json {
    todo!()
}

fn main() {
    let _: Option<run> = None;
    let _ = run;
}
