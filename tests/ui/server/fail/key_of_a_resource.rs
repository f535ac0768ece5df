use mcp_runtime::prelude::*;

struct Weather;

#[mcp_server(uri = "a://b")]
impl Weather {
    /// Works.
    #[mcp_tool]
    fn works(&self) {}
}

fn main() {
    let _ = Weather.into_server();
}
