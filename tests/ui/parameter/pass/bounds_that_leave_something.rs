#![allow(dead_code, unused_variables)]

use std::num::NonZeroU8;

use mcp_runtime::prelude::*;

/// Does something.
#[mcp_tool]
fn run(
    #[mcp(minimum = 3, exclusive_maximum = 4)] one: i64,
    #[mcp(exclusive_minimum = 3, exclusive_maximum = 5)] four: u8,
    #[mcp(minimum = 1.5, maximum = 2.5)] two: i32,
    #[mcp(exclusive_minimum = 254)] last: u8,
    #[mcp(exclusive_maximum = 1)] first: u8,
    #[mcp(exclusive_minimum = 3, exclusive_maximum = 4)] fraction: f64,
    // Of what type it is, only the compiler knows.
    #[mcp(exclusive_minimum = 3, exclusive_maximum = 4)] other: NonZeroU8,
    #[mcp(minimum = 2, exclusive_minimum = 1, maximum = 2, exclusive_maximum = 3)] both: u8,
) {
}

/// Looks.
#[mcp_tool(read_only, destructive = false, idempotent)]
fn look() {}

/// Does something.
#[mcp_tool(read_only = false, destructive = true)]
fn purge(_a: i64, a: i64) {}

fn main() {}
