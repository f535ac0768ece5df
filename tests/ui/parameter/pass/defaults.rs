//! Defaults are literals, constants, calls, or the type's own.
#![deny(warnings)]

use mcp_runtime::{prelude::*, testing::TestClient};
use serde_json::json;

const DAYS: u8 = 5;
const RATIO: f32 = 0.1;

fn tags() -> Vec<String> {
    vec!["a".to_owned()]
}

/// Shows its arguments.
#[mcp_tool]
fn show(
    #[mcp(default = DAYS, minimum = 1)] days: u8,
    // No `f32` is a tenth, and this one is greater.
    #[mcp(default = RATIO, maximum = 0.1)] ratio: f32,
    #[mcp(default = tags())] tags: Vec<String>,
    #[mcp(default)] text: String,
    #[mcp(default = Some(3))] number: Option<u8>,
    #[mcp(default = 2)] factor: f64,
    #[mcp(default = 'x')] letter: char,
    #[mcp(default = true)] on: bool,
    #[mcp(default = -1)] offset: i8,
    missing: Option<u8>,
) -> String {
    format!("{days} {ratio} {tags:?} {text:?} {number:?} {factor} {letter} {on} {offset} {missing:?}")
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let client = TestClient::connect(McpServer::default().tool::<show>()).await.unwrap();
    let result = client.call("show", json!({})).await.unwrap();
    assert_eq!(result.first_text(), Some("5 0.1 [\"a\"] \"\" Some(3) 2 x true -1 None"));
}
