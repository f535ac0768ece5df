use mcp_runtime::prelude::*;

/// Waits.
#[mcp_tool]
fn wait() -> impl Future<Output = String> {
    std::future::ready(String::new())
}

fn main() {}
