//! Streamable HTTP where it is its own: statuses, sessions and their owners, batches, connections that go away.

use mcp_runtime::prelude::*;
use mcp_test_support::{
    Listening, PATIENCE,
    http::{self, Answer},
    identity,
    schema::Shared,
};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    time::timeout,
};

use crate::{
    fixture,
    visitor::{Gate, NEWEST_WITH_SESSIONS, Served, Visitor, call, event, initialize, text_of},
};

const JSON: (&str, &str) = ("Content-Type", "application/json");
const BOTH: (&str, &str) = ("Accept", "application/json, text/event-stream");
const EVENTS: (&str, &str) = ("Accept", "text/event-stream");
const NONSENSE: &str = "0123456789abcdef0123456789abcdef";

fn ping(id: i64) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": "ping"})
}

/// Checks the form that refusals have.
fn is_refusal(answer: &Answer, what: &str) {
    let body: Value = serde_json::from_str(&answer.body).unwrap_or_else(|_| panic!("{what}: {answer:?}"));
    assert!(body["error"]["code"].is_i64() && body["error"]["message"].is_string(), "{what}: {body}");
    assert_eq!(answer.header("content-type"), Some("application/json"), "{what}");
    assert_eq!(answer.header("allow").is_some(), answer.status == 405, "{what}");
    assert_eq!(answer.header("retry-after").is_some(), matches!(answer.status, 429 | 503), "{what}");
}

