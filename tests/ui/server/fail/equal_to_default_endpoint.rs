use mcp_runtime::prelude::*;

struct Weather;

#[mcp_server(transport = "sse", message_endpoint = "/sse")]
impl Weather {
    /// Works.
    #[mcp_tool]
    fn works(&self) {}
}

fn main() {
    let _ = Weather.into_server();
}
