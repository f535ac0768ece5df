use mcp_runtime::prelude::*;

#[mcp_resource(uri = "weather://{city}", annotations(priority = 5))]
fn read(city: String) -> String {
    city
}

fn main() {}