#[tokio::test]
async fn each_situation_has_its_status() {
    let served = Served::start(json!({})).await;
    let visitor = served.visitor(NEWEST_WITH_SESSIONS).await;
    let ended = served.visitor(NEWEST_WITH_SESSIONS).await;
    assert_eq!(ended.delete().await.status, 204);
    let session = ("Mcp-Session-Id", visitor.session.as_str());
    let gone = ("Mcp-Session-Id", ended.session.as_str());
    let upper = visitor.session.to_uppercase();
    let long = "a".repeat(4096);
    let version = |version: &'static str| ("MCP-Protocol-Version", version);
    let (ping, quick) = (ping(1).to_string(), call(2, "quick", json!({})).to_string());
    let initialize = initialize(NEWEST_WITH_SESSIONS).to_string();
    let notification = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    let nobodys = r#"{"jsonrpc":"2.0","id":77,"result":{}}"#;
    let unknown = r#"{"jsonrpc":"2.0","id":3,"method":"no/such"}"#;
    let huge = "x".repeat(4 * 1024 * 1024 + 1);
    for (what, method, headers, body, status) in [
        ("a request", "POST", vec![JSON, BOTH, session], ping.as_str(), 200),
        ("a call", "POST", vec![JSON, BOTH, session], &quick, 200),
        ("its version", "POST", vec![JSON, BOTH, session, version("2025-11-25")], &ping, 200),
        ("another version", "POST", vec![JSON, BOTH, session, version("2025-06-18")], &ping, 200),
        ("a version that is none", "POST", vec![JSON, BOTH, session, version("1999-01-01")], &ping, 400),
        ("a notification of none", "POST", vec![JSON, BOTH, session, version("1999-01-01")], notification, 400),
        ("an answer of none", "POST", vec![JSON, BOTH, session, version("1999-01-01")], nobodys, 400),
        ("a stream of none", "GET", vec![EVENTS, session, version("1999-01-01")], "", 400),
        ("an end of none", "DELETE", vec![session, version("1999-01-01")], "", 400),
        ("two versions", "POST", vec![JSON, BOTH, session, version("2025-11-25"), version("2025-06-18")], &ping, 400),
        ("an error is an answer", "POST", vec![JSON, BOTH, session], unknown, 200),
        ("a notification", "POST", vec![JSON, BOTH, session], notification, 202),
        ("a notification of no version", "POST", vec![JSON, BOTH, session, version("1999-01-01")], notification, 400),
        ("an answer of no version", "POST", vec![JSON, BOTH, session, version("1999-01-01")], nobodys, 400),
        ("an answer to nothing", "POST", vec![JSON, BOTH, session], nobodys, 202),
        ("a handshake", "POST", vec![JSON, BOTH], &initialize, 200),
        ("a handshake in a session", "POST", vec![JSON, BOTH, session], &initialize, 400),
        ("no session", "POST", vec![JSON, BOTH], &ping, 400),
        ("two sessions", "POST", vec![JSON, BOTH, session, session], &ping, 400),
        ("an empty session", "POST", vec![JSON, BOTH, ("Mcp-Session-Id", "")], &ping, 400),
        ("an ended session", "POST", vec![JSON, BOTH, gone], &ping, 404),
        ("a session that never was", "POST", vec![JSON, BOTH, ("Mcp-Session-Id", NONSENSE)], &ping, 404),
        ("a session in capitals", "POST", vec![JSON, BOTH, ("Mcp-Session-Id", &upper)], &ping, 404),
        ("a long session", "POST", vec![JSON, BOTH, ("Mcp-Session-Id", &long[..128])], &ping, 404),
        ("too long a session", "POST", vec![JSON, BOTH, ("Mcp-Session-Id", &long[..129])], &ping, 400),
        ("a stream of too long a session", "GET", vec![EVENTS, ("Mcp-Session-Id", &long)], "", 400),
        ("an end of too long a session", "DELETE", vec![("Mcp-Session-Id", &long)], "", 400),
        ("too long an event", "GET", vec![EVENTS, session, ("Last-Event-ID", &long[..129])], "", 400),
        ("no Accept", "POST", vec![JSON, session], &ping, 200),
        ("any Accept", "POST", vec![JSON, ("Accept", "*/*"), session], &ping, 200),
        ("events only", "POST", vec![JSON, EVENTS, session], &ping, 200),
        ("JSON only", "POST", vec![JSON, ("Accept", "application/json"), session], &ping, 200),
        ("neither", "POST", vec![JSON, ("Accept", "text/html"), session], &ping, 406),
        ("no type", "POST", vec![BOTH, session], &ping, 415),
        ("text", "POST", vec![("Content-Type", "text/plain"), BOTH, session], &ping, 415),
        ("compressed", "POST", vec![JSON, BOTH, session, ("Content-Encoding", "gzip")], &ping, 415),
        ("no JSON", "POST", vec![JSON, BOTH, session], "{", 400),
        ("no message", "POST", vec![JSON, BOTH, session], "7", 400),
        ("nothing", "POST", vec![JSON, BOTH, session], "", 400),
        ("too large", "POST", vec![JSON, BOTH, session], &huge, 413),
        ("a page elsewhere", "POST", vec![JSON, BOTH, session, ("Origin", "https://evil.test")], &ping, 403),
        ("another host", "POST", vec![("Host", "evil.test"), JSON, BOTH, session], &ping, 403),
        ("the stream", "GET", vec![EVENTS, session], "", 200),
        ("the stream of no version", "GET", vec![EVENTS, session, version("1999-01-01")], "", 400),
        ("the stream for nobody", "GET", vec![EVENTS], "", 400),
        ("the stream of the dead", "GET", vec![EVENTS, gone], "", 404),
        ("the stream as JSON", "GET", vec![("Accept", "application/json"), session], "", 406),
        ("an end of no version", "DELETE", vec![session, version("1999-01-01")], "", 400),
        ("an end for nobody", "DELETE", vec![], "", 400),
        ("an end of the dead", "DELETE", vec![gone], "", 404),
        ("PUT", "PUT", vec![session], "", 405),
        ("PATCH", "PATCH", vec![session], "", 405),
        ("OPTIONS", "OPTIONS", vec![session], "", 405),
        ("the end", "DELETE", vec![session], "", 204),
        ("the end again", "DELETE", vec![session], "", 404),
        ("after the end", "POST", vec![JSON, BOTH, session], &ping, 404),
        ("the stream after the end", "GET", vec![EVENTS, session], "", 404),
    ] {
        let answer = served.ask(method, &headers, body).await;
        assert_eq!(answer.status, status, "{what}: {answer:?}");
        if status >= 400 {
            is_refusal(&answer, what);
        }
        if status == 405 {
            assert_eq!(answer.header("allow"), Some("GET, POST, DELETE"), "{what}");
        }
        if matches!(status, 202 | 204) {
            assert_eq!(answer.body, "", "{what}");
        }
        let mints = answer.header("mcp-session-id").is_some();
        assert_eq!(mints, what == "a handshake", "{what}: {answer:?}");
        if mints {
            assert!(answer.header("mcp-session-id").unwrap().bytes().all(|byte| byte.is_ascii_graphic()), "{what}");
        }
    }
}

