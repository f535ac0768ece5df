use mcp_runtime::prelude::*;

struct Weather;

#[mcp_server]
impl Weather {
    /// Forecast.
    #[mcp_tool(read_only)]
    #[mcp_tool(idempotent)]
    fn forecast(&self) {}
}

fn main() {}
