//! What `default` alone gives keeps no least that is above it.

use mcp_runtime::prelude::*;

/// Forecast
#[mcp_tool]
fn forecast(
    #[mcp(default, minimum = 1, maximum = 7)] days: u8,
    #[mcp(default, min_length = 1)] city: String,
    #[mcp(default, min_items = 2)] hours: Vec<u8>,
    #[mcp(default, min_items = 0, max_items = 3)] right: Vec<u8>,
    #[mcp(default, exclusive_maximum = 0)] depth: f64,
) -> String {
    format!("{city} {days} {hours:?} {right:?} {depth}")
}

fn main() {}
