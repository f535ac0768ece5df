use mcp_runtime::prelude::*;

#[mcp_resource(uri = "weather://{city}/{city}")]
fn read(city: String) -> String {
    city
}

fn main() {}
