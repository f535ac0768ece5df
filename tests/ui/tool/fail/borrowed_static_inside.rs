use mcp_runtime::prelude::*;

/// Joins.
#[mcp_tool]
fn join(texts: Vec<&'static str>) -> String {
    texts.concat()
}

fn main() {}
