use mcp_runtime::prelude::*;

/// Adds two numbers
#[mcp_tool]
fn add(a: i64, b: i64) -> i64 {
    a + b
}

/// Adds a line
#[mcp_tool(name = "add")]
fn add_line(line: String) -> String {
    line
}

fn main() {
    let _server = McpServer::default().tool::<(add, add_line)>();
}
