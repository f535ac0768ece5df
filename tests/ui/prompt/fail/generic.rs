use mcp_runtime::prelude::*;

/// What to pack.
#[mcp_prompt]
fn packing<T: ToString>(city: T) -> String {
    city.to_string()
}

fn main() {}
