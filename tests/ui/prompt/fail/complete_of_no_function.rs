#![allow(unused_variables)]

use mcp_runtime::prelude::*;

#[mcp_prompt]
fn ask(#[mcp(complete = 5)] text: String) -> String {
    String::new()
}

fn main() {
    let _: Option<ask> = None;
    let _ = ask;
}
