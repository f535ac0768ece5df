use mcp_runtime::prelude::*;

#[mcp_resource(uri = "weather://here{?city}")]
fn read(city: String) -> String {
    city
}

fn main() {}
