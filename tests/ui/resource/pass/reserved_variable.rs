//! `{+name}` takes slashes, `{name}` does not; other types than text are read.
#![deny(warnings)]

use mcp_runtime::{prelude::*, testing::TestClient};

#[mcp_resource(uri = "file:///{+path}")]
fn file(path: String) -> String {
    path
}

#[mcp_resource(uri = "page://{book}/{number}", mime_type = "text/plain")]
async fn page(book: String, number: u32) -> String {
    format!("{book} {}", number + 1)
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let client = TestClient::connect(McpServer::default().resource::<(file, page)>()).await.unwrap();
    let read =
        async |uri: &str| serde_json::to_value(client.read(uri).await.unwrap()).unwrap()["contents"][0]["text"].clone();
    assert_eq!(read("file:///a/b.txt").await, "a/b.txt");
    assert_eq!(read("page://faust/4").await, "faust 5");
    assert!(client.read("page://faust/four").await.is_err());
}
