//! Doc comments of parameters are their descriptions.
#![deny(warnings)]

use mcp_runtime::{prelude::*, testing::TestClient};

/// Forecast.
#[mcp_tool]
fn forecast(
    /// The city
    ///
    /// as people write it
    city: String,
    /** Days ahead */
    days: u8,
    #[doc = "The unit"] unit: String,
) -> String {
    format!("{city} {days} {unit}")
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let client = TestClient::connect(McpServer::default().tool::<forecast>()).await.unwrap();
    let tools = serde_json::to_value(client.list_tools().await.unwrap()).unwrap();
    let properties = &tools[0]["inputSchema"]["properties"];
    assert_eq!(properties["city"]["description"], "The city\n\nas people write it");
    assert_eq!(properties["days"]["description"], "Days ahead");
    assert_eq!(properties["unit"]["description"], "The unit");
}
