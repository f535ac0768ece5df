use mcp_runtime::prelude::*;

#[mcp_resource(uri = "weather://{city}{day}")]
fn read(city: String, day: String) -> String {
    city + &day
}

fn main() {}