#[tokio::test]
async fn without_sessions_each_message_stands_alone() {
    let served = Served::start(json!({"sessions": false})).await;
    let version = ("MCP-Protocol-Version", "2025-06-18");
    let begun = served.ask("POST", &[JSON, BOTH], &initialize("2025-06-18").to_string()).await;
    assert_eq!((begun.status, begun.header("mcp-session-id")), (200, None));
    let begun: Value = serde_json::from_str(&begun.body).unwrap();
    assert_eq!(begun["result"]["protocolVersion"], "2025-06-18");
    for (_, capability) in begun["result"]["capabilities"].as_object().unwrap() {
        for promise in ["listChanged", "subscribe"] {
            assert_ne!(capability[promise], true, "nobody could be told: {begun}");
        }
    }
    let notification = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    for (what, method, headers, body, status) in [
        ("a notification", "POST", vec![JSON, BOTH, version], notification, 202),
        ("without a version", "POST", vec![JSON, BOTH], &ping(1).to_string(), 200),
        (
            "a session is nobody's",
            "POST",
            vec![JSON, BOTH, version, ("Mcp-Session-Id", NONSENSE)],
            &ping(1).to_string(),
            200,
        ),
        ("the stream", "GET", vec![EVENTS], "", 405),
        ("the end", "DELETE", vec![], "", 405),
    ] {
        let answer = served.ask(method, &headers, body).await;
        assert_eq!(answer.status, status, "{what}: {answer:?}");
        if status == 405 {
            assert_eq!(answer.header("allow"), Some("POST"), "{what}");
        }
    }
    let sum = served.ask("POST", &[JSON, BOTH, version], &call(5, "quick", json!({})).to_string()).await;
    assert_eq!(text_of(&sum.body), "quick");
    let say = call(6, "say", json!({"tag": "t", "times": 2, "size": 1})).to_string();
    let mut stream = http::open(served.address, "POST", "/mcp", &[JSON, BOTH, version], &say).await;
    for expected in ["t 0", "t 1"] {
        assert!(event(&mut stream).await.unwrap().data.contains(expected));
    }
    assert_eq!(text_of(&event(&mut stream).await.unwrap().data), "t");
    assert_eq!(event(&mut stream).await, None);
    assert_eq!(served.handle.sessions(), 0);
}

#[tokio::test]
async fn without_a_session_a_call_of_an_early_version_goes_on_when_its_stream_is_cut() {
    let served = Served::start(json!({"sessions": false, "limits": {"maxConnections": 1}})).await;
    let headers = [JSON, BOTH, ("MCP-Protocol-Version", "2025-06-18")];
    let steps = call(1, "steps", json!({"times": 2})).to_string();
    let mut stream = http::open(served.address, "POST", "/mcp", &headers, &steps).await;
    assert!(event(&mut stream).await.unwrap().data.contains("step 0"));
    Gate::pass(&served.gate.began).await;
    drop(stream);
    // The one place for connections is free again when the end of the last was seen.
    assert_eq!(served.ask("POST", &[JSON, BOTH], &ping(1).to_string()).await.status, 200);
    served.gate.go.add_permits(2);
    Gate::pass(&served.gate.arrived).await;
}

