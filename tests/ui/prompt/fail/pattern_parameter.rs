#![allow(unused_variables)]

use mcp_runtime::prelude::*;

#[mcp_prompt]
fn ask((a, b): (u8, u8)) -> String {
    String::new()
}

fn main() {
    let _: Option<ask> = None;
    let _ = ask;
}
