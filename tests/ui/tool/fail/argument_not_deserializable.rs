use mcp_runtime::prelude::*;

#[derive(schemars::JsonSchema)]
struct Point {
    x: i64,
}

/// Takes points.
#[mcp_tool]
async fn take(first: i64, points: Vec<Point>) -> i64 {
    first + points[0].x
}

fn main() {}