#[tokio::test]
async fn a_batch_is_answered_as_one_or_on_a_stream() {
    let served = Served::start(json!({"resumability": true})).await;
    let visitor = served.visitor("2025-03-26").await;
    let newer = served.visitor("2025-06-18").await;
    let notification = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    let answer = json!({"jsonrpc": "2.0", "id": 9, "result": {}});
    let alone = json!({"jsonrpc": "2.0", "id": 5, "method": "ping", "params": {"_meta": {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {}}}});
    for (what, visitor, batch, status) in [
        ("requests", &visitor, json!([ping(1), call(2, "quick", json!({})), notification]), 200),
        ("notifications", &visitor, json!([notification, notification]), 202),
        ("answers", &visitor, json!([answer, answer]), 202),
        ("nothing", &visitor, json!([]), 400),
        ("too many", &visitor, json!(vec![ping(1); 101]), 400),
        ("one that speaks for itself", &visitor, json!([ping(1), alone]), 400),
        ("a version without batches", &newer, json!([ping(1)]), 400),
    ] {
        let answer = visitor.post(&batch).await;
        assert_eq!(answer.status, status, "{what}");
        let body = answer.whole().await;
        match status {
            200 => {
                let body: Vec<Value> = serde_json::from_str(&body).expect("an array");
                let mut ids: Vec<_> = body.iter().map(|answer| answer["id"].as_i64().expect("an id")).collect();
                ids.sort_unstable();
                assert_eq!(ids, [1, 2], "{what}");
            }
            202 => assert_eq!(body, "", "{what}"),
            _ => {
                let body: Value = serde_json::from_str(&body).expect("JSON");
                assert_eq!(body["error"]["code"], -32600, "{what}: {body}");
            }
        }
    }
    let handshake = served.ask("POST", &[JSON, BOTH], &json!([initialize("2025-03-26")]).to_string()).await;
    assert_eq!(handshake.status, 400, "{handshake:?}");
    // One of its handlers speaks, one waits.
    let batch =
        json!([call(1, "say", json!({"tag": "t", "times": 1, "size": 1})), call(2, "steps", json!({"times": 1}))]);
    let mut stream = visitor.post(&batch).await;
    assert!(stream.is_stream());
    let mut said = vec![event(&mut stream).await.unwrap().data, event(&mut stream).await.unwrap().data];
    said.sort_by_key(|said| said.contains("step"));
    assert!(said[0].contains("t 0") && said[1].contains("step 0"), "{said:?}");
    served.gate.go.add_permits(1);
    let answers: Vec<Value> = serde_json::from_str(&event(&mut stream).await.unwrap().data).expect("an array");
    assert_eq!(answers.len(), 2);
    assert_eq!(event(&mut stream).await, None);
}

#[tokio::test]
async fn a_session_is_its_owner_s_alone() {
    let keys = json!([{"id": "ada", "key": "key-of-ada"}, {"id": "eve", "key": "key-of-eve"}]);
    let auth = json!({"type": "apikey", "options": {"keys": keys}});
    let served = Served::start(json!({"resumability": true, "auth": auth})).await;
    let (ada, eve) = (("X-API-Key", "key-of-ada"), ("X-API-Key", "key-of-eve"));
    let owner = served.visitor_with(NEWEST_WITH_SESSIONS, &[ada]).await;
    let mut stream = owner.post(&call(1, "steps", json!({"times": 1}))).await;
    let last = event(&mut stream).await.unwrap().id.expect("an id");
    let last = ("Last-Event-ID", last.as_str());
    let session = ("Mcp-Session-Id", owner.session.as_str());
    let nobodys = ("Mcp-Session-Id", NONSENSE);
    let cancel = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}).to_string();
    for (method, headers, body) in [
        ("POST", vec![JSON, BOTH], ping(1).to_string()),
        ("POST", vec![JSON, BOTH], cancel),
        ("GET", vec![EVENTS], String::new()),
        ("GET", vec![EVENTS, last], String::new()),
        ("DELETE", vec![], String::new()),
    ] {
        let with = |more: &[(&'static str, &str)]| -> Vec<(String, String)> {
            let all = headers.iter().copied().chain(more.iter().copied());
            all.map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
        };
        let ask = async |headers: Vec<(String, String)>| {
            let headers: Vec<_> = headers.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
            served.ask(method, &headers, &body).await
        };
        let strange = ask(with(&[session, eve])).await;
        let unknown = ask(with(&[nobodys, eve])).await;
        assert_eq!((strange.status, &strange.body), (404, &unknown.body), "{method}: to others it does not exist");
        assert_eq!(ask(with(&[session])).await.status, 401, "{method}: a session is no credential");
    }
    assert!(event(&mut stream).await.unwrap().data.contains("step 0"));
    served.gate.go.add_permits(1);
    assert_eq!(text_of(&event(&mut stream).await.unwrap().data), "arrived");
}

