use mcp_runtime::prelude::*;

struct Weather;

#[mcp_server]
impl Weather {
    #[mcp_tool]
    fn run(&self) {}
}

fn main() {
    let _ = Weather.into_server();
}
