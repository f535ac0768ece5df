use mcp_runtime::prelude::*;

#[mcp_resource(uri = "weather://city}")]
fn read() -> String {
    String::new()
}

fn main() {}
