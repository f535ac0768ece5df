//! A lone tool may stand in the body of a function.
#![deny(warnings)]

use mcp_runtime::prelude::*;

fn server() -> McpServer {
    /// Adds two numbers.
    #[mcp_tool]
    fn add(a: i64, b: i64) -> i64 {
        a + b
    }

    assert_eq!(add(1, 2), 3);
    McpServer::default().tool::<add>()
}

fn main() {
    let _server = server();
}
