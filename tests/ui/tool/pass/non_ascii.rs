//! Texts may be in any script.
#![deny(warnings)]

use mcp_runtime::{prelude::*, testing::TestClient};
use serde_json::json;

/// Grüßt — „höflich“ 👋
#[mcp_tool(name = "greet", title = "Grüßen")]
fn grüße(#[mcp(default = "Wörld", description = "Wen?")] wen: String) -> String {
    format!("Grüß dich, {wen}")
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let client = TestClient::connect(McpServer::default().tool::<grüße>()).await.unwrap();
    assert_eq!(client.call("greet", json!({})).await.unwrap().first_text(), Some("Grüß dich, Wörld"));
    let tools = client.list_tools().await.unwrap();
    assert_eq!(tools[0].description.as_deref(), Some("Grüßt — „höflich“ 👋"));
}
