use mcp_runtime::prelude::*;

/// Takes a value.
#[mcp_tool]
fn take(#[mcp(default = "three")] value: u8) {
    drop(value);
}

fn main() {
    let _: Option<take> = None;
    let _ = take;
}
