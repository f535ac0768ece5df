//! The handshake: versions, what comes before it, what the server says of itself.

use mcp_test_support::{Running, Transport, VERSIONS};
use serde_json::json;

use crate::{everywhere, fixture};

#[tokio::test]
async fn a_known_version_is_agreed_on_and_an_unknown_one_gets_the_newest() {
    for transport in Transport::ALL {
        for (asked, agreed) in [
            ("2024-11-05", "2024-11-05"),
            ("2025-03-26", "2025-03-26"),
            ("2025-06-18", "2025-06-18"),
            ("2025-11-25", "2025-11-25"),
            ("2026-07-28", "2025-11-25"),
            ("2024-10-07", "2025-11-25"),
            ("nonsense", "2025-11-25"),
        ] {
            let running = Running::start(transport, fixture::server).await;
            let answer = running.connect().await.initialize(asked).await;
            assert_eq!(answer["result"]["protocolVersion"], agreed, "{transport:?}: {asked}");
        }
    }
}

#[tokio::test]
async fn the_server_says_of_itself_what_the_version_knows() {
    for transport in Transport::ALL {
        for version in VERSIONS {
            let running = Running::start(transport, fixture::server).await;
            let answer = running.connect().await.initialize(version).await;
            let mut info = json!({"name": "fixture", "version": "1.2.3"});
            if version >= "2025-06-18" {
                info["title"] = json!("The Fixture");
            }
            if version >= "2025-11-25" {
                info["description"] = json!("A server for tests");
                info["websiteUrl"] = json!("https://example.com");
                info["icons"] = json!([{"src": "https://example.com/server.png"}]);
            }
            let mut capabilities = json!({
                "logging": {},
                "prompts": {"listChanged": true},
                "resources": {"listChanged": true, "subscribe": true},
                "tools": {"listChanged": true},
            });
            if version >= "2025-03-26" {
                capabilities["completions"] = json!({});
            }
            let expected = json!({
                "protocolVersion": version,
                "serverInfo": info,
                "capabilities": capabilities,
                "instructions": "How to use the fixture.",
            });
            assert_eq!(answer["result"], expected, "{transport:?} at {version}");
        }
    }
}

#[tokio::test]
async fn before_the_handshake_there_is_only_ping() {
    for transport in Transport::ALL {
        let running = Running::start(transport, fixture::server).await;
        let mut wire = running.connect().await;
        if transport == Transport::Http {
            // Nothing is asked before there is a session.
            assert_eq!(wire.refusal("tools/list", json!({})).await["code"], -32600);
            continue;
        }
        assert_eq!(wire.result("ping", json!({})).await, json!({}));
        for method in ["tools/list", "tools/call", "resources/list", "logging/setLevel", "completion/complete"] {
            assert_eq!(wire.refusal(method, json!({})).await["code"], -32600, "{transport:?}: {method}");
        }
        // Newer clients ask this first, and take any error for "an older server".
        assert_eq!(wire.refusal("server/discover", json!({})).await["code"], -32601);
        let answer = wire.initialize("2025-06-18").await;
        assert_eq!(answer["result"]["protocolVersion"], "2025-06-18");
    }
}

#[tokio::test]
async fn a_handshake_that_does_not_fit_is_refused_and_can_be_done_again() {
    for transport in Transport::ALL {
        let running = Running::start(transport, fixture::server).await;
        let mut wire = running.connect().await;
        for params in [
            json!({}),
            json!({"protocolVersion": 5}),
            json!({"protocolVersion": "2025-06-18", "capabilities": []}),
            json!({"protocolVersion": "2025-06-18", "clientInfo": ["a", "b"]}),
        ] {
            assert_eq!(wire.refusal("initialize", params.clone()).await["code"], -32602, "{params}");
        }
        let odd = json!({"name": "no version", "icons": "none"});
        let params = json!({"protocolVersion": "2025-06-18", "capabilities": {"extensions": 5}, "clientInfo": odd});
        assert_eq!(wire.result("initialize", params).await["protocolVersion"], "2025-06-18", "{transport:?}");
        let again = json!({"protocolVersion": "2024-11-05", "capabilities": {}});
        assert_eq!(wire.refusal("initialize", again).await["code"], -32600);
        assert_eq!(wire.call("add", json!({"a": 1, "b": 2})).await["content"][0]["text"], "3");
    }
}

#[tokio::test]
async fn a_ping_is_answered_with_nothing_but_an_empty_object() {
    everywhere(async |case| {
        if case.is_stateless() {
            assert_eq!(case.wire.refusal("ping", json!({})).await["code"], -32601, "{}", case.name);
            return;
        }
        let id = case.wire.start("ping", json!({})).await;
        let expected = json!({"jsonrpc": "2.0", "id": id, "result": {}});
        assert_eq!(case.wire.receive().await, expected, "{}", case.name);
    })
    .await;
}

#[tokio::test]
async fn a_method_that_is_not_there_is_named_shortly() {
    everywhere(async |case| {
        for method in ["tools/cal", "", "Tools/Call", "notifications/initialized"] {
            assert_eq!(case.wire.refusal(method, json!({})).await["code"], -32601, "{}: {method}", case.name);
        }
        // Over HTTP the newest version repeats it in a header, which is shorter.
        let long = "x".repeat(if case.is_stateless() { 16 } else { 64 } * 1024);
        let refusal = case.wire.refusal(&long, json!({})).await;
        assert_eq!(refusal["code"], -32601);
        assert!(refusal["message"].as_str().unwrap().len() < 200, "{}", case.name);
    })
    .await;
}
