use std::sync::Mutex;

use mcp_runtime::prelude::*;

/// Counts.
#[mcp_tool]
fn count(counter: State<Mutex<i32>>) -> bool {
    counter.is_poisoned()
}

fn main() {}
