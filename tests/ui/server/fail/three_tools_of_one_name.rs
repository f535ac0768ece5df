use mcp_runtime::prelude::*;

struct Weather;

#[mcp_server]
impl Weather {
    /// One.
    #[mcp_tool(name = "same")]
    fn one(&self) {}

    /// Two.
    #[mcp_tool(name = "same")]
    fn two(&self) {}

    /// Three.
    #[mcp_tool]
    fn same(&self) {}
}

fn main() {
    let _ = Weather.into_server();
}
