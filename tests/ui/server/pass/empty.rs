//! A server may begin with nothing.
#![deny(warnings)]

use mcp_runtime::prelude::*;

struct Nothing;

#[mcp_server]
impl Nothing {}

#[mcp_server]
mod nothing {}

fn main() {
    let _ = (Nothing.into_server(), nothing::server());
}
