//! Requests that speak for themselves: the order of what they are refused for, and both eras side by side.

use mcp_test_support::{
    Running, STATELESS, Transport,
    http::{self, Answer},
};
use serde_json::{Value, json};

use crate::fixture;

const VERSION: &str = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
const LEVEL: &str = "io.modelcontextprotocol/logLevel";

/// A request, and what its headers say; what is not said here is as it should be.
#[derive(Clone)]
struct Asked {
    method: &'static str,
    params: Value,
    meta: Value,
    /// In place of the header that is right; without a value it is left out.
    headers: Vec<(&'static str, Option<&'static str>)>,
}

impl Asked {
    fn new(method: &'static str, params: Value) -> Self {
        let meta = json!({VERSION: STATELESS, CAPABILITIES: {}});
        Self { method, params, meta, headers: Vec::new() }
    }

    fn meta(mut self, meta: Value) -> Self {
        self.meta = meta;
        self
    }

    fn header(mut self, name: &'static str, value: Option<&'static str>) -> Self {
        self.headers.push((name, value));
        self
    }

    async fn answer(&self, running: &Running) -> Answer {
        let mut params = self.params.clone();
        params["_meta"] = self.meta.clone();
        let name = params["name"].as_str().or(params["uri"].as_str()).map(str::to_owned);
        let right = [
            ("Content-Type", Some("application/json".to_owned())),
            ("Accept", Some("application/json, text/event-stream".to_owned())),
            ("MCP-Protocol-Version", Some(STATELESS.to_owned())),
            ("Mcp-Method", Some(self.method.to_owned())),
            ("Mcp-Name", name),
        ];
        let changed = |name: &str| self.headers.iter().any(|(given, _)| *given == name);
        let mut headers: Vec<_> = right
            .iter()
            .filter(|(name, _)| !changed(name))
            .filter_map(|(name, value)| Some((*name, value.as_deref()?)))
            .collect();
        headers.extend(self.headers.iter().filter_map(|(name, value)| Some((*name, (*value)?))));
        let body = json!({"jsonrpc": "2.0", "id": 7, "method": self.method, "params": params}).to_string();
        http::request(running.address.expect("a listener"), "POST", "/mcp", &headers, &body).await
    }
}

/// The status and the code of a refusal; 0 for a result.
async fn check(running: &Running, asked: &Asked, status: u16, code: i64) -> Value {
    let what = format!("{} {} {:?}", asked.method, asked.params, asked.headers);
    let answer = asked.answer(running).await;
    let body: Value = serde_json::from_str(&answer.body).unwrap_or_else(|error| panic!("{what}: {error}: {answer:?}"));
    assert_eq!((answer.status, body["error"]["code"].as_i64().unwrap_or(0)), (status, code), "{what}: {body}");
    assert_eq!(body["id"], 7, "{what}: every answer names its request");
    assert_eq!(answer.header("mcp-session-id"), None, "{what}");
    body
}

