#![allow(unused_variables)]

use mcp_runtime::prelude::*;

#[mcp_prompt(nmae = "a")]
fn ask(text: &str) -> String {
    String::new()
}

fn main() {
    let _: Option<ask> = None;
    let _ = ask;
}
