//! A `where` clause without generics is the function's own affair.
#![deny(warnings)]

use mcp_runtime::{prelude::*, testing::TestClient};
use serde_json::json;

/// Doubles.
#[mcp_tool]
fn double(text: String) -> String
where
    String: Clone,
{
    text.clone() + &text
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let client = TestClient::connect(McpServer::default().tool::<double>()).await.unwrap();
    assert_eq!(client.call("double", json!({"text": "a"})).await.unwrap().first_text(), Some("aa"));
}
