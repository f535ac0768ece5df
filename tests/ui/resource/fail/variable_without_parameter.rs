use mcp_runtime::prelude::*;

#[mcp_resource(uri = "weather://{city}/{day}")]
fn read(city: String) -> String {
    city
}

fn main() {}