#[tokio::test]
async fn streams_end_with_the_credential_that_opened_them() {
    const SECRET: &str = "a-secret-of-more-than-thirty-two-bytes";
    let options = json!({"algorithms": ["HS256"], "secret": SECRET, "issuer": "https://issuer.test", "audience": "mcp",
        "leewaySeconds": 0});
    let bearer = |seconds: u64| -> &'static str {
        let claims =
            json!({"iss": "https://issuer.test", "aud": "mcp", "sub": "ada", "exp": identity::now() + seconds});
        // Headers of a visitor last as long as the program.
        Box::leak(format!("Bearer {}", identity::hmac_signed("HS256", SECRET, &claims)).into_boxed_str())
    };
    for (resumability, way) in Listening::each([false, true]) {
        let auth = json!({"type": "jwt", "options": options});
        let served = Served::start_as(way, json!({"resumability": resumability, "auth": auth})).await;
        let lasting = served.visitor_with(NEWEST_WITH_SESSIONS, &[("Authorization", bearer(600))]).await;
        let brief = lasting.with(&[("Authorization", bearer(3))]);
        let mut alone = brief.clone();
        alone.session.clear();
        let mut streams = vec![
            brief.get(None).await,
            brief.post(&call(1, "steps", json!({"times": 1}))).await,
            http::open(served.address, "POST", "/mcp", &listening(&alone), &listen().to_string()).await,
        ];
        for stream in &mut streams {
            assert!(stream.is_stream(), "{stream:?}");
            while event(stream).await.is_some() {}
        }
        assert_eq!(brief.post(&ping(1)).await.status, 401);
        // The session is its owner's still, and the call in it goes on.
        served.gate.go.add_permits(1);
        Gate::pass(&served.gate.arrived).await;
        let own = async {
            while lasting.get(None).await.status == 409 {
                tokio::task::yield_now().await;
            }
        };
        timeout(PATIENCE, own).await.expect("a place for another reader");
    }
}

/// A subscription, and its headers.
fn listen() -> Value {
    json!({"jsonrpc": "2.0", "id": 1, "method": "subscriptions/listen", "params": {
        "_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {}},
        "notifications": {"toolsListChanged": true}}})
}

fn listening(visitor: &Visitor) -> Vec<(&str, &str)> {
    let mut headers = visitor.headers();
    headers.extend([JSON, BOTH, ("MCP-Protocol-Version", "2026-07-28"), ("Mcp-Method", "subscriptions/listen")]);
    headers
}

#[tokio::test]
async fn with_its_session_all_of_a_client_ends() {
    for (resumability, way) in Listening::each([false, true]) {
        let served = Served::start_as(way, json!({"resumability": resumability})).await;
        let visitor = served.visitor(NEWEST_WITH_SESSIONS).await;
        let mut own = visitor.get(None).await;
        let mut calls = Vec::new();
        for id in 1..=3 {
            let mut stream = visitor.post(&call(id, "steps", json!({"times": 2}))).await;
            while !event(&mut stream).await.unwrap().data.contains("step 0") {}
            Gate::pass(&served.gate.began).await;
            calls.push(stream);
        }
        assert_eq!(visitor.delete().await.status, 204);
        for _ in 1..=3 {
            Gate::pass(&served.gate.over).await;
        }
        for stream in &mut calls {
            assert_eq!(event(stream).await, None, "no answer follows");
        }
        while let Some(event) = event(&mut own).await {
            assert_eq!(event.data, "");
        }
        assert_eq!(visitor.get(None).await.status, 404);
        assert_eq!(served.handle.sessions(), 0);
    }
}

#[tokio::test]
async fn a_cancelled_call_has_an_empty_stream() {
    for (resumability, way) in Listening::each([false, true]) {
        let served = Served::start_as(way, json!({"resumability": resumability})).await;
        let visitor = served.visitor(NEWEST_WITH_SESSIONS).await;
        let posted = tokio::spawn({
            let visitor = visitor.clone();
            async move { visitor.post(&call("x", "wait", json!({}))).await }
        });
        Gate::pass(&served.gate.began).await;
        let cancel = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "x"}});
        assert_eq!(visitor.post(&cancel).await.status, 202);
        Gate::pass(&served.gate.over).await;
        let mut stream = posted.await.unwrap();
        assert_eq!((stream.status, stream.is_stream()), (200, true));
        assert_eq!(event(&mut stream).await, None);
    }
}

/// The bytes of a call, in a session or without one.
fn posted(served: &Served, visitor: Option<&Visitor>, tool: &str, arguments: Value) -> String {
    let mut message = call(1, tool, arguments);
    let mut headers = match visitor {
        Some(visitor) => visitor.headers(),
        None => {
            message["params"]["_meta"] = json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientCapabilities": {}, "io.modelcontextprotocol/logLevel": "info"});
            vec![("MCP-Protocol-Version", "2026-07-28"), ("Mcp-Method", "tools/call"), ("Mcp-Name", tool)]
        }
    };
    headers.extend([JSON, BOTH]);
    bytes_of(served, &headers, &message)
}

