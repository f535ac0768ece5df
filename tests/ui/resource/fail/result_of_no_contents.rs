use mcp_runtime::prelude::*;

#[mcp_resource(uri = "weather://{city}")]
fn read(city: String) -> bool {
    city.is_empty()
}

fn main() {}
