use mcp_runtime::prelude::*;

#[mcp_resource(uri = "weather://{city}", annotations(audience = ["users"]))]
fn read(city: String) -> String {
    city
}

fn main() {}
