use mcp_runtime::prelude::*;

/// What to pack.
#[mcp_prompt]
fn packing(cities: Option<Vec<String>>) -> String {
    cities.unwrap_or_default().concat()
}

fn main() {}
