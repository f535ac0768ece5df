use mcp_runtime::prelude::*;

#[mcp_resource(uri = "a://b", icons = "https://example.com/a.png")]
fn read() -> String {
    String::new()
}

fn main() {
    let _: Option<read> = None;
    let _ = read;
}
