use mcp_runtime::prelude::*;

struct Weather;

#[mcp_server(transport = "sse", auth = "jwt", secret = "hunter2")]
impl Weather {
    /// Works.
    #[mcp_tool]
    fn works(&self) {}
}

fn main() {
    let _ = Weather.into_server();
}
