use mcp_runtime::prelude::*;

/// Says where it is.
#[mcp_tool]
fn place(#[mcp(minimum = 1)] context: Context) -> String {
    format!("{context:?}")
}

fn main() {}
