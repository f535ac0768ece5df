use mcp_runtime::prelude::*;

/// Shouts.
#[mcp_tool]
fn shout(text: &str) -> String {
    text.to_uppercase()
}

fn main() {
    let _: Option<shout> = None;
    shout("");
}
