//! A template stands for contents of many sizes.

use mcp_runtime::prelude::*;

/// A note
#[mcp_resource(uri = "notes://{number}", size = 5)]
fn note(number: u32) -> String {
    number.to_string()
}

fn main() {}
