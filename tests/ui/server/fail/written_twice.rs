#![allow(unused_variables)]

use mcp_runtime::prelude::*;

struct Weather;

#[mcp_server]
impl Weather {
    /// Does something.
    #[mcp_tool]
    fn run(&self) -> String {
        String::new()
    }

    /// Does something.
    #[mcp_tool]
    fn run(&self) -> String {
        String::new()
    }
}

fn main() {}
