#![allow(unused_variables)]

use mcp_runtime::prelude::*;

#[mcp_resource(uri = "data://{city}")]
fn run(_city: String) -> String {
    String::new()
}

fn main() {
    let _: Option<run> = None;
    let _ = run;
}
