use mcp_runtime::prelude::*;

/// Joins.
#[mcp_tool]
fn join(texts: Vec<&str>) -> String {
    texts.concat()
}

fn main() {}
