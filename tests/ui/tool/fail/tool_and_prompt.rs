use mcp_runtime::prelude::*;

/// Greets.
#[mcp_tool]
#[mcp_prompt]
fn greet(name: String) -> String {
    format!("Hello, {name}!")
}

fn main() {}
