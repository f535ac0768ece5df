#![allow(unused_variables)]

use mcp_runtime::prelude::*;

struct Weather;

#[mcp_server]
impl Weather {
    /// Does something.
    #[mcp_tool]
    fn run(#[mcp(description = "The server")] &self) -> String {
        String::new()
    }
}

fn main() {}
