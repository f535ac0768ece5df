//! Every key of a prompt, and raw identifiers.
#![deny(warnings)]

use mcp_runtime::{prelude::*, testing::TestClient};
use serde_json::json;

#[mcp_prompt(
    name = "ask-for",
    title = "Ask",
    description = "Asks",
    scopes("ask"),
    icons = ["https://example.com/a.png"],
    crate = ::mcp_runtime
)]
fn r#fn(#[mcp(name = "what", description = "What?", default = "5")] r#type: String, r#in: Option<u8>) -> String {
    format!("{type} {:?}", r#in)
}

#[mcp_prompt]
async fn r#match() -> Vec<PromptMessage> {
    Vec::new()
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let client = TestClient::connect(McpServer::default().prompt::<r#match>()).await.unwrap();
    assert_eq!(client.list_prompts().await.unwrap()[0].name, "match");
    assert_eq!(client.get_prompt("match", json!({})).await.unwrap().messages.len(), 0);
    let _server = McpServer::default().prompt::<r#fn>();
    assert_eq!(r#fn("a".to_owned(), Some(1)), "a Some(1)");
    drop(r#match());
}
