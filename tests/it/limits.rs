//! Each bound by what it changes: one request to a server with the default, and to one where less is allowed.

use std::{
    collections::HashMap,
    sync::{
        Condvar, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};

use mcp_runtime::prelude::*;
use mcp_test_support::{
    PATIENCE, Running, Transport,
    http::{EventStream, request},
};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader, DuplexStream, ReadHalf, WriteHalf},
    time::timeout,
};

use crate::fixture;

#[mcp_server(name = "bounded", version = "1.0.0")]
mod bounded {
    use super::*;

    /// Waits for ever
    #[mcp_tool]
    async fn hang() -> String {
        std::future::pending().await
    }

    /// Gets on for ever
    #[mcp_tool]
    async fn diligent(context: Context) -> String {
        for step in 0_u64.. {
            tokio::time::sleep(std::time::Duration::from_millis(10)).await;
            context.progress(step, None::<f64>).await;
        }
        unreachable!("there are always more")
    }

    /// Says much at once
    #[mcp_tool]
    async fn burst(context: Context, #[mcp(default = 20)] times: u32) -> String {
        for step in 0..times {
            context.progress(step, times).await;
        }
        "said".to_owned()
    }

    /// Says of twenty resources that they have changed
    #[mcp_tool]
    fn announce(handle: Handle) -> String {
        (0..20).for_each(|number| handle.resource_updated(format!("test://{number}")));
        "said".to_owned()
    }

    /// One of many
    #[mcp_resource(uri = "test://{number}")]
    fn one(number: u32) -> String {
        number.to_string()
    }

    /// So many KiB, after a turn of the executor
    #[mcp_tool]
    async fn large(kib: usize) -> String {
        tokio::task::yield_now().await;
        MADE.fetch_add(1, Ordering::SeqCst);
        "x".repeat(kib * 1024)
    }

    /// Asks where the client works
    #[mcp_tool]
    async fn places(context: Context) -> Result<usize, ToolError> {
        Ok(context.roots().await?.len())
    }

    /// Blocks its thread until all may go on
    #[mcp_tool(blocking)]
    fn block() -> String {
        let mut open = GATE.0.lock().expect("not poisoned");
        while !*open {
            open = GATE.1.wait(open).expect("not poisoned");
        }
        "unblocked".to_owned()
    }
}

/// How much that is large was made.
static MADE: AtomicUsize = AtomicUsize::new(0);

static GATE: (Mutex<bool>, Condvar) = (Mutex::new(false), Condvar::new());

/// Lets go of those who block, also when the test fails: the runtime waits for them.
struct Opening;

impl Drop for Opening {
    fn drop(&mut self) {
        *GATE.0.lock().expect("not poisoned") = true;
        GATE.1.notify_all();
    }
}

/// A running server with these limits.
struct Bounded {
    address: std::net::SocketAddr,
    handle: mcp_runtime::Handle,
}

impl Bounded {
    async fn start(limits: &Value) -> Self {
        let transport = json!({"type": "sse", "options": {"port": 0, "limits": limits}});
        let options = serde_json::from_value(json!({"name": "bounded", "transport": transport})).expect("options");
        let bound = bounded::server().with_options(options).bind().await.expect("a server that starts");
        let (address, handle) = (bound.local_addr().expect("a listener"), bound.handle());
        tokio::spawn(bound.serve());
        Self { address, handle }
    }

    /// A stream whose session speaks the version that knows batches.
    async fn session(&self) -> EventStream {
        let mut stream = EventStream::open(self.address, "/sse").await;
        let params = json!({"protocolVersion": "2025-03-26"});
        let initialize = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params});
        assert_eq!(self.post(&stream, &initialize.to_string()).await, 202);
        assert!(stream.message().await.contains("2025-03-26"));
        stream
    }

    async fn post(&self, stream: &EventStream, body: &str) -> u16 {
        let headers = [("Content-Type", "application/json")];
        request(self.address, "POST", &stream.endpoint, &headers, body).await.status
    }
}

impl Drop for Bounded {
    fn drop(&mut self) {
        self.handle.shut_down();
    }
}

fn call(id: u32, tool: &str) -> String {
    let params = json!({"name": tool, "_meta": {"progressToken": id}});
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}).to_string()
}

