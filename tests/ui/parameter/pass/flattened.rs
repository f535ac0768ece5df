//! The fields of a struct are arguments, beside others.
#![deny(warnings)]

use mcp_runtime::{prelude::*, testing::TestClient};
use serde_json::json;

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Page {
    /// Where it begins
    offset: u32,
    size: Option<u32>,
}

/// Shows a page.
#[mcp_tool]
fn show(name: String, #[mcp(flatten)] page: Page) -> String {
    format!("{name} {} {:?}", page.offset, page.size)
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let client = TestClient::connect(McpServer::default().tool::<show>()).await.unwrap();
    let result = client.call("show", json!({"name": "a", "offset": 5})).await.unwrap();
    assert_eq!(result.first_text(), Some("a 5 None"));
}
