use mcp_runtime::prelude::*;

#[mcp_server]
mod sums {
    /// Adds two numbers
    #[mcp_tool]
    fn add(a: i64, b: i64) -> i64 {
        a + b
    }
}

fn main() {
    let _server = McpServer::default().mount((sums::server {}, "sums"));
}
