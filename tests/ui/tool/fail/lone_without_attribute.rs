use mcp_runtime::{ServerOptions, prelude::*};

struct Forecast;

fn main() {
    let _ = McpServer::new(ServerOptions::default()).tool::<Forecast>();
}
