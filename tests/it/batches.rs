//! Batches: arrays of messages, which one version has.

use serde_json::{Value, json};

use crate::everywhere;

fn ping(id: u32) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": "ping"})
}

#[tokio::test]
async fn a_batch_is_answered_as_one_where_the_version_has_batches() {
    everywhere(async |case| {
        let later = json!({"name": "echo_later", "arguments": {"message": "later"}});
        let batch = json!([
            ping(100),
            {"jsonrpc": "2.0", "id": 101, "method": "tools/call", "params": later},
            {"jsonrpc": "2.0", "method": "notifications/initialized"},
            {"jsonrpc": "2.0", "id": 102, "method": "nonsense"},
            {"jsonrpc": "2.0", "id": 103, "method": "initialize", "params": {"protocolVersion": "2025-03-26"}},
            5,
        ]);
        case.wire.send(&batch).await;
        let answer = case.wire.receive().await;
        if case.version != "2025-03-26" {
            assert_eq!(answer["error"]["code"], -32600, "{}: {answer}", case.name);
            return;
        }
        let mut said: Vec<_> = answer
            .as_array()
            .expect("an array")
            .iter()
            .map(|answer| format!("{} {}", answer["id"], answer["error"]["code"]))
            .collect();
        said.sort();
        let expected = ["100 null", "101 null", "102 -32601", "103 -32600", "null -32600"];
        assert_eq!(said, expected, "{}: {answer}", case.name);
    })
    .await;
}

#[tokio::test]
async fn a_batch_that_is_none_is_refused() {
    everywhere(async |case| {
        let many: Vec<_> = (0..101).map(ping).collect();
        for batch in [json!([]), json!(many)] {
            case.wire.send(&batch).await;
            let answer = case.wire.receive().await;
            assert_eq!(answer["error"]["code"], -32600, "{}: {answer}", case.name);
        }
        case.wire.send_text("[1, 2").await;
        assert_eq!(case.wire.receive().await["error"]["code"], -32700, "{}", case.name);
    })
    .await;
}

#[tokio::test]
async fn a_batch_of_notifications_is_not_answered() {
    everywhere(async |case| {
        if case.version != "2025-03-26" {
            return;
        }
        let notification = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        case.wire.send(&json!([notification, notification])).await;
        let id = case.wire.start("ping", json!({})).await;
        assert_eq!(case.wire.receive().await["id"], id, "{}", case.name);
    })
    .await;
}

#[tokio::test]
async fn a_batch_holds_no_request_that_speaks_for_itself() {
    everywhere(async |case| {
        // HTTP+SSE knows no such requests, and takes them for what its session has settled.
        if case.version != "2025-03-26" || case.name.starts_with("Sse") {
            return;
        }
        let meta = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        let own = json!({"jsonrpc": "2.0", "id": 101, "method": "tools/list", "params": {"_meta": meta}});
        case.wire.send(&json!([ping(100), own])).await;
        let answer = case.wire.receive().await;
        assert_eq!(answer["error"]["code"], -32600, "{}: {answer}", case.name);
    })
    .await;
}
