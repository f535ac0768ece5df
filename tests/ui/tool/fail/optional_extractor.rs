use mcp_runtime::{Principal, prelude::*};

/// Says who calls.
#[mcp_tool]
fn who(caller: Option<Principal>) -> bool {
    caller.is_some()
}

fn main() {}
