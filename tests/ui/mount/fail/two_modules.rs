use mcp_runtime::prelude::*;

#[mcp_server]
mod sums {
    /// Adds two numbers
    #[mcp_tool]
    fn add(a: i64, b: i64) -> i64 {
        a + b
    }
}

#[mcp_server]
mod lists {
    /// Adds a line
    #[mcp_tool]
    fn add(line: String) -> String {
        line
    }
}

fn main() {
    let _server = McpServer::default().mount((sums::server {}, lists::server {}));
}
