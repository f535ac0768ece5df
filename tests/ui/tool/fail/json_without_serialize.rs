use mcp_runtime::prelude::*;

#[derive(schemars::JsonSchema)]
struct Point {
    x: i64,
}

/// The origin.
#[mcp_tool]
fn origin() -> Result<Json<Point>, ToolError> {
    Ok(Json(Point { x: 0 }))
}

fn main() {}
