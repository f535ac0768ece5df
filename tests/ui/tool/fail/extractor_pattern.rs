use mcp_runtime::prelude::*;

use mcp_runtime::State;

/// Counts.
#[mcp_tool]
fn count(State(names): State<Vec<String>>) -> usize {
    names.len()
}

fn main() {}
