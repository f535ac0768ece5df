use mcp_runtime::prelude::*;

#[mcp_resource(uri = "a://{city}", mime_type = "json", prioritty = 1)]
fn read() -> String {
    String::new()
}

fn main() {
    let _: Option<read> = None;
    let _ = read;
}