#[tokio::test]
async fn of_heads() {
    let wide = "x".repeat(200);
    let many: Vec<_> = (0..20).map(|n| (format!("X-{n}"), "x")).collect();
    let many: Vec<_> = many.iter().map(|(name, value)| (name.as_str(), *value)).collect();
    let long_path = format!("/health?{wide}");
    for (limit, path, headers, status) in [
        (json!({"maxRequestLineBytes": 100}), &*long_path, &[][..], 414),
        (json!({"maxHeaderBytes": 150}), "/health", &[("X", &*wide)], 431),
        (json!({"maxHeaders": 10}), "/health", &many, 431),
    ] {
        for (limits, expected) in [(json!({}), 200), (limit, status)] {
            let server = Bounded::start(&limits).await;
            assert_eq!(request(server.address, "GET", path, headers, "").await.status, expected, "{limits}");
        }
    }
}

#[tokio::test]
async fn of_messages() {
    let ping = |id: u32| json!({"jsonrpc": "2.0", "id": id, "method": "ping"});
    let deep =
        format!(r#"{{"jsonrpc":"2.0","id":1,"method":"ping","params":{{"x":{}{}}}}}"#, "[".repeat(9), "]".repeat(9));
    for (limit, body, status) in [
        (json!({"maxBodyBytes": 300}), format!("{}{}", ping(1), " ".repeat(300)), 413),
        (json!({"maxJsonDepth": 8}), deep, 400),
        (json!({"maxBatch": 2}), json!([ping(1), ping(2), ping(3)]).to_string(), 400),
    ] {
        for (limits, expected) in [(json!({}), 202), (limit, status)] {
            let server = Bounded::start(&limits).await;
            let stream = server.session().await;
            assert_eq!(server.post(&stream, &body).await, expected, "{limits}");
        }
    }
}

#[tokio::test]
async fn of_clients() {
    for (limits, expected) in [(json!({}), 200), (json!({"maxSessions": 1}), 503), (json!({"maxStreams": 1}), 503)] {
        let server = Bounded::start(&limits).await;
        let _first = server.session().await;
        let second = request(server.address, "GET", "/sse", &[], "").await;
        assert_eq!(second.status, expected, "{limits}");
        assert_eq!(second.header("retry-after"), (expected == 503).then_some("5"), "{limits}");
    }
}

#[tokio::test]
async fn of_calls() {
    for (limits, tool) in [(json!({"callTimeoutSeconds": 0.2}), "hang"), (json!({"maxCallSeconds": 0.2}), "diligent")] {
        let server = Bounded::start(&limits).await;
        let mut stream = server.session().await;
        assert_eq!(server.post(&stream, &call(7, tool)).await, 202);
        let answer = timeout(PATIENCE, async {
            loop {
                let message: Value = serde_json::from_str(&stream.message().await).expect("JSON");
                if message["id"] == 7 {
                    return message;
                }
            }
        });
        let answer = answer.await.expect("an end in time");
        assert_eq!(answer["error"]["code"], -32603, "{limits}: {answer}");
    }
}

#[tokio::test]
async fn of_calls_on_a_pipe_that_wait_for_a_place() {
    fn narrow() -> McpServer {
        let mut limits = mcp_runtime::Limits::default();
        limits.max_requests_per_session = Some(1);
        bounded::server().limits(limits)
    }
    let running = Running::start(Transport::Stdio, narrow).await;
    let mut wire = running.connect_as("2025-11-25").await;
    let cancel = |id: u32| json!({"requestId": id});
    wire.send_text(&call(100, "hang")).await;
    // All of these are held back, but those that are cancelled, whatever came of the id before.
    for id in [101, 102, 103, 104] {
        wire.send_text(&call(id, "burst")).await;
    }
    for id in [101, 103, 105] {
        wire.notify("notifications/cancelled", cancel(id)).await;
    }
    wire.send_text(&call(104, "burst")).await;
    let twice = wire.answer(&json!(104)).await;
    assert_eq!(twice["error"]["code"], -32600, "{twice}: its id is taken while it is held");
    for (id, method) in [(101, "ping"), (106, "ping"), (103, "tools/list")] {
        wire.send(&json!({"jsonrpc": "2.0", "id": id, "method": method})).await;
        assert!(wire.answer(&json!(id)).await["result"].is_object(), "{id}");
    }
    for id in [103, 105] {
        wire.send_text(&call(id, "burst")).await;
    }
    wire.notify("notifications/cancelled", cancel(100)).await;
    for id in [102, 104, 103, 105] {
        assert_eq!(wire.answer(&json!(id)).await["result"]["content"][0]["text"], "said", "{id}");
    }
    // What was cancelled has been forgotten, not kept for later.
    assert_eq!(wire.rest().await, Vec::<String>::new());
}

/// A server at the other end of a pipe that holds so many bytes each way.
fn pipe(server: McpServer, bytes: usize) -> (ReadHalf<DuplexStream>, WriteHalf<DuplexStream>) {
    let (client, end) = tokio::io::duplex(bytes);
    let (reader, writer) = tokio::io::split(end);
    tokio::spawn(server.serve_streams(reader, writer));
    tokio::io::split(client)
}

/// The first line of a client that has roots.
fn hello() -> String {
    let hello = json!({"protocolVersion": "2025-11-25", "capabilities": {"roots": {}},
        "clientInfo": {"name": "c", "version": "1"}});
    format!("{}\n", json!({"jsonrpc": "2.0", "id": "hello", "method": "initialize", "params": hello}))
}

#[tokio::test]
async fn of_calls_on_a_pipe_that_are_read_before_their_time() {
    // More than are held back, by a client that reads while each of them says something.
    const CALLS: usize = 1500;
    let (reader, mut writer) = pipe(fixture::server(), 16 * 1024 * 1024);
    let mut said = hello();
    for id in 0..CALLS {
        let params = json!({"name": "count", "arguments": {"to": 20}, "_meta": {"progressToken": id}});
        let call = json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params});
        said.push_str(&format!("{call}\n"));
    }
    writer.write_all(said.as_bytes()).await.expect("the server reads");
    let (mut answered, mut lines) = (0, BufReader::new(reader).lines());
    while answered < CALLS {
        let line = timeout(PATIENCE, lines.next_line()).await.unwrap_or_else(|_| panic!("{answered} are answered"));
        let line = line.expect("the server writes").expect("the server goes on");
        let message: Value = serde_json::from_str(&line).expect("JSON");
        if message["id"].is_u64() {
            assert_eq!(message["result"]["content"][0]["text"], "20", "{message}");
            answered += 1;
        }
    }
}

