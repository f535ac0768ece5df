use mcp_runtime::prelude::*;

struct Weather;

#[mcp_server]
impl Weather {
    fn into_server(self) {}
}

fn main() {
    Weather.into_server();
}
