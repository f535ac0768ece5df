use mcp_runtime::prelude::*;

/// What to pack.
#[mcp_prompt(read_only)]
fn packing(city: String) -> String {
    city
}

fn main() {}
