use mcp_runtime::prelude::*;

/// Shows.
#[mcp_tool]
fn show(value: impl ToString) -> String {
    value.to_string()
}

fn main() {}
