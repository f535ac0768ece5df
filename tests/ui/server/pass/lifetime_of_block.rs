//! A block may have lifetimes that are `'static`.
#![deny(warnings)]

use mcp_runtime::{prelude::*, testing::TestClient};
use serde_json::json;

struct Weather<'a>(&'a str);

#[mcp_server]
impl<'a: 'static> Weather<'a> {
    /// Forecast.
    #[mcp_tool]
    fn forecast(&self) -> &'static str {
        self.0
    }
}

struct Words<'a, T>(&'a [T]);

#[mcp_server]
impl<T: Sync> Words<'static, T> {
    /// Their number.
    #[mcp_tool]
    fn count(&self) -> usize {
        self.0.len()
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let server = McpServer::default().mount((Weather("rain"), Words(&[1, 2])));
    let client = TestClient::connect(server).await.unwrap();
    assert_eq!(client.call("forecast", json!({})).await.unwrap().first_text(), Some("rain"));
    assert_eq!(client.call("count", json!({})).await.unwrap().first_text(), Some("2"));
}
