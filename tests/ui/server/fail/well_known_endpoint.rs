use mcp_runtime::prelude::*;

struct Weather;

#[mcp_server(endpoint = "/.well-known/mcp")]
impl Weather {
    /// Works.
    #[mcp_tool]
    fn works(&self) {}
}

fn main() {
    let _ = Weather.into_server();
}
