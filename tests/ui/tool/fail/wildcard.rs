use mcp_runtime::prelude::*;

/// Does something.
#[mcp_tool]
fn run(_: String) {}

fn main() {
    let _: Option<run> = None;
    let _ = run;
}
