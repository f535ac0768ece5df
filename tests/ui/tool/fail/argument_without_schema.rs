use mcp_runtime::prelude::*;

#[derive(serde::Deserialize)]
struct Point {
    x: i64,
}

/// Takes a point.
#[mcp_tool]
fn take(point: Point) -> i64 {
    point.x
}

fn main() {}
