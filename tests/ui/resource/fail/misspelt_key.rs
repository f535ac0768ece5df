use mcp_runtime::prelude::*;

#[mcp_resource(uri = "weather://here", mimetype = "text/plain")]
fn read() -> String {
    String::new()
}

fn main() {}
