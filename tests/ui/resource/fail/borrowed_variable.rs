use mcp_runtime::prelude::*;

#[mcp_resource(uri = "weather://{city}")]
fn read(city: &str) -> String {
    city.to_owned()
}

fn main() {}
