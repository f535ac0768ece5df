use mcp_runtime::prelude::*;

#[mcp_prompt]
fn ask() {}

fn main() {
    let _: Option<ask> = None;
    let _ = ask;
}
