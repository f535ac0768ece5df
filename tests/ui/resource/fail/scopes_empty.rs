use mcp_runtime::prelude::*;

#[mcp_resource(uri = "a://b", scopes())]
fn read() -> String {
    String::new()
}

fn main() {
    let _: Option<read> = None;
    let _ = read;
}
