use mcp_runtime::prelude::*;

#[mcp_prompt]
fn summary() -> String {
    String::new()
}

fn main() {
    let _server = McpServer::default().tool::<summary>();
}
