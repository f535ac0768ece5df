use mcp_runtime::prelude::*;

#[mcp_server]
#[path = "../weather_in_a_file.rs"]
mod weather;

fn main() {}
