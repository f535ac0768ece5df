use mcp_runtime::prelude::*;

/// Does something.
#[mcp_tool]
fn run(text: String) -> impl Future<Output = String> {
    async { text }
}

fn main() {
    let _: Option<run> = None;
    let _ = run;
}
