use mcp_runtime::prelude::*;

#[mcp_server]
struct Weather;

fn main() {}
