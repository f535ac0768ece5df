use mcp_runtime::prelude::*;

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Point {
    x: i64,
}

/// Takes a point.
#[mcp_tool]
fn take(#[mcp(default)] point: Point) -> i64 {
    point.x
}

fn main() {}
