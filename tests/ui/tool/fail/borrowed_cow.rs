use mcp_runtime::prelude::*;

use std::borrow::Cow;

/// Shouts.
#[mcp_tool]
fn shout(text: Cow<'_, str>) -> String {
    text.to_uppercase()
}

fn main() {}
