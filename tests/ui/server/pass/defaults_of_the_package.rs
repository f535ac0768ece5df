//! Name and version are the package's, instructions the doc comment.
#![deny(warnings)]

use mcp_runtime::{prelude::*, testing::TestClient};

/// Keeps the weather.
///
/// Ask it.
#[mcp_server]
mod weather {}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let server = weather::server();
    assert_eq!(server.options().name, env!("CARGO_PKG_NAME"));
    assert_eq!(server.options().version, env!("CARGO_PKG_VERSION"));
    let client = TestClient::connect(server).await.unwrap();
    assert_eq!(client.initialized().instructions.as_deref(), Some("Keeps the weather.\n\nAsk it."));
}
