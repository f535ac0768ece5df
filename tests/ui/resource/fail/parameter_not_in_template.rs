use mcp_runtime::prelude::*;

#[mcp_resource(uri = "weather://{city}")]
fn read(city: String, limit: u32) -> String {
    city.repeat(limit as usize)
}

fn main() {}
