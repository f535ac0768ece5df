use mcp_runtime::prelude::*;

fn cities(typed: u8) -> Vec<String> {
    vec![typed.to_string()]
}

/// What to pack.
#[mcp_prompt]
fn packing(#[mcp(complete = cities)] city: String) -> String {
    city
}

fn main() {}
