//! Bounds hold for what is in an `Option`, and are checked in calls.
#![deny(warnings)]

use mcp_runtime::{prelude::*, testing::TestClient};
use serde_json::json;

/// Shows its arguments.
#[mcp_tool]
fn show(
    #[mcp(minimum = 1, maximum = 7)] days: Option<u8>,
    #[mcp(min_length = 2)] code: Option<String>,
    #[mcp(max_items = 1)] tags: Option<Vec<String>>,
) -> String {
    format!("{days:?} {code:?} {tags:?}")
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let client = TestClient::connect(McpServer::default().tool::<show>()).await.unwrap();
    let shown = client.call("show", json!({"days": 7, "code": "ab"})).await.unwrap();
    assert_eq!(shown.first_text(), Some("Some(7) Some(\"ab\") None"));
    for wrong in [json!({"days": 8}), json!({"code": "a"}), json!({"tags": ["a", "b"]})] {
        assert!(client.call("show", wrong.clone()).await.unwrap().is_error, "{wrong}");
    }
}
