use mcp_runtime::prelude::*;

/// What to pack.
#[mcp_prompt]
fn packing(#[mcp(minimum = 1)] days: u8) -> String {
    days.to_string()
}

fn main() {}
