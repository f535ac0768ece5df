use mcp_runtime::prelude::*;

/// Takes a value.
#[mcp_tool]
fn take(#[mcp(header = "My Region")] value: String) {
    drop(value);
}

fn main() {
    let _: Option<take> = None;
    let _ = take;
}
