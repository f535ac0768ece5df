//! A server's module may hold another server's module.
#![deny(warnings)]

use mcp_runtime::{prelude::*, testing::TestClient};
use serde_json::json;

#[mcp_server]
pub(crate) mod outer {
    /// One.
    #[mcp_tool]
    pub(in crate::outer) fn one() -> u8 {
        inner::two() - 1
    }

    #[mcp_runtime::mcp_server]
    pub(crate) mod inner {
        /// Two.
        #[mcp_tool]
        pub(super) fn two() -> u8 {
            2
        }
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let server = outer::server().mount_at("inner", outer::inner::server {});
    let client = TestClient::connect(server).await.unwrap();
    assert_eq!(client.call("one", json!({})).await.unwrap().first_text(), Some("1"));
    assert_eq!(client.call("inner_two", json!({})).await.unwrap().first_text(), Some("2"));
}
