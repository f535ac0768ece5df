use mcp_runtime::prelude::*;

#[mcp_prompt(title = 5)]
fn ask() -> String {
    String::new()
}

fn main() {
    let _: Option<ask> = None;
    let _ = ask;
}
