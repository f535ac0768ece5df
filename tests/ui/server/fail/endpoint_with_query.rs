use mcp_runtime::prelude::*;

struct Weather;

#[mcp_server(endpoint = "/mcp?a=1")]
impl Weather {
    /// Works.
    #[mcp_tool]
    fn works(&self) {}
}

fn main() {
    let _ = Weather.into_server();
}
