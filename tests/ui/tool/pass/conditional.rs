//! `cfg` on a function holds for its descriptor; attributes may stand in any order.
#![deny(warnings)]

use mcp_runtime::prelude::*;

#[cfg(any())]
/// Never.
#[mcp_tool]
fn never(argument: NoSuchType) {}

/// Never either.
#[mcp_tool]
#[cfg(any())]
fn never_either(argument: NoSuchType) {}

#[inline]
#[mcp_tool]
#[must_use]
/// Always.
fn always() -> u8 {
    5
}

fn main() {
    assert_eq!(always(), 5);
    let _server = McpServer::default().tool::<always>();
}
