use mcp_runtime::prelude::*;

fn cities(_: &str) -> u8 {
    5
}

/// What to pack.
#[mcp_prompt]
fn packing(#[mcp(complete = cities)] city: String) -> String {
    city
}

fn main() {}
