use mcp_runtime::prelude::*;

struct Lists;

#[mcp_server]
impl Lists {
    /// Summarises
    #[mcp_prompt]
    fn summary(&self) -> String {
        String::new()
    }
}

fn main() {
    let _server = McpServer::default().mount((Lists, Lists));
}
