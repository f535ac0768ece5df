//! Functions complete arguments: sync, async, by path.
#![deny(warnings)]

use mcp_runtime::CompletionRequest;
use mcp_runtime::{prelude::*, testing::TestClient};
use serde_json::json;

mod words {
    pub(crate) async fn cities(begin: &str) -> Vec<String> {
        ["Paris", "Prague", "Rome"].into_iter().filter(|city| city.starts_with(begin)).map(str::to_owned).collect()
    }
}

fn days(request: &CompletionRequest) -> Vec<String> {
    let _ = request;
    vec!["1".to_owned()]
}

#[mcp_prompt]
fn packing(#[mcp(complete = words::cities)] city: String, #[mcp(complete = crate::days)] days: Option<u8>) -> String {
    format!("{city} {days:?}")
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let client = TestClient::connect(McpServer::default().prompt::<packing>()).await.unwrap();
    let request = json!({"ref": {"type": "ref/prompt", "name": "packing"}, "argument": {"name": "city", "value": "P"}});
    let result = client.request("completion/complete", request).await.unwrap();
    assert_eq!(result["completion"]["values"], json!(["Paris", "Prague"]));
}
