use mcp_runtime::prelude::*;

#[derive(serde::Deserialize)]
struct Booking {
    _guests: u8,
}

/// Books a table
#[mcp_tool]
async fn book(context: Context) -> Result<bool, ToolError> {
    Ok(context.elicit::<Booking>("A table?").await?.accepted().is_some())
}

fn main() {}
