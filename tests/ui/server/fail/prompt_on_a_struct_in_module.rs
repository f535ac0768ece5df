use mcp_runtime::prelude::*;

#[mcp_server]
mod tools {
    #[mcp_prompt]
    pub struct One;
}

fn main() {
    let _ = tools::server();
}
