use mcp_runtime::prelude::*;

/// How large it is.
#[mcp_tool]
fn größe() -> i64 {
    5
}

fn main() {}
