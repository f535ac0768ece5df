#![allow(unused_variables)]

use mcp_runtime::prelude::*;

#[mcp_resource(uri = "a://{=q}")]
fn read(q: String) -> String {
    String::new()
}

fn main() {
    let _: Option<read> = None;
    let _ = read;
}