/// The bytes of a POST.
fn bytes_of(served: &Served, headers: &[(&str, &str)], message: &Value) -> String {
    let headers: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    let (address, body) = (served.address, message.to_string());
    let length = body.len();
    format!("POST /mcp HTTP/1.1\r\nHost: {address}\r\n{headers}Content-Length: {length}\r\n\r\n{body}")
}

/// A connection of its own that has sent these bytes.
async fn sent(served: &Served, bytes: &[u8]) -> TcpStream {
    let mut socket = TcpStream::connect(served.address).await.expect("a connection");
    socket.write_all(bytes).await.expect("bytes out");
    socket
}

#[tokio::test]
async fn a_connection_may_go_away_at_any_byte() {
    // With one place for connections the next one is served when the server has seen the end of the last.
    let limits = json!({"maxConnections": 1});
    for (has_session, resumability) in [(false, false), (true, false), (true, true)] {
        let served = Served::start(json!({"resumability": resumability, "limits": limits})).await;
        let visitor = served.visitor(NEWEST_WITH_SESSIONS).await;
        let request = posted(&served, has_session.then_some(&visitor), "steps", json!({"times": 1}));
        let mut whole = sent(&served, request.as_bytes()).await;
        let mut said = Vec::new();
        while !String::from_utf8_lossy(&said).contains("step 0") {
            timeout(PATIENCE, whole.read_buf(&mut said)).await.expect("bytes in time").expect("bytes");
        }
        let conversation = Shared::at(if has_session { NEWEST_WITH_SESSIONS } else { "2026-07-28" });
        String::from_utf8_lossy(&said)
            .lines()
            .filter_map(|line| line.strip_prefix("data: ").filter(|data| !data.is_empty()))
            .for_each(|message| conversation.observe_received(message));
        served.gate.go.add_permits(1);
        Gate::pass(&served.gate.began).await;
        Gate::pass(&served.gate.over).await;
        Gate::pass(&served.gate.arrived).await;
        drop(whole);
        // In the request: nothing is done.
        for cut in (0..request.len()).step_by(23) {
            drop(sent(&served, &request.as_bytes()[..cut]).await);
        }
        assert_eq!(visitor.post(&ping(1)).await.status, 200);
        assert_eq!(served.gate.began.available_permits(), 0);
        // In the reply: without a session the call ends with it, in a session it goes on.
        for cut in (0..said.len()).step_by(31) {
            let mut socket = sent(&served, request.as_bytes()).await;
            Gate::pass(&served.gate.began).await;
            let mut read = vec![0; cut];
            timeout(PATIENCE, socket.read_exact(&mut read)).await.expect("bytes in time").expect("bytes");
            drop(socket);
            assert_eq!(visitor.post(&ping(1)).await.status, 200, "{cut}");
            if has_session {
                served.gate.go.add_permits(1);
                Gate::pass(&served.gate.arrived).await;
            }
            Gate::pass(&served.gate.over).await;
            assert_eq!(served.gate.arrived.available_permits(), 0, "{cut}");
        }
    }
}

#[tokio::test]
async fn before_its_reply_a_call_ends_with_its_connection_only_without_a_session() {
    let served = Served::start(json!({})).await;
    let visitor = served.visitor(NEWEST_WITH_SESSIONS).await;
    for has_session in [false, true] {
        let request = posted(&served, has_session.then_some(&visitor), "wait", json!({}));
        let socket = sent(&served, request.as_bytes()).await;
        Gate::pass(&served.gate.began).await;
        drop(socket);
        if has_session {
            let again = visitor.post(&call(1, "wait", json!({}))).await.whole().await;
            assert!(again.contains("under way"), "its id is taken as long as it runs: {again}");
            served.gate.go.add_permits(1);
            Gate::pass(&served.gate.arrived).await;
        }
        Gate::pass(&served.gate.over).await;
    }
}

/// Connections that were closed while a call on each was under way.
async fn leave_behind(served: &Served, version: &str, tools: &[(&str, Value)]) {
    let headers = [JSON, BOTH, ("MCP-Protocol-Version", version)];
    for (tool, arguments) in tools {
        let socket = sent(served, bytes_of(served, &headers, &call(1, tool, arguments.clone())).as_bytes()).await;
        Gate::pass(&served.gate.began).await;
        // A reset: whoever only closes his half may listen on.
        socket.set_zero_linger().expect("a socket");
        drop(socket);
    }
}

