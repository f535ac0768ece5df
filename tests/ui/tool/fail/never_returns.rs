use mcp_runtime::prelude::*;

/// Ends.
#[mcp_tool]
fn end() -> ! {
    std::process::exit(0)
}

fn main() {}
