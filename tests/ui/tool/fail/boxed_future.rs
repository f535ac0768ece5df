#![allow(unused_variables)]

use std::pin::Pin;

use mcp_runtime::prelude::*;

/// Does something.
#[mcp_tool]
fn run(text: String) -> Pin<Box<dyn Future<Output = String> + Send>> {
    Box::pin(async { text })
}

fn main() {
    let _: Option<run> = None;
    let _ = run;
}
