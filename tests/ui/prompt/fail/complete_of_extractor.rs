use mcp_runtime::prelude::*;

#[mcp_prompt]
fn place(#[mcp(complete = places)] context: Context) -> String {
    format!("{context:?}")
}

fn places(_: &str) -> Vec<String> {
    Vec::new()
}

fn main() {}
