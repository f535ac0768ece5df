#![allow(unused_variables)]

use mcp_runtime::prelude::*;

#[mcp_resource(url = "data://here")]
fn run() -> String {
    String::new()
}

fn main() {
    let _: Option<run> = None;
    let _ = run;
}