#[tokio::test]
async fn of_calls_on_a_pipe_that_ask_before_their_time() {
    // Places, what is held back, and more: its answers must be heard all the same.
    const CALLS: usize = 1500;
    let (reader, mut writer) = pipe(bounded::server(), 16 * 1024 * 1024);
    let mut said = hello();
    for id in 0..CALLS {
        let call = json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": "places"}});
        said.push_str(&format!("{call}\n"));
    }
    writer.write_all(said.as_bytes()).await.expect("the server reads");
    let (mut ends, mut lines) = (HashMap::new(), BufReader::new(reader).lines());
    while ends.len() < CALLS {
        let line = timeout(PATIENCE, lines.next_line()).await.unwrap_or_else(|_| panic!("{} are answered", ends.len()));
        let line = line.expect("the server writes").expect("the server goes on");
        let message: Value = serde_json::from_str(&line).expect("JSON");
        if message["method"] == "roots/list" {
            let answer = json!({"jsonrpc": "2.0", "id": message["id"], "result": {"roots": []}});
            writer.write_all(format!("{answer}\n").as_bytes()).await.expect("the server reads");
        } else if let Some(id) = message["id"].as_u64() {
            let is_done = message["result"]["content"][0]["text"] == "0";
            assert!(is_done || message["error"]["code"] == -32603, "{message}");
            assert_eq!(ends.insert(id, is_done), None, "{message}");
        }
    }
    // Those that were held back are called, and only what came when that was too much is refused.
    assert!(ends.values().filter(|is_done| **is_done).count() >= 1024 + 64, "{ends:?}");
}

#[tokio::test]
async fn of_a_pipe_that_takes_much_at_once() {
    const CALLS: usize = 30;
    let (mut reader, mut writer) = pipe(bounded::server(), 1024 * 1024);
    let mut said = hello();
    for id in 0..CALLS {
        let params = json!({"name": "large", "arguments": {"kib": 100}});
        let call = json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params});
        said.push_str(&format!("{call}\n"));
    }
    writer.write_all(said.as_bytes()).await.expect("the server reads");
    writer.shutdown().await.expect("the end of the input");
    // By then the pipe is full, what is to be written next is as much as may be, and the rest waits behind it.
    while MADE.load(Ordering::SeqCst) < CALLS {
        tokio::task::yield_now().await;
    }
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    let mut text = String::new();
    timeout(PATIENCE, reader.read_to_string(&mut text)).await.expect("the server ends").expect("UTF-8");
    assert_eq!(text.lines().count(), CALLS + 1);
}

#[tokio::test]
async fn of_what_is_said_at_once() {
    // More than may wait for a reader: whoever says it waits for him.
    const TIMES: u32 = 1000;
    for transport in Transport::ALL {
        for version in transport.versions() {
            let running = Running::start(transport, bounded::server).await;
            let mut wire = running.connect_as(version).await;
            let params = json!({"name": "burst", "arguments": {"times": TIMES}, "_meta": {"progressToken": "p"}});
            let id = wire.start("tools/call", params).await;
            for step in 0..TIMES {
                let said = wire.receive().await;
                assert_eq!(said["params"]["progress"], step, "{transport:?} at {version}: {said}");
            }
            let answer = wire.answer(&json!(id)).await;
            assert_eq!(answer["result"]["content"][0]["text"], "said", "{transport:?} at {version}: {answer}");
        }
    }
}

