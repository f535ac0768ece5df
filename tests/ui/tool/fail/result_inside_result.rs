use mcp_runtime::prelude::*;

struct Point;

/// The origin.
#[mcp_tool]
async fn origin() -> Result<Point, ToolError> {
    Ok(Point)
}

fn main() {}
