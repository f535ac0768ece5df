use std::collections::HashMap;

use mcp_runtime::prelude::*;

/// Counts.
#[mcp_tool]
fn count(texts: Option<HashMap<String, [(&'static str, u8); 2]>>) -> usize {
    texts.map_or(0, |texts| texts.len())
}

fn main() {
    let _: Option<count> = None;
    let _ = count;
}
