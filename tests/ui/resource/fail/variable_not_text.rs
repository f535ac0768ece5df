use mcp_runtime::prelude::*;

#[mcp_resource(uri = "weather://{city}")]
fn read(city: Vec<String>) -> String {
    city.concat()
}

fn main() {}