#[tokio::test]
async fn of_a_queue_that_nobody_reads() {
    for (limits, stays) in [(json!({}), true), (json!({"streamQueueMessages": 10}), false)] {
        let server = Bounded::start(&limits).await;
        let mut stream = server.session().await;
        for number in 0..20 {
            let params = json!({"uri": format!("test://{number}")});
            let id = 100 + number;
            let watch = json!({"jsonrpc": "2.0", "id": id, "method": "resources/subscribe", "params": params});
            assert_eq!(server.post(&stream, &watch.to_string()).await, 202);
            stream.message().await;
        }
        // All in one turn of the only thread: nobody can read meanwhile, and who announces does not wait.
        assert_eq!(server.post(&stream, &call(7, "announce")).await, 202);
        let mut last = None;
        while let Some(event) = timeout(PATIENCE, stream.event()).await.expect("an event in time") {
            let is_answer = event.1.contains(r#""id":7"#);
            last = Some(event);
            if is_answer {
                break;
            }
        }
        let is_answered = last.is_some_and(|(_, data)| data.contains("said"));
        assert_eq!(is_answered, stays, "{limits}: the stream is closed instead");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn of_blocking_calls() {
    let opening = Opening;
    // One has the thread, one waits for it, and there is no room for a third.
    let server = Bounded::start(&json!({"maxBlockingThreads": 1, "blockingQueue": 1})).await;
    let mut stream = server.session().await;
    for id in 1..=3 {
        assert_eq!(server.post(&stream, &call(id, "block")).await, 202);
    }
    let refused: Value = serde_json::from_str(&stream.message().await).expect("JSON");
    assert_eq!((&refused["id"], &refused["error"]["code"]), (&json!(3), &json!(-32603)), "{refused}");
    // On Streamable HTTP the refusal has a status.
    let session = visit(&server).await;
    let meta = json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {}});
    let own = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "block", "_meta": meta}});
    let json = ("Content-Type", "application/json");
    for (headers, message) in [
        (vec![json, ("Mcp-Session-Id", &*session)], call(2, "block")),
        (
            vec![json, ("MCP-Protocol-Version", "2026-07-28"), ("Mcp-Method", "tools/call"), ("Mcp-Name", "block")],
            own.to_string(),
        ),
    ] {
        let answer = request(server.address, "POST", "/mcp", &headers, &message).await;
        let body: Value = serde_json::from_str(&answer.body).expect("JSON");
        assert_eq!((answer.status, &body["error"]["code"], &body["id"]), (503, &json!(-32603), &json!(2)), "{body}");
        assert_eq!(answer.header("retry-after"), Some("5"), "{answer:?}");
    }
    drop(opening);
    // Whichever answers first.
    let mut answered = Vec::new();
    for _ in 0..2 {
        let answer: Value = serde_json::from_str(&stream.message().await).expect("JSON");
        assert_eq!(answer["result"]["content"][0]["text"], "unblocked", "{answer}");
        answered.push(answer["id"].as_u64());
    }
    answered.sort_unstable();
    assert_eq!(answered, [Some(1), Some(2)]);
}

/// A session of Streamable HTTP, as the header that names it.
async fn visit(server: &Bounded) -> String {
    let params =
        json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}});
    let initialize = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params}).to_string();
    let begun = request(server.address, "POST", "/mcp", &[("Content-Type", "application/json")], &initialize).await;
    begun.header("mcp-session-id").expect("a session").to_owned()
}

#[tokio::test]
async fn of_watched_resources_over_streamable_http() {
    let server = Bounded::start(&json!({"maxSubscriptionUris": 1})).await;
    let session = visit(&server).await;
    for (uri, status, code) in [("test://1", 200, None), ("test://1", 200, None), ("test://2", 400, Some(-32600))] {
        let watch = json!({"jsonrpc": "2.0", "id": 1, "method": "resources/subscribe", "params": {"uri": uri}});
        let headers = [("Content-Type", "application/json"), ("Mcp-Session-Id", &*session)];
        let answer = request(server.address, "POST", "/mcp", &headers, &watch.to_string()).await;
        let body: Value = serde_json::from_str(&answer.body).expect("JSON");
        assert_eq!((answer.status, body["error"]["code"].as_i64()), (status, code), "{uri}: {body}");
    }
}
