//! What is not there is not judged.
#![deny(warnings)]

use mcp_runtime::{prelude::*, testing::TestClient};
use serde_json::json;

#[mcp_tool(no_such_key, timeout = "never")]
#[cfg(any())]
fn never<T>(text: &T) {}

#[cfg(false)]
#[mcp_tool(uri = "a://b")]
fn nor_this(text: &str) {}

/// Is there.
#[mcp_tool]
#[cfg(all())]
fn always() {}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let client = TestClient::connect(McpServer::default().tool::<always>()).await.unwrap();
    assert_eq!(client.call("always", json!({})).await.unwrap().first_text(), None);
}
