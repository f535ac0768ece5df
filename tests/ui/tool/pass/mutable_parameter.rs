//! A parameter may be mutable.
#![deny(warnings)]

use mcp_runtime::{prelude::*, testing::TestClient};
use serde_json::json;

/// Shouts.
#[mcp_tool]
fn shout(mut text: String) -> String {
    text.push('!');
    text
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let client = TestClient::connect(McpServer::default().tool::<shout>()).await.unwrap();
    assert_eq!(client.call("shout", json!({"text": "a"})).await.unwrap().first_text(), Some("a!"));
}
