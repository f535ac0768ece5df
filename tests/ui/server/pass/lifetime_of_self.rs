//! A method may name the lifetime of its receiver.
#![deny(warnings)]

use mcp_runtime::{prelude::*, testing::TestClient};
use serde_json::json;

struct Words(Vec<String>);

#[mcp_server]
impl Words {
    /// The first
    #[mcp_tool]
    fn first<'a>(&'a self, fallback: String) -> String {
        let words: &'a [String] = &self.0;
        words.first().cloned().unwrap_or(fallback)
    }

    /// The last
    #[mcp_tool]
    async fn last<'words>(&'words self) -> String {
        self.0.last().cloned().unwrap_or_default()
    }

    /// Their number
    #[mcp_tool]
    fn count<'a>(self: &'a std::sync::Arc<Self>) -> usize {
        self.0.len()
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let words = Words(vec!["a".to_owned(), "b".to_owned()]);
    let client = TestClient::connect(words.into_server()).await.unwrap();
    for (tool, text) in [("first", "a"), ("last", "b"), ("count", "2")] {
        let result =
            client.call(tool, if tool == "first" { json!({"fallback": ""}) } else { json!({}) }).await.unwrap();
        assert_eq!(result.first_text(), Some(text));
    }
}