#[tokio::test]
async fn where_there_are_no_sessions_calls_of_early_versions_outlive_their_connections() {
    // With one place for connections the next one is served when the server has seen the end of the last.
    let served = Served::start(json!({"sessions": false, "limits": {"maxConnections": 1}})).await;
    let tools = [("wait", json!({})), ("steps", json!({"times": 1}))];
    for version in ["2025-03-26", "2025-06-18", NEWEST_WITH_SESSIONS] {
        leave_behind(&served, version, &tools).await;
        assert_eq!(served.ask("POST", &[JSON, BOTH], &ping(1).to_string()).await.status, 200);
        served.gate.go.add_permits(tools.len());
        for _ in &tools {
            Gate::pass(&served.gate.arrived).await;
            Gate::pass(&served.gate.over).await;
        }
    }
}

#[tokio::test]
async fn calls_without_client_and_session_are_bounded_and_end_with_the_server() {
    let served = Served::start(json!({"sessions": false, "limits": {"maxConnections": 1, "maxSessions": 1}})).await;
    let wait = [("wait", json!({})), ("wait", json!({}))];
    leave_behind(&served, NEWEST_WITH_SESSIONS, &wait).await;
    assert_eq!(served.ask("POST", &[JSON, BOTH], &ping(1).to_string()).await.status, 200);
    // Of the two one is too many.
    Gate::pass(&served.gate.over).await;
    served.gate.go.add_permits(1);
    Gate::pass(&served.gate.arrived).await;
    Gate::pass(&served.gate.over).await;
    leave_behind(&served, NEWEST_WITH_SESSIONS, &wait[..1]).await;
    served.handle.shut_down();
    Gate::pass(&served.gate.over).await;
    assert_eq!(served.gate.arrived.available_permits(), 0);
}

#[tokio::test]
async fn the_session_idle_for_longest_makes_room() {
    let served = Served::start(json!({"limits": {"maxSessions": 2, "maxStreams": 1}})).await;
    let visit = async || served.visitor(NEWEST_WITH_SESSIONS).await;
    let status = async |visitor: &Visitor| visitor.post(&ping(1)).await.status;
    let (first, second) = (visit().await, visit().await);
    assert_eq!(status(&first).await, 200);
    let third = visit().await;
    assert_eq!((status(&second).await, status(&first).await, status(&third).await), (404, 200, 200));
    // A stream keeps its session, and streams are counted.
    let stream = first.get(None).await;
    assert_eq!(stream.status, 200);
    assert_eq!(third.get(None).await.status, 503);
    assert_eq!(status(&first).await, 200);
    let posted = tokio::spawn({
        let third = third.clone();
        async move { third.post(&call(1, "wait", json!({}))).await.whole().await }
    });
    Gate::pass(&served.gate.began).await;
    let refused = served.ask("POST", &[JSON, BOTH], &initialize(NEWEST_WITH_SESSIONS).to_string()).await;
    assert_eq!(refused.status, 503, "all are in use: {refused:?}");
    is_refusal(&refused, "all are in use");
    served.gate.go.add_permits(1);
    assert_eq!(text_of(&posted.await.unwrap()), "waited");
    let fourth = visit().await;
    assert_eq!((status(&third).await, status(&first).await, status(&fourth).await), (404, 200, 200));
    assert_eq!(served.handle.sessions(), 2);
}

#[tokio::test]
async fn sessions_that_are_abandoned_leave_nothing() {
    let served = Served::start(json!({"resumability": true, "limits": {"maxSessions": 64}})).await;
    for _ in 0..500 {
        let visitor = served.visitor(NEWEST_WITH_SESSIONS).await;
        drop(visitor.post(&call(1, "say", json!({"tag": "t", "times": 2, "size": 100}))).await);
        assert!(served.handle.sessions() <= 64);
    }
    let brief = Served::start(json!({"limits": {"sessionIdleSeconds": 0.1, "sessionUnusedSeconds": 0.1}})).await;
    brief.visitor(NEWEST_WITH_SESSIONS).await;
    let ended = async {
        while brief.handle.sessions() > 0 {
            tokio::task::yield_now().await;
        }
    };
    timeout(PATIENCE, ended).await.expect("idle sessions end");
}

