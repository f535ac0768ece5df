use mcp_runtime::prelude::*;

/// Takes a value.
#[mcp_tool]
fn take(#[mcp(pattern = "(?=a)b")] value: String) {
    drop(value);
}

fn main() {
    let _: Option<take> = None;
    let _ = take;
}
