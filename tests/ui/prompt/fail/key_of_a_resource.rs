use mcp_runtime::prelude::*;

#[mcp_prompt(mime_type = "text/plain")]
fn ask() -> String {
    String::new()
}

fn main() {
    let _: Option<ask> = None;
    let _ = ask;
}
