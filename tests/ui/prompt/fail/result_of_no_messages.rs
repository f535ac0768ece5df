use mcp_runtime::prelude::*;

/// What to pack.
#[mcp_prompt]
fn packing(city: String) -> usize {
    city.len()
}

fn main() {}
