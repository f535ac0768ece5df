use mcp_runtime::prelude::*;

#[mcp_resource(uri = "a://b", annotations = 1)]
fn read() -> String {
    String::new()
}

fn main() {
    let _: Option<read> = None;
    let _ = read;
}