#[tokio::test]
async fn a_reader_that_does_not_read_is_cut_off_and_its_session_lives() {
    for (resumability, way) in Listening::each([false, true]) {
        let limits = json!({"streamQueueMessages": 16, "streamQueueBytes": 100_000});
        let served = Served::start_as(way, json!({"resumability": resumability, "limits": limits})).await;
        let visitor = served.visitor(NEWEST_WITH_SESSIONS).await;
        let mut lazy = visitor.post(&call(1, "say", json!({"tag": "t", "times": 800, "size": 20_000}))).await;
        // It ends although nobody reads: the id is free again.
        let ended = async {
            loop {
                let answer = visitor.post(&call(1, "quick", json!({}))).await.whole().await;
                if !answer.contains("under way") {
                    return text_of(&answer);
                }
                tokio::task::yield_now().await;
            }
        };
        let text = timeout(PATIENCE, ended).await.expect("an end in time");
        assert_eq!(text, "quick");
        let (mut read, mut last) = (0, None);
        while let Some(event) = event(&mut lazy).await {
            read += 1;
            last = event.id.or(last);
        }
        assert!(read < 800, "it was cut off");
        if resumability {
            let mut stream = visitor.get(last.as_deref()).await;
            let mut answer = String::new();
            while let Some(event) = event(&mut stream).await {
                answer = event.data;
            }
            assert_eq!(text_of(&answer), "t", "the end is kept");
        }
    }
}

#[tokio::test]
async fn the_fixture_is_the_same_with_and_without_resumability() {
    // The macros' own server, so that nothing of this file's makes it work.
    let mut options = ServerOptions::new("fixture", "1.2.3");
    let sse = mcp_runtime::SseOptions { port: 0, resumability: true, ..Default::default() };
    options.transport = mcp_runtime::TransportOptions::Sse(sse);
    let bound = fixture::server().with_options(options).bind().await.expect("a server that starts");
    let (address, handle) = (bound.local_addr().expect("a listener"), bound.handle());
    let serving = tokio::spawn(bound.serve());
    let begun =
        http::request(address, "POST", "/mcp", &[JSON, BOTH], &initialize(NEWEST_WITH_SESSIONS).to_string()).await;
    let session = ("Mcp-Session-Id", begun.header("mcp-session-id").expect("a session"));
    let add = call(1, "add", json!({"a": 2, "b": 3})).to_string();
    let sum = http::request(address, "POST", "/mcp", &[JSON, BOTH, session], &add).await;
    assert_eq!((sum.header("content-type"), text_of(&sum.body).as_str()), (Some("application/json"), "5"));
    let mut stream = http::open(address, "POST", "/mcp", &[JSON, EVENTS, session], &add).await;
    let answer = loop {
        let event = event(&mut stream).await.expect("an event");
        assert!(event.id.is_some());
        if !event.data.is_empty() {
            break event.data;
        }
    };
    assert_eq!(text_of(&answer), "5");
    handle.shut_down();
    serving.await.unwrap().unwrap();
}

#[tokio::test]
async fn who_takes_no_stream_gets_the_answer_alone() {
    let stateless = json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {}, "io.modelcontextprotocol/logLevel": "debug"});
    for ((sessions, resumability), way) in Listening::each([(true, false), (true, true), (false, false)]) {
        let served = Served::start_as(way, json!({"sessions": sessions, "resumability": resumability})).await;
        let session = match sessions {
            true => Some(served.visitor(NEWEST_WITH_SESSIONS).await.session),
            false => None,
        };
        for accept in ["application/json", "application/json, text/event-stream;q=0", "application/*"] {
            let accept = ("Accept", accept);
            let mut legacy = vec![JSON, accept, ("MCP-Protocol-Version", NEWEST_WITH_SESSIONS)];
            legacy.extend(session.as_ref().map(|session| ("Mcp-Session-Id", session.as_str())));
            let own = [("MCP-Protocol-Version", "2026-07-28"), ("Mcp-Method", "tools/call"), ("Mcp-Name", "say")];
            let own = [vec![JSON, accept], own.to_vec()].concat();
            // It speaks before its first turn is over, and after.
            let mut message = call(1, "say", json!({"tag": "told", "times": 5, "size": 1}));
            for (headers, meta) in [(legacy, Value::Null), (own, stateless.clone())] {
                if !meta.is_null() {
                    message["params"]["_meta"] = meta;
                }
                let answer = served.ask("POST", &headers, &message.to_string()).await;
                assert_eq!(
                    (answer.status, answer.header("content-type")),
                    (200, Some("application/json")),
                    "{headers:?}"
                );
                assert_eq!(text_of(&answer.body), "told", "{headers:?}");
            }
        }
    }
}
