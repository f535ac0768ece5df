use mcp_runtime::prelude::*;

#[mcp_server]
mod tools {
    #[mcp_tool]
    pub fn run() {}
}

fn main() {
    let _ = tools::server();
}
