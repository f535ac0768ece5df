use mcp_runtime::prelude::*;

struct Broken;

#[mcp_prompt]
fn first() -> Result<String, Broken> {
    Err(Broken)
}

fn main() {}
