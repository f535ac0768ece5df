//! The keys may be spread over several attributes.
#![deny(warnings)]

use mcp_runtime::{prelude::*, testing::TestClient};
use serde_json::json;

/// Repeats.
#[mcp_tool]
fn repeat(
    #[mcp(name = "what")]
    #[mcp(min_length = 1)]
    text: String,
    #[mcp(default = 2)]
    #[mcp()]
    times: usize,
) -> String {
    text.repeat(times)
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let client = TestClient::connect(McpServer::default().tool::<repeat>()).await.unwrap();
    assert_eq!(client.call("repeat", json!({"what": "a"})).await.unwrap().first_text(), Some("aa"));
}
