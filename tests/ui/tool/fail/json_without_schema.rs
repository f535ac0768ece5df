use mcp_runtime::prelude::*;

#[derive(serde::Serialize)]
struct Point {
    x: i64,
}

/// The origin.
#[mcp_tool]
fn origin() -> Json<Point> {
    Json(Point { x: 0 })
}

fn main() {}
