//! The attribute itself may depend on a condition.
#![deny(warnings)]

use mcp_runtime::{prelude::*, testing::TestClient};
use serde_json::json;

/// Adds.
#[cfg_attr(all(), mcp_tool(name = "plus"), must_use)]
fn add(a: i64, b: i64) -> i64 {
    a + b
}

/// Never a tool.
#[cfg_attr(any(), mcp_tool(no_such_key))]
fn subtract(a: &i64, b: &i64) -> i64 {
    a - b
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    assert_eq!(subtract(&3, &2), 1);
    let client = TestClient::connect(McpServer::default().tool::<add>()).await.unwrap();
    assert_eq!(client.call("plus", json!({"a": 1, "b": 2})).await.unwrap().first_text(), Some("3"));
}
