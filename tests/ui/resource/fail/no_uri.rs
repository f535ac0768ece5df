use mcp_runtime::prelude::*;

#[mcp_resource(name = "current")]
fn read() -> String {
    String::new()
}

fn main() {
    let _: Option<read> = None;
    read();
}
