use mcp_runtime::prelude::*;

#[mcp_resource(uri = "weather://the city/{city}")]
fn read(city: String) -> String {
    city
}

fn main() {}
