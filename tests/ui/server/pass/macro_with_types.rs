//! A macro by example hands over types, visibilities, literals and docs.
#![deny(warnings)]

use mcp_runtime::{prelude::*, testing::TestClient};
use serde_json::json;

macro_rules! counter {
    ($(#[$meta:meta])* $vis:vis struct $name:ident($ty:ty) as $named:literal, $default:expr) => {
        $(#[$meta])*
        $vis struct $name($ty);

        #[mcp_server(name = $named)]
        impl $name {
            /// Adds.
            #[mcp_tool(name = $named, timeout = "5s")]
            $vis fn add(&self, #[mcp(default = $default, minimum = -5)] more: $ty) -> $ty {
                self.0 + more
            }
        }
    };
}

counter! {
    /// Counts.
    #[derive(Debug)]
    pub(crate) struct Counter(i32) as "plus", -2
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let client = TestClient::connect(Counter(5).into_server()).await.unwrap();
    assert_eq!(client.call("plus", json!({})).await.unwrap().first_text(), Some("3"));
    assert_eq!(Counter(1).add(1), 2);
}
