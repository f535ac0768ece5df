use mcp_runtime::prelude::*;

#[mcp_server]
mod tools {
    /// One.
    #[mcp_tool]
    pub fn one() {}

    /// Two.
    #[mcp_tool(name = "one")]
    pub fn two() {}
}

fn main() {
    let _ = tools::server();
}
