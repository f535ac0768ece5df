//! The attributes of a function stay, and warn nobody but its callers.
#![deny(warnings)]

use mcp_runtime::{prelude::*, testing::TestClient};
use serde_json::json;

/// Adds.
#[mcp_tool]
#[must_use]
#[inline]
#[track_caller]
#[doc(alias = "plus")]
#[allow(clippy::arithmetic_side_effects)]
fn add(a: u8, b: u8) -> u8 {
    assert_eq!(std::panic::Location::caller().file(), file!());
    a + b
}

/// Was there before.
#[mcp_tool]
#[deprecated]
fn old() {}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    assert_eq!(add(1, 2), 3);
    let client = TestClient::connect(McpServer::default().tool::<(add, old)>()).await.unwrap();
    assert_eq!(client.call("old", json!({})).await.unwrap().first_text(), None);
    assert_eq!(client.list_tools().await.unwrap().len(), 2);
}