#[tokio::test]
async fn requests_are_refused_for_the_first_thing_that_is_wrong() {
    let running = Running::start(Transport::Http, fixture::server).await;
    let list = || Asked::new("tools/list", json!({}));
    let discover = || Asked::new("server/discover", json!({}));
    let call = |name: &str, arguments: Value| Asked::new("tools/call", json!({"name": name, "arguments": arguments}));
    let add = || call("add", json!({"a": 1, "b": 2}));
    let meta = |version: Value| json!({VERSION: version, CAPABILITIES: {}});
    let version = "MCP-Protocol-Version";
    let listen = |uris: usize| {
        let uris: Vec<_> = (0..uris).map(|number| format!("test://{number}")).collect();
        Asked::new("subscriptions/listen", json!({"notifications": {"resourceSubscriptions": uris}}))
    };
    let routed = || call("routed", json!({"region": "eu", "rank": 42}));
    for (asked, status, code) in [
        (list(), 200, 0),
        (list().meta(json!({VERSION: STATELESS, CAPABILITIES: {}, "io.modelcontextprotocol/clientInfo": 5})), 200, 0),
        // The version: what the header and the message say, then whether it exists.
        (list().header(version, None), 400, -32020),
        (list().meta(json!({})), 400, -32602),
        (list().meta(json!({"progressToken": 1})), 400, -32602),
        (list().meta(json!({VERSION: STATELESS})), 400, -32602),
        (list().meta(json!({VERSION: STATELESS, CAPABILITIES: []})), 400, -32602),
        (list().meta(json!({CAPABILITIES: {}})), 400, -32602),
        (list().meta(meta(json!(5))), 400, -32602),
        (list().meta(meta(Value::Null)), 400, -32602),
        (list().meta(meta(json!("1900-01-01"))), 400, -32020),
        (list().meta(meta(json!("2025-11-25"))), 400, -32020),
        (list().meta(meta(json!("1900-01-01"))).header(version, Some("1900-01-01")), 400, -32022),
        (list().meta(meta(json!("2025-11-25"))).header(version, Some("2025-11-25")), 400, -32022),
        (list().meta(Value::Null).header(version, Some("1900-01-01")), 400, -32022),
        (list().header(version, Some("2026-07-28 ")), 200, 0),
        // The method and the name.
        (list().header("Mcp-Method", None), 400, -32020),
        (list().header("Mcp-Method", Some("tools/call")), 400, -32020),
        (list().header("Mcp-Method", Some("TOOLS/LIST")), 400, -32020),
        (list().header("Mcp-Method", Some("  tools/list  ")), 200, 0),
        (list().header("Mcp-Method", Some("tools/list")).header("Mcp-Method", Some("ping")), 400, -32020),
        // Twice the same is once too often.
        (list().header("Mcp-Method", Some("tools/list")).header("Mcp-Method", Some("tools/list")), 400, -32020),
        (list().header(version, Some(STATELESS)).header(version, Some(STATELESS)), 400, -32020),
        (list().meta(json!({})).header(version, Some(STATELESS)).header(version, Some(STATELESS)), 400, -32020),
        (add().header("Mcp-Name", Some("add")).header("Mcp-Name", Some("add")), 400, -32020),
        (add(), 200, 0),
        (add().header("Mcp-Name", None), 400, -32020),
        (add().header("Mcp-Name", Some("echo")), 400, -32020),
        (add().header("Mcp-Name", Some("=?base64?YWRk?=")), 200, 0),
        (add().header("Mcp-Name", Some("=?base64?YWR?=")), 400, -32020),
        (
            Asked::new("resources/read", json!({"uri": "test://fixed"})).header("Mcp-Name", Some("test://b")),
            400,
            -32020,
        ),
        // What is asked for.
        (Asked::new("initialize", json!({"protocolVersion": "2025-11-25"})), 404, -32601),
        (Asked::new("ping", json!({})), 404, -32601),
        (Asked::new("logging/setLevel", json!({"level": "debug"})), 404, -32601),
        (Asked::new("no/such", json!({})), 404, -32601),
        (Asked::new("no/such", json!({})).header("Mcp-Method", Some("other")), 400, -32020),
        (Asked::new("tools/call", json!({})), 200, -32602),
        (call("nothing", json!({})), 200, -32602),
        (Asked::new("resources/read", json!({"uri": "test://nothing"})), 200, -32602),
        // Arguments that headers repeat.
        (routed().header("Mcp-Param-Region", Some("eu")).header("Mcp-Param-Rank", Some("42")), 200, 0),
        (routed().header("Mcp-Param-Region", Some("=?base64?ZXU=?=")).header("mcp-param-rank", Some("42.0")), 200, 0),
        (routed().header("Mcp-Param-Region", Some("us")).header("Mcp-Param-Rank", Some("42")), 400, -32020),
        (routed().header("Mcp-Param-Region", Some("eu")), 400, -32020),
        (
            routed()
                .header("Mcp-Param-Region", Some("eu"))
                .header("Mcp-Param-Region", Some("eu"))
                .header("Mcp-Param-Rank", Some("42")),
            400,
            -32020,
        ),
        (routed(), 400, -32020),
        (call("routed", json!({"region": null})), 200, 0),
        (call("routed", json!({})).header("Mcp-Param-Region", Some("eu")), 200, 0),
        (call("routed", json!({"region": 5})), 400, -32020),
        (call("routed", json!({"region": 5})).header("Mcp-Param-Region", Some("5")), 200, 0),
        (call("nothing", json!({"region": "eu"})), 200, -32602),
        // As many resources as may be watched, and one more.
        (listen(1001), 400, -32602),
        // The level and the token, which are looked at last.
        (add().meta(json!({VERSION: STATELESS, CAPABILITIES: {}, LEVEL: "loud"})), 200, -32602),
        (list().meta(json!({VERSION: STATELESS, CAPABILITIES: {}, LEVEL: "loud"})), 200, -32602),
        (list().meta(json!({VERSION: STATELESS, CAPABILITIES: {}, "progressToken": {}})), 200, -32602),
        (list().meta(json!({VERSION: STATELESS, CAPABILITIES: {}, LEVEL: "debug"})), 200, 0),
        (discover().meta(json!({VERSION: STATELESS, CAPABILITIES: {}, LEVEL: 5})), 200, -32602),
        (discover(), 200, 0),
    ] {
        check(&running, &asked, status, code).await;
    }
    let asked = list().meta(meta(json!("1900-01-01"))).header(version, Some("1900-01-01"));
    let refusal = check(&running, &asked, 400, -32022).await;
    assert_eq!(refusal["error"]["data"], json!({"supported": [STATELESS], "requested": "1900-01-01"}));
}

