use mcp_runtime::prelude::*;

/// What to pack.
#[mcp_prompt]
fn packing(cities: Vec<String>) -> String {
    cities.concat()
}

fn main() {}
