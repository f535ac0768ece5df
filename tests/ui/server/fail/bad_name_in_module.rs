use mcp_runtime::prelude::*;

#[mcp_server]
mod tools {
    /// One.
    #[mcp_tool(name = "one two")]
    pub fn one() {}
}

fn main() {
    let _ = tools::server();
}
