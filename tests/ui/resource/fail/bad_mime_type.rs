use mcp_runtime::prelude::*;

#[mcp_resource(uri = "weather://{city}", mime_type = "json")]
fn read(city: String) -> String {
    city
}

fn main() {}
