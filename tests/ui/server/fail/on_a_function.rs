use mcp_runtime::prelude::*;

#[mcp_server]
fn weather() {}

fn main() {}
