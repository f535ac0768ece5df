#![allow(unused_variables)]

use mcp_runtime::prelude::*;

struct Weather;

#[mcp_server(name = "a")]
#[mcp_server(version = "1.0.0")]
impl Weather {
    /// Does something.
    #[mcp_tool]
    fn run(&self) -> String {
        String::new()
    }
}

fn main() {}
