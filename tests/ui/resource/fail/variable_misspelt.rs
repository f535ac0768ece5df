use mcp_runtime::prelude::*;

#[mcp_resource(uri = "weather://{ctiy}")]
fn read(city: String) -> String {
    city
}

fn main() {}
