#![allow(unused_variables)]

use mcp_runtime::prelude::*;

#[mcp_prompt]
fn ask(text: impl ToString) -> String {
    String::new()
}

fn main() {
    let _: Option<ask> = None;
}
