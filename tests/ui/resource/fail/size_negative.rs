use mcp_runtime::prelude::*;

#[mcp_resource(uri = "weather://now", size = -5)]
fn read() -> String {
    String::new()
}

fn main() {}
