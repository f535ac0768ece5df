#![allow(unused_variables)]

use mcp_runtime::prelude::*;

#[mcp_server]
mod weather {
    use super::*;

    /// Does something.
    #[mcp_tool]
    fn run() -> String {
        String::new()
    }

    /// Does something.
    #[mcp_tool]
    fn run() -> String {
        String::new()
    }
}

fn main() {}
