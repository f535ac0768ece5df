use mcp_runtime::prelude::*;

#[mcp_server(version = 1)]
mod tools {
    /// One.
    #[mcp_tool]
    pub fn one() {}
}

fn main() {
    let _ = tools::server();
}
