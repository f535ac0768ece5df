//! A block and a module may stand in a function.
#![deny(warnings)]

use mcp_runtime::{prelude::*, testing::TestClient};
use serde_json::json;

#[tokio::main(flavor = "current_thread")]
async fn main() {
    struct Weather;

    #[mcp_server]
    impl Weather {
        /// Forecast.
        #[mcp_tool]
        fn forecast(&self) -> &'static str {
            "rain"
        }
    }

    #[mcp_server]
    mod sums {
        /// Adds.
        #[mcp_tool]
        pub(super) fn add(a: i64, b: i64) -> i64 {
            a + b
        }
    }

    assert_eq!(sums::add(1, 2), 3);
    let client = TestClient::connect(McpServer::default().mount((Weather, sums::server {}))).await.unwrap();
    assert_eq!(client.call("forecast", json!({})).await.unwrap().first_text(), Some("rain"));
}
