use mcp_runtime::prelude::*;

#[derive(serde::Serialize, schemars::JsonSchema)]
struct Point {
    x: i64,
}

/// The origin.
#[mcp_tool]
fn origin() -> Point {
    Point { x: 0 }
}

fn main() {}
