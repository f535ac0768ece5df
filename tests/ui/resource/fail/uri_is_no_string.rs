use mcp_runtime::prelude::*;

#[mcp_resource(uri = weather)]
fn read() -> String {
    String::new()
}

fn main() {}
