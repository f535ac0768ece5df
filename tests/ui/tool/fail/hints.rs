#![allow(unused_variables)]

use mcp_runtime::prelude::*;

/// Does something.
#[mcp_tool(
    readonly,
    read_only_hint = true,
    destructive_hint = false,
    idempotent_hint = true,
    open_world_hint = false,
    readOnlyHint = true,
    destructiveHint = false,
    idempotentHint = true,
    openWorldHint = false
)]
fn run(text: String) {}

fn main() {
    let _: Option<run> = None;
    let _ = run;
}
