use mcp_runtime::prelude::*;

#[mcp_resource(uri = "weather://{city}")]
fn read(#[mcp(default = "Paris")] city: String) -> String {
    city
}

fn main() {}
