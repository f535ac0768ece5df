use mcp_runtime::prelude::*;

struct Weather;

#[mcp_server(nam = "a", transport = "web", port = 70000)]
impl Weather {
    /// Works.
    #[mcp_tool]
    fn works(&self) {}
}

fn main() {
    let _ = Weather.into_server();
}
