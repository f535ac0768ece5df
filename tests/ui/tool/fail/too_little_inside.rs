#![allow(unused_variables)]

use std::collections::HashMap;

use mcp_runtime::prelude::*;

/// Does something.
#[mcp_tool]
fn run(map: HashMap<String>, list: Vec<>) -> Result<String> {
    todo!()
}

fn main() {
    let _: Option<run> = None;
    let _ = run;
}
