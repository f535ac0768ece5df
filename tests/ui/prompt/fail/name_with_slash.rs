use mcp_runtime::prelude::*;

/// What to pack.
#[mcp_prompt(name = "packing/list")]
fn packing(city: String) -> String {
    city
}

fn main() {}
