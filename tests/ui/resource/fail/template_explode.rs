use mcp_runtime::prelude::*;

#[mcp_resource(uri = "weather://{city*}")]
fn read(city: String) -> String {
    city
}

fn main() {}
