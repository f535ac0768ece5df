use mcp_runtime::prelude::*;

struct Weather;

#[mcp_server]
impl Weather {
    /// Half.
    #[mcp_tool]
    fn run(&self, a: i64, b: ) {}
}

fn main() {
    let _ = Weather.into_server();
}
