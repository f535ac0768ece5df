use mcp_runtime::prelude::*;

#[mcp_resource(uri = "a://b", uri = "a://c")]
fn read() -> String {
    String::new()
}

fn main() {
    let _: Option<read> = None;
    let _ = read;
}
