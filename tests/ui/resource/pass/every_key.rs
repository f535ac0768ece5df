//! Every key of a resource.
#![deny(warnings)]

use mcp_runtime::{prelude::*, testing::TestClient};
use serde_json::json;

#[mcp_resource(
    uri = "data://table",
    name = "table of all",
    title = "Table",
    description = concat!("All ", "of it"),
    mime_type = "text/csv; charset=utf-8",
    size = 3,
    scopes("read"),
    icons = ["data:image/png;base64,AA=="],
    annotations(audience = ["user", "assistant"], priority = 0.5),
    ttl = "5m",
    cache_scope = "private",
    crate = ::mcp_runtime,
)]
fn table() -> &'static str {
    "a,b"
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    assert_eq!(table(), "a,b");
    let client = TestClient::connect(McpServer::default().resource::<table>()).await.unwrap();
    let listed = serde_json::to_value(client.list_resources().await.unwrap()).unwrap();
    let expected =
        json!({"name": "table of all", "size": 3, "description": "All of it", "mimeType": "text/csv; charset=utf-8"});
    for (key, value) in expected.as_object().unwrap() {
        assert_eq!(listed[0][key], *value);
    }
}
