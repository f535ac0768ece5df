use mcp_runtime::prelude::*;

#[mcp_prompt(title = "a", title = "b")]
fn ask() -> String {
    String::new()
}

fn main() {
    let _: Option<ask> = None;
    let _ = ask;
}
