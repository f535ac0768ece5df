use mcp_runtime::prelude::*;

#[derive(Debug)]
struct Failure;

/// Fails.
#[mcp_tool]
fn fail() -> Result<String, Failure> {
    Err(Failure)
}

fn main() {}
