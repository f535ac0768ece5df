//! A name may have 64 characters.
#![deny(warnings)]

use mcp_runtime::{prelude::*, testing::TestClient};

/// Has a long name.
#[mcp_tool(name = "a_tool-with-the-longest-name-that-clients-take-which-is-of-64-AZ")]
fn long() {}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    long();
    let client = TestClient::connect(McpServer::default().tool::<long>()).await.unwrap();
    assert_eq!(client.list_tools().await.unwrap()[0].name.len(), 64);
}
