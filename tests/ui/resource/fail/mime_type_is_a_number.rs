use mcp_runtime::prelude::*;

#[mcp_resource(uri = "a://b", mime_type = 5)]
fn read() -> String {
    String::new()
}

fn main() {
    let _: Option<read> = None;
    let _ = read;
}
