use mcp_runtime::prelude::*;

struct Weather;

#[mcp_server(auth = apikey(keys = ["k"]))]
impl Weather {
    /// Works.
    #[mcp_tool]
    fn works(&self) {}
}

fn main() {
    let _ = Weather.into_server();
}
