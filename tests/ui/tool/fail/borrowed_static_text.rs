use mcp_runtime::prelude::*;

/// Shouts.
#[mcp_tool]
fn shout(text: &'static str) -> String {
    text.to_uppercase()
}

fn main() {}
