//! Each type of the language that is an argument.
#![deny(warnings)]

use mcp_runtime::{prelude::*, testing::TestClient};
use serde_json::json;

/// Takes everything.
#[mcp_tool]
#[allow(clippy::too_many_arguments)]
fn all(
    a: u8,
    b: i16,
    c: u32,
    d: i64,
    e: usize,
    f: f32,
    g: f64,
    h: bool,
    i: char,
    j: String,
    k: (u8, u8),
    l: [u8; 2],
) -> String {
    format!("{a} {b} {c} {d} {e} {f} {g} {h} {i} {j} {k:?} {l:?}")
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let client = TestClient::connect(McpServer::default().tool::<all>()).await.unwrap();
    let arguments = json!({"a": 1, "b": -2, "c": 3, "d": -4, "e": 5, "f": 0.5, "g": 1.5, "h": true, "i": "x", "j": "y",
        "k": [1, 2], "l": [3, 4]});
    let result = client.call("all", arguments).await.unwrap();
    assert_eq!(result.first_text(), Some("1 -2 3 -4 5 0.5 1.5 true x y (1, 2) [3, 4]"));
}