#[tokio::test]
async fn notifications_of_the_newest_version_are_taken_and_dropped() {
    let running = Running::start(Transport::Http, fixture::server).await;
    let body = json!({"jsonrpc": "2.0", "method": "notifications/unheard_of"}).to_string();
    let headers = [("Content-Type", "application/json"), ("MCP-Protocol-Version", STATELESS)];
    let address = running.address.expect("a listener");
    let answer = http::request(address, "POST", "/mcp", &headers, &body).await;
    assert_eq!((answer.status, answer.body.as_str()), (202, ""));
    let answer = http::request(address, "POST", "/mcp", &headers[..1], &body).await;
    assert_eq!(answer.status, 400, "it belongs to no session, and does not speak for itself");
}

#[tokio::test]
async fn both_eras_share_a_pipe_and_an_endpoint() {
    for transport in [Transport::Memory, Transport::Stdio, Transport::Http] {
        let running = Running::start(transport, fixture::server).await;
        let mut wire = running.connect().await;
        let own = json!({VERSION: STATELESS, CAPABILITIES: {}});
        let discovered = wire.result("server/discover", json!({"_meta": own})).await;
        assert_eq!(discovered["supportedVersions"], json!([STATELESS]), "{transport:?}");
        assert_eq!(discovered["instructions"], "How to use the fixture.");
        let agreed = wire.initialize("2025-06-18").await;
        assert_eq!(agreed["result"]["protocolVersion"], "2025-06-18", "{transport:?}");
        for _ in 0..2 {
            let numbers = wire.result("tools/call", json!({"name": "numbers", "_meta": own})).await;
            assert_eq!(numbers["resultType"], "complete", "{transport:?}");
            assert_eq!(numbers["structuredContent"], json!([1, 2, 3]), "{transport:?}");
            let numbers = wire.call("numbers", json!({})).await;
            assert_eq!(numbers.get("resultType"), None, "{transport:?}");
            assert_eq!(numbers["structuredContent"], json!({"result": [1, 2, 3]}), "{transport:?}");
        }
        // Nothing of the session holds for who speaks for himself: it wants no log lines.
        wire.result("logging/setLevel", json!({"level": "debug"})).await;
        let id = wire.start("tools/call", json!({"name": "log", "_meta": own})).await;
        assert_eq!(wire.receive().await["id"], id, "{transport:?}");
    }
}

#[tokio::test]
async fn a_request_that_fails_to_speak_for_itself_is_told_why() {
    for transport in [Transport::Memory, Transport::Stdio] {
        let running = Running::start(transport, fixture::server).await;
        let mut wire = running.connect().await;
        for (id, params, code) in [
            (1, format!(r#"{{"_meta":{{"{VERSION}":"{STATELESS}"}},"_meta":{{}}}}"#), -32602),
            (2, format!(r#"{{"_meta":{{"{VERSION}":"{STATELESS}","{VERSION}":"{STATELESS}"}}}}"#), -32602),
            (3, "{}".to_owned(), -32600),
        ] {
            let text = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/list","params":{params}}}"#);
            wire.send_text(&text).await;
            let answer = wire.answer(&json!(id)).await;
            assert_eq!(answer["error"]["code"], code, "{transport:?}: {text}: {answer}");
        }
    }
}

#[tokio::test]
async fn how_long_results_keep_is_said() {
    use std::time::Duration;

    use mcp_runtime::{McpServer, protocol::CacheScope};
    let server: fn() -> McpServer = || fixture::server().cache(Duration::from_secs(60), CacheScope::Public);
    for transport in [Transport::Memory, Transport::Stdio, Transport::Http] {
        let running = Running::start(transport, server).await;
        let mut wire = running.connect_as(STATELESS).await;
        for (method, params) in [
            ("server/discover", json!({})),
            ("tools/list", json!({})),
            ("resources/list", json!({})),
            ("resources/templates/list", json!({})),
            ("prompts/list", json!({})),
            ("resources/read", json!({"uri": "test://fixed"})),
        ] {
            let answer = wire.request(method, params).await;
            let keeps = (&answer["result"]["ttlMs"], &answer["result"]["cacheScope"]);
            assert_eq!(keeps, (&json!(60_000), &json!("public")), "{transport:?}: {method}");
        }
    }
}
