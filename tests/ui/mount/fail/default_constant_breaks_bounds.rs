//! A constant that is a default is held against the bounds when code is made for the tool.

use mcp_runtime::prelude::*;

const DAYS: u8 = 9;

/// Forecast
#[mcp_tool]
fn forecast(#[mcp(default = DAYS, minimum = 1, maximum = 7)] days: u8) -> u8 {
    days
}

fn main() {
    let _server = McpServer::new(ServerOptions::default()).tool::<forecast>();
}
