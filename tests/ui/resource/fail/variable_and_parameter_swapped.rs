#![allow(unused_variables)]

use mcp_runtime::prelude::*;

#[mcp_resource(uri = "a://{city}/{day}")]
fn read(country: String, day: u8) -> String {
    String::new()
}

fn main() {
    let _: Option<read> = None;
    let _ = read;
}
