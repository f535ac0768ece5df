//! The HTTP listener from outside: statuses, headers, guards, shutdown.

use mcp_runtime::{McpServer, ServerOptions};
use mcp_test_support::{
    Listening, Running, Transport,
    http::{EventStream, request},
};
use serde_json::{Value, json};

use crate::fixture;

const JSON: (&str, &str) = ("Content-Type", "application/json");

#[tokio::test]
async fn refusals_have_their_status_and_a_body() {
    let running = Running::start(Transport::Sse, fixture::server).await;
    let address = running.address.unwrap();
    let stream = EventStream::open(address, "/sse").await;
    let session = stream.endpoint.as_str();
    let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    let large = "x".repeat(4 * 1024 * 1024 + 1);
    let forged = session.replace("sessionId=", "sessionId=x");
    for (method, path, headers, body, status) in [
        ("POST", session, vec![JSON], ping, 202),
        ("POST", session, vec![("Content-Type", "Application/JSON; charset=UTF-8")], ping, 202),
        ("POST", session, vec![("Content-Type", "text/plain")], ping, 415),
        ("POST", session, vec![], ping, 415),
        ("POST", session, vec![JSON, ("Content-Encoding", "gzip")], ping, 415),
        ("POST", session, vec![JSON], "{", 400),
        ("POST", session, vec![JSON], "", 400),
        ("POST", session, vec![JSON], &large, 413),
        ("POST", &forged, vec![JSON], ping, 404),
        ("POST", "/messages", vec![JSON], ping, 400),
        ("POST", "/sse", vec![JSON], ping, 405),
        ("GET", "/messages", vec![], "", 405),
        ("DELETE", "/sse", vec![], "", 405),
        ("GET", "/nowhere", vec![], "", 404),
        ("GET", "/health", vec![], "", 200),
        ("POST", session, vec![JSON, ("Origin", "https://evil.example.com")], ping, 403),
        ("POST", session, vec![JSON, ("Origin", "null")], ping, 403),
        ("GET", "/sse", vec![("Origin", "https://evil.example.com")], "", 403),
        ("GET", "/sse", vec![("Host", "evil.example.com")], "", 403),
        ("GET", "/health", vec![("Host", "evil.example.com")], "", 403),
    ] {
        let answer = request(address, method, path, &headers, body).await;
        assert_eq!(answer.status, status, "{method} {path} {headers:?}: {answer:?}");
        if status >= 400 {
            assert_eq!(answer.header("content-type"), Some("application/json"), "{answer:?}");
            let body: Value = serde_json::from_str(&answer.body).expect("a JSON body");
            assert!(body["error"]["code"].is_i64() && body["error"]["message"].is_string(), "{answer:?}");
        }
        if status == 405 {
            let allow = answer.header("allow").expect("what is allowed");
            assert!(allow.contains(if path == "/sse" { "GET" } else { "POST" }), "{answer:?}");
        }
        assert!(answer.header("access-control-allow-origin").is_none(), "nobody configured CORS: {answer:?}");
    }
}

#[tokio::test]
async fn an_event_stream_is_not_buffered_on_its_way() {
    let running = Running::start(Transport::Sse, fixture::server).await;
    let stream = EventStream::open(running.address.unwrap(), "/sse").await;
    let header = |name: &str| stream.headers().iter().find(|(given, _)| given == name).map(|(_, value)| value.as_str());
    assert_eq!(header("content-type"), Some("text/event-stream"));
    assert_eq!(header("x-accel-buffering"), Some("no"));
    assert!(header("cache-control").unwrap().contains("no-store"), "{:?}", stream.headers());
    let id = stream.endpoint.strip_prefix("/messages?sessionId=").expect("a relative path");
    assert!(id.len() >= 22 && id.bytes().all(|byte| byte.is_ascii_graphic()), "{id}");
}

#[tokio::test]
async fn a_session_ends_with_its_stream() {
    let running = Running::start(Transport::Sse, fixture::server).await;
    let address = running.address.unwrap();
    let stream = EventStream::open(address, "/sse").await;
    let endpoint = stream.endpoint.clone();
    drop(stream);
    let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    for attempt in 0.. {
        if request(address, "POST", &endpoint, &[JSON], ping).await.status == 404 {
            break;
        }
        assert!(attempt < 2_000, "the session outlives its stream");
    }
}

#[tokio::test]
async fn listed_origins_may_call_from_a_browser() {
    let options: ServerOptions = serde_json::from_value(json!({
        "name": "cors",
        "transport": {"type": "sse", "options": {
            "port": 0, "cors": {"allowOrigins": ["https://app.example.com"]}, "allowedHosts": ["mcp.example.com"],
        }},
    }))
    .unwrap();
    let bound = McpServer::new(options).bind().await.unwrap();
    let (address, handle) = (bound.local_addr().unwrap(), bound.handle());
    let serving = tokio::spawn(bound.serve());
    let preflight = [
        ("Origin", "https://app.example.com"),
        ("Access-Control-Request-Method", "POST"),
        ("Access-Control-Request-Headers", "content-type"),
    ];
    let answer = request(address, "OPTIONS", "/messages", &preflight, "").await;
    assert!((200..300).contains(&answer.status), "{answer:?}");
    assert_eq!(answer.header("access-control-allow-origin"), Some("https://app.example.com"), "{answer:?}");
    let allowed = answer.header("access-control-allow-headers").unwrap().to_ascii_lowercase();
    for name in ["content-type", "authorization", "mcp-protocol-version", "mcp-session-id", "last-event-id"] {
        assert!(allowed.contains(name), "{name}: {answer:?}");
    }
    let answer = request(address, "POST", "/messages", &[("Origin", "https://app.example.com")], "{}").await;
    assert_eq!(answer.header("access-control-allow-origin"), Some("https://app.example.com"), "{answer:?}");
    assert!(answer.header("vary").is_some_and(|vary| vary.to_ascii_lowercase().contains("origin")), "{answer:?}");
    assert!(answer.header("access-control-allow-credentials").is_none());

    for origin in ["https://app.example.com.evil.com", "http://app.example.com", "https://app.example.com:8443"] {
        let answer = request(address, "POST", "/messages", &[("Origin", origin)], "{}").await;
        assert_eq!(answer.status, 403, "{origin}: {answer:?}");
        assert!(answer.header("access-control-allow-origin").is_none(), "{origin}: {answer:?}");
    }
    assert_eq!(request(address, "GET", "/health", &[("Host", "mcp.example.com")], "").await.status, 200);
    handle.shut_down();
    serving.await.unwrap().unwrap();
}

#[tokio::test]
async fn a_shutdown_ends_streams_after_the_calls_in_flight() {
    for listening in Listening::ALL {
        let running = Running::start_as(Transport::Sse, listening, fixture::server).await;
        let mut wire = running.connect_as("2025-11-25").await;
        let id = wire.start("tools/call", json!({"name": "compute", "arguments": {"ms": 300}})).await;
        let mut idle = EventStream::open(running.address.unwrap(), "/sse").await;
        drop(running);
        assert_eq!(wire.answer(&json!(id)).await["result"]["content"][0]["text"], "computed", "{listening:?}");
        assert_eq!(idle.event().await, None, "{listening:?}");
    }
}
