use mcp_runtime::prelude::*;

#[mcp_server]
mod sums {
    /// Adds two numbers
    #[mcp_tool]
    fn add(a: i64, b: i64) -> i64 {
        a + b
    }
}

struct Lists;

#[mcp_server]
impl Lists {
    /// Adds a line
    #[mcp_tool(name = "add")]
    fn add_line(&self, line: String) -> String {
        line
    }
}

fn main() {
    let _server = McpServer::default().mount_at("all", (sums::server {}, Lists));
}
