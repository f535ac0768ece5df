use mcp_runtime::prelude::*;

struct Lists;

fn main() {
    let _server = McpServer::default().mount(Lists);
}
