use mcp_runtime::prelude::*;

/// Says where it is.
#[mcp_tool]
fn place(#[mcp(flatten)] context: Context) -> String {
    format!("{context:?}")
}

fn main() {}
