//! The listener from outside: raw sockets and hand-written HTTP.

use std::{
    future::Future,
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use mcp_test_schema::Shared;
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    sync::{Semaphore, oneshot},
    task::JoinHandle,
};

use super::{HttpOptions, Listener, Sessions};
use crate::{
    limits::Limits,
    protocol::Implementation,
    server::{
        definition::{Parameter, Tool},
        dispatch::Dispatcher,
        error::Error,
        outcome::later,
        registration::Registration,
        seal::Seal,
    },
};

// The server under test.

struct Server {
    address: SocketAddr,
    clients: Arc<Sessions>,
    fixture: Arc<Fixture>,
    /// What all its clients have said and heard: they speak one version, and each message is held to its schema.
    conversation: Shared,
    stop: Option<oneshot::Sender<()>>,
    served: JoinHandle<()>,
}

struct Fixture {
    /// How many calls of `add` ran.
    added: AtomicUsize,
    /// How many calls of `wait` began.
    waiting: Semaphore,
    /// A permit lets one call of `wait` end.
    release: Semaphore,
}

const ADD: Tool<Fixture> = Tool::new("add", "The sum of two numbers", |fixture, mut call| {
    let returns = call.returns::<i64>();
    let mut arguments = call.arguments(const { &[Parameter::new("a"), Parameter::new("b")] });
    let (a, b) = (arguments.take::<i64, _>(0), arguments.take::<i64, _>(1));
    let (Some(a), Some(b), true) = (a, b, arguments.finish()) else {
        return arguments.refuse();
    };
    fixture.added.fetch_add(1, Ordering::SeqCst);
    returns.now(|| a + b)
});

const BIG: Tool<Fixture> = Tool::new("big", "So many KiB of text", |_, mut call| {
    let returns = call.returns::<String>();
    let mut arguments = call.arguments(const { &[Parameter::new("n")] });
    let (Some(n), true) = (arguments.take::<usize, _>(0), arguments.finish()) else {
        return arguments.refuse();
    };
    returns.now(|| "x".repeat(n * 1024))
});

const WAIT: Tool<Fixture> = Tool::new("wait", "Ends when it is told to", |fixture, mut call| {
    let returns = call.returns::<&'static str>();
    let arguments = call.arguments(&[]);
    if !arguments.finish() {
        return arguments.refuse();
    }
    let fixture = Arc::clone(fixture);
    later(async move {
        fixture.waiting.add_permits(1);
        fixture.release.acquire().await.unwrap().forget();
        returns.convert("done")
    })
});

impl Server {
    async fn start(change: impl FnOnce(&mut HttpOptions)) -> Self {
        let mut options = HttpOptions::default();
        change(&mut options);
        let fixture =
            Arc::new(Fixture { added: AtomicUsize::new(0), waiting: Semaphore::new(0), release: Semaphore::new(0) });
        let dispatcher = dispatcher(&fixture, options.limits.clone());
        let listener = Listener::bind(dispatcher, "127.0.0.1", 0, options).await.unwrap();
        let (address, clients) = (listener.local_addr(), Arc::clone(listener.sessions()));
        let (stop, stopped) = oneshot::channel();
        let served = tokio::spawn(listener.serve(async {
            drop(stopped.await);
        }));
        Self { address, clients, fixture, conversation: Shared::default(), stop: Some(stop), served }
    }

    async fn limited(change: impl FnOnce(&mut Limits)) -> Self {
        Self::start(|options| change(&mut options.limits)).await
    }

    async fn connect(&self) -> Connection {
        Connection::open(self.address, &self.conversation).await
    }

    /// A connection that has sent this.
    async fn sent(&self, bytes: impl AsRef<[u8]>) -> Connection {
        let mut connection = self.connect().await;
        connection.send(bytes).await;
        connection
    }

    /// The answer to one request on a connection of its own.
    async fn ask(&self, bytes: impl AsRef<[u8]>) -> Reply {
        self.sent(bytes).await.reply().await
    }

    async fn open(&self) -> Stream {
        self.try_open("").await.unwrap()
    }

    async fn try_open(&self, headers: &str) -> Result<Stream, Reply> {
        let mut connection = self.sent(format!("GET /sse HTTP/1.1\r\nHost: localhost\r\n{headers}\r\n")).await;
        let head = connection.head().await;
        if head.status != 200 {
            return Err(connection.rest_of(head).await);
        }
        let mut stream =
            Stream { connection, head, text: String::new(), uri: String::new(), poster: None, server: self.address };
        let (kind, data) = stream.event().await.unwrap();
        assert_eq!(kind, "endpoint");
        stream.uri = data;
        Ok(stream)
    }

    async fn initialized(&self) -> Stream {
        let mut stream = self.open().await;
        let answer = stream.call(&initialize()).await;
        assert_eq!(answer["result"]["serverInfo"]["name"], "test", "{answer}");
        stream
    }

    /// Tells the server to stop, without waiting for it.
    fn begin_stop(&mut self) {
        self.stop.take().unwrap().send(()).unwrap();
    }

    async fn stopped(self) {
        in_time(self.served).await.unwrap();
    }

    /// Waits until the server holds so many streams.
    async fn settles_at(&self, streams: usize) {
        in_time(async {
            while self.clients.count() != streams {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        })
        .await;
    }
}

fn dispatcher(fixture: &Arc<Fixture>, limits: Limits) -> Arc<Dispatcher> {
    let mut registration = Registration::new();
    for tool in [ADD, BIG, WAIT] {
        registration.add_tool("`Fixture`", fixture, &tool, false);
    }
    let info = Implementation { name: "test".to_owned(), version: "1".to_owned(), ..Implementation::default() };
    let seal = Seal::new(&[], &limits).unwrap();
    Dispatcher::new(registration.build(info, None).unwrap(), limits, seal)
}

fn initialize() -> Value {
    json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": "2024-11-05", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}})
}

fn call(id: i64, tool: &str, arguments: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": tool, "arguments": arguments}})
}

// The client.

struct Connection {
    socket: TcpStream,
    buffer: Vec<u8>,
    conversation: Shared,
}

#[derive(Debug)]
struct Reply {
    status: u16,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

/// An event stream with the path for messages that it named.
struct Stream {
    connection: Connection,
    head: Reply,
    text: String,
    uri: String,
    poster: Option<Connection>,
    server: SocketAddr,
}

async fn in_time<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(10), future).await.expect("it took too long")
}

impl Connection {
    async fn open(address: SocketAddr, conversation: &Shared) -> Self {
        let socket = in_time(TcpStream::connect(address)).await.unwrap();
        Self { socket, buffer: Vec::new(), conversation: conversation.clone() }
    }

    /// Sends anything; where that is a head and a whole body, the message in it can be answered.
    async fn send(&mut self, bytes: impl AsRef<[u8]>) {
        if let Some((_, body)) = String::from_utf8_lossy(bytes.as_ref()).split_once("\r\n\r\n") {
            self.conversation.observe_sent(body);
        }
        in_time(self.socket.write_all(bytes.as_ref())).await.unwrap();
    }

    /// Reads more; false at the end.
    async fn more(&mut self) -> bool {
        // A reset is an end as well.
        in_time(self.socket.read_buf(&mut self.buffer)).await.unwrap_or(0) > 0
    }

    async fn line(&mut self) -> Option<String> {
        loop {
            if let Some(end) = self.buffer.windows(2).position(|pair| pair == b"\r\n") {
                let line = String::from_utf8(self.buffer.drain(..end + 2).collect()).unwrap();
                return Some(line.trim_end().to_owned());
            }
            if !self.more().await {
                return None;
            }
        }
    }

    async fn exactly(&mut self, length: usize) -> Vec<u8> {
        while self.buffer.len() < length {
            assert!(self.more().await, "the connection ended early");
        }
        self.buffer.drain(..length).collect()
    }

    /// The next chunk; none at the end of the chunks.
    async fn chunk(&mut self) -> Option<Vec<u8>> {
        let length = usize::from_str_radix(&self.line().await?, 16).unwrap();
        let chunk = self.exactly(length).await;
        self.line().await;
        (length > 0).then_some(chunk)
    }

    async fn head(&mut self) -> Reply {
        let line = self.line().await.expect("there is no response");
        let status = line.strip_prefix("HTTP/1.1 ").unwrap_or_else(|| panic!("{line}"))[..3].parse().unwrap();
        let mut headers = Vec::new();
        loop {
            let line = self.line().await.expect("the head is cut short");
            let Some((name, value)) = line.split_once(": ") else {
                break;
            };
            headers.push((name.to_owned(), value.to_owned()));
        }
        Reply { status, headers, body: Vec::new() }
    }

    /// The whole response. A body that refuses is a message; one that does not is none, for messages come on streams.
    async fn rest_of(&mut self, mut head: Reply) -> Reply {
        if let Some(length) = head.header("content-length") {
            head.body = self.exactly(length.parse().unwrap()).await;
        }
        if head.status >= 400 && !head.body.is_empty() {
            self.conversation.observe_refusal(std::str::from_utf8(&head.body).unwrap());
        } else {
            assert!(head.body.is_empty() || head.json().get("jsonrpc").is_none(), "{head:?}");
        }
        head
    }

    async fn reply(&mut self) -> Reply {
        let head = self.head().await;
        self.rest_of(head).await
    }

    /// Whether the server closes without another byte.
    async fn is_closed(&mut self) -> bool {
        !self.more().await && self.buffer.is_empty()
    }
}

impl Reply {
    fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(found, _)| found == name).map(|(_, value)| value.as_str())
    }

    fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|_| panic!("{:?}", String::from_utf8_lossy(&self.body)))
    }

    /// Checks that it is a refusal of this status in the form that all have.
    #[track_caller]
    fn is_refusal(&self, status: u16) {
        assert_eq!(self.status, status, "{self:?}");
        let code = if status >= 500 { -32603 } else { -32600 };
        assert_eq!(self.json()["error"]["code"], code, "{self:?}");
        assert_eq!(self.json()["id"], Value::Null);
        assert_eq!(self.json()["jsonrpc"], "2.0");
        assert!(self.json()["error"]["message"].is_string());
        assert_eq!(self.header("content-type"), Some("application/json"));
        assert_eq!(self.header("cache-control"), Some("no-store"));
    }
}

impl Stream {
    /// The next event, as its type and data; none where the stream ends in order. A message is checked.
    async fn event(&mut self) -> Option<(String, String)> {
        loop {
            if let Some(end) = self.text.find("\n\n") {
                let event: String = self.text.drain(..end + 2).collect();
                if event.starts_with(':') {
                    continue;
                }
                let event = event.strip_prefix("event: ").unwrap();
                let (kind, data) = event.split_once("\ndata: ").unwrap();
                let data = data.trim_end();
                if kind == "message" {
                    self.connection.conversation.observe_received(data);
                }
                return Some((kind.to_owned(), data.to_owned()));
            }
            let chunk = self.connection.chunk().await?;
            self.text.push_str(std::str::from_utf8(&chunk).unwrap());
        }
    }

    async fn message(&mut self) -> Value {
        let (kind, data) = self.event().await.expect("the stream is over");
        assert_eq!(kind, "message");
        serde_json::from_str(&data).unwrap()
    }

    async fn post(&mut self, message: &Value) -> Reply {
        let request = post(&self.uri, message);
        if self.poster.is_none() {
            self.poster = Some(Connection::open(self.server, &self.connection.conversation).await);
        }
        let poster = self.poster.as_mut().unwrap();
        poster.send(request).await;
        poster.reply().await
    }

    async fn tell(&mut self, message: &Value) {
        let reply = self.post(message).await;
        assert_eq!((reply.status, reply.body.len()), (202, 0), "{reply:?}");
    }

    async fn call(&mut self, message: &Value) -> Value {
        self.tell(message).await;
        self.message().await
    }
}

fn post(uri: &str, message: &Value) -> String {
    post_text(uri, "Content-Type: application/json\r\n", &message.to_string())
}

fn post_text(uri: &str, headers: &str, body: &str) -> String {
    let length = body.len();
    format!("POST {uri} HTTP/1.1\r\nHost: localhost\r\n{headers}Content-Length: {length}\r\n\r\n{body}")
}

// The transport.

#[tokio::test]
async fn answers_come_on_the_stream_and_posts_are_accepted() {
    let server = Server::start(|_| {}).await;
    let mut stream = server.open().await;
    assert_eq!(stream.head.header("content-type"), Some("text/event-stream"));
    assert!(stream.head.header("cache-control").unwrap().contains("no-store"));
    assert_eq!(stream.head.header("x-accel-buffering"), Some("no"));
    let id = stream.uri.strip_prefix("/messages?sessionId=").unwrap();
    assert!(id.len() >= 22 && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte)), "{id}");

    stream.call(&initialize()).await;
    stream.tell(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
    let sum = stream.call(&call(7, "add", &json!({"a": 2, "b": 3}))).await;
    assert_eq!((&sum["id"], &sum["result"]["content"][0]["text"]), (&json!(7), &json!("5")));
    let big = stream.call(&call(8, "big", &json!({"n": 100}))).await;
    assert_eq!(big["result"]["content"][0]["text"].as_str().unwrap().len(), 100 * 1024);
    let unknown = stream.call(&json!({"jsonrpc": "2.0", "id": "x", "method": "no/such"})).await;
    assert_eq!((&unknown["id"], &unknown["error"]["code"]), (&json!("x"), &json!(-32601)));
}

#[tokio::test]
async fn a_waiting_call_holds_up_nothing() {
    let server = Server::start(|_| {}).await;
    let mut stream = server.initialized().await;
    for id in 1..=40 {
        stream.tell(&call(id, "wait", &json!({}))).await;
    }
    let ping = stream.call(&json!({"jsonrpc": "2.0", "id": 99, "method": "ping"})).await;
    assert_eq!(ping, json!({"jsonrpc": "2.0", "id": 99, "result": {}}));
    server.fixture.release.add_permits(40);
    let mut ids = Vec::new();
    for _ in 1..=40 {
        ids.push(stream.message().await["id"].as_i64().unwrap());
    }
    ids.sort_unstable();
    assert_eq!(ids, (1..=40).collect::<Vec<_>>());
}

#[tokio::test]
async fn the_same_ids_of_two_clients_do_not_meet() {
    let server = Server::start(|_| {}).await;
    let (mut one, mut two) = (server.initialized().await, server.initialized().await);
    for id in 0..20 {
        one.tell(&call(id, "add", &json!({"a": id, "b": 1}))).await;
        two.tell(&call(id, "add", &json!({"a": id, "b": 2}))).await;
    }
    for id in 0..20 {
        assert_eq!(one.message().await["result"]["content"][0]["text"], (id + 1).to_string());
        assert_eq!(two.message().await["result"]["content"][0]["text"], (id + 2).to_string());
    }
}

#[tokio::test]
async fn what_is_no_message_is_refused_by_status_and_the_stream_stays_silent() {
    let server = Server::start(|_| {}).await;
    let mut stream = server.initialized().await;
    for (body, id, code) in [
        ("{", Value::Null, -32700),
        ("\"text\"", Value::Null, -32600),
        (r#"{"jsonrpc":"2.0","id":5}"#, json!(5), -32600),
        (r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, Value::Null, -32600),
        ("[]", Value::Null, -32600),
        ("", Value::Null, -32700),
    ] {
        let reply = server.ask(post_text(&stream.uri, "Content-Type: application/json\r\n", body)).await;
        assert_eq!(
            (reply.status, &reply.json()["error"]["code"], &reply.json()["id"]),
            (400, &json!(code), &id),
            "{body}"
        );
    }
    assert_eq!(stream.call(&json!({"jsonrpc": "2.0", "id": 1, "method": "ping"})).await["id"], 1);
}

#[tokio::test]
async fn a_session_ends_with_its_stream() {
    let server = Server::start(|_| {}).await;
    let stream = server.initialized().await;
    let uri = stream.uri.clone();
    drop(stream);
    server.settles_at(0).await;
    let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"});
    server.ask(post(&uri, &ping)).await.is_refusal(404);
    for (query, status) in [
        ("", 400),
        ("?sessionId=", 400),
        ("?session_id=1", 400),
        ("?sessionId=1", 404),
        ("?sessionId=00000000000000000000000000000000", 404),
        ("?sessionId=1&sessionId=1", 400),
    ] {
        server.ask(post(&format!("/messages{query}"), &ping)).await.is_refusal(status);
    }
}

#[tokio::test]
async fn many_streams_opened_and_dropped_leave_nothing() {
    let server = Server::start(|_| {}).await;
    let mut streams = Vec::new();
    for _ in 0..200 {
        streams.push(server.open().await);
    }
    assert_eq!(server.clients.count(), 200);
    drop(streams);
    server.settles_at(0).await;
}

#[tokio::test]
async fn streams_are_counted() {
    let server = Server::limited(|limits| limits.max_streams = Some(2)).await;
    let (first, _second) = (server.open().await, server.open().await);
    let refused = server.try_open("").await.err().unwrap();
    refused.is_refusal(503);
    assert!(refused.header("retry-after").is_some());
    drop(first);
    server.settles_at(1).await;
    server.open().await;
}

#[tokio::test]
async fn requests_of_a_session_are_counted_and_notifications_pass() {
    let server = Server::limited(|limits| limits.max_requests_per_session = Some(2)).await;
    let mut stream = server.initialized().await;
    for id in 1..=2 {
        stream.tell(&call(id, "wait", &json!({}))).await;
    }
    let refused = stream.post(&call(3, "wait", &json!({}))).await;
    assert_eq!((refused.status, &refused.json()["id"]), (429, &json!(3)));
    assert!(refused.header("retry-after").is_some());
    stream.tell(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}})).await;
    server.fixture.release.add_permits(1);
    assert_eq!(stream.message().await["id"], 2);
    stream.call(&call(4, "add", &json!({"a": 1, "b": 1}))).await;
}

#[tokio::test]
async fn idle_streams_are_kept_alive_and_unused_ones_are_not() {
    let server = Server::limited(|limits| {
        limits.keep_alive = Some(Duration::from_millis(50));
        limits.session_unused = Some(Duration::from_millis(300));
    })
    .await;
    let mut unused = server.open().await;
    let mut used = server.initialized().await;
    for _ in 0..3 {
        assert_eq!(unused.connection.chunk().await.as_deref(), Some(&b": keep-alive\n\n"[..]));
    }
    assert_eq!(unused.event().await, None);
    for _ in 0..8 {
        assert_eq!(used.connection.chunk().await.as_deref(), Some(&b": keep-alive\n\n"[..]));
    }
    assert_eq!(used.call(&json!({"jsonrpc": "2.0", "id": 1, "method": "ping"})).await["id"], 1);
}

#[tokio::test]
async fn a_client_that_does_not_read_is_cut_off_and_others_are_served() {
    let server = Server::limited(|limits| limits.stream_queue_bytes = Some(512 * 1024)).await;
    let mut slow = server.initialized().await;
    let mut other = server.initialized().await;
    let mut taken = 0;
    // The kernel buffers some megabytes before anything queues.
    for id in 0..400 {
        if slow.post(&call(id, "big", &json!({"n": 256}))).await.status == 404 {
            break;
        }
        taken += 1;
        let sum = other.call(&call(id, "add", &json!({"a": 1, "b": 1}))).await;
        assert_eq!(sum["result"]["content"][0]["text"], "2");
    }
    assert!(taken < 100, "{taken} answers of 256 KiB were taken");
    server.settles_at(1).await;
}

#[tokio::test]
async fn a_write_that_does_not_move_is_cut_off() {
    let server = Server::limited(|limits| limits.stalled_write = Some(Duration::from_millis(200))).await;
    let mut stalled = server.initialized().await;
    // The kernel buffers some megabytes before a write waits; by the last message the session may be gone.
    for id in 0..3 {
        stalled.post(&call(id, "big", &json!({"n": 4096}))).await;
    }
    server.settles_at(0).await;
}

// Requests that are refused.

#[tokio::test]
async fn paths_and_methods_have_their_statuses() {
    let server = Server::start(|_| {}).await;
    for (method, path, status, allow) in [
        ("GET", "/", 404, None),
        ("GET", "/sse/", 404, None),
        ("POST", "/nothing", 404, None),
        ("OPTIONS", "/nothing", 404, None),
        ("OPTIONS", "*", 404, None),
        ("POST", "/sse", 405, Some("GET")),
        ("DELETE", "/sse", 405, Some("GET")),
        ("OPTIONS", "/sse", 405, Some("GET")),
        ("GET", "/messages", 405, Some("POST")),
        ("PUT", "/messages?sessionId=1", 405, Some("POST")),
        ("OPTIONS", "/messages", 405, Some("POST")),
        ("POST", "/health", 405, Some("GET, HEAD")),
    ] {
        let reply = server.ask(format!("{method} {path} HTTP/1.1\r\nHost: localhost\r\n\r\n")).await;
        reply.is_refusal(status);
        assert_eq!(reply.header("allow"), allow, "{method} {path}");
        assert!(!reply.headers.iter().any(|(name, _)| name.starts_with("access-control")));
    }
    let health = server.ask("GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n").await;
    assert_eq!((health.status, health.json()), (200, json!({"status": "ok"})));
}

#[tokio::test]
async fn head_has_no_body_and_does_not_hang() {
    let server = Server::start(|_| {}).await;
    for (path, status) in [("/health", 200), ("/sse", 405), ("/messages", 405), ("/nothing", 404)] {
        let request = format!("HEAD {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
        let mut connection = server.sent(request).await;
        assert_eq!(connection.head().await.status, status, "{path}");
        assert!(connection.is_closed().await);
    }
    server.settles_at(0).await;
}

#[tokio::test]
async fn a_stream_goes_only_to_those_who_accept_one() {
    let server = Server::start(|_| {}).await;
    for accept in ["", "Accept: */*\r\n", "Accept: text/event-stream\r\n"] {
        server.try_open(accept).await.unwrap();
    }
    for accept in ["Accept: application/json\r\n", "Accept: text/event-stream;q=0\r\n"] {
        server.try_open(accept).await.err().unwrap().is_refusal(406);
    }
}

#[tokio::test]
async fn heads_that_are_too_large_or_ambiguous_are_refused_and_closed() {
    let server = Server::start(|_| {}).await;
    let stream = server.initialized().await;
    let uri = &stream.uri;
    let body = call(1, "add", &json!({"a": 1, "b": 1})).to_string();
    let post = |headers: &str| {
        format!("POST {uri} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n{headers}\r\n{body}")
    };
    let length = format!("Content-Length: {}\r\n", body.len());
    let check = async |request: String, status: u16| {
        let mut connection = server.sent(&request).await;
        let reply = connection.reply().await;
        reply.is_refusal(status);
        assert_eq!(reply.header("connection"), Some("close"), "{request}");
        assert!(connection.is_closed().await);
    };
    check(format!("GET /{} HTTP/1.1\r\nHost: localhost\r\n\r\n", "a".repeat(9000)), 414).await;
    check(format!("GET /{}", "a".repeat(100_000)), 414).await;
    check(post(&format!("X: {}\r\n{length}", "y".repeat(40_000))), 431).await;
    check(post(&format!("{}{length}", "X: y\r\n".repeat(101))), 431).await;
    check(post(&format!("{length}Transfer-Encoding: chunked\r\n")), 400).await;
    check(post(&format!("Transfer-Encoding: chunked\r\n{length}")), 400).await;
    check(post("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n"), 400).await;
    check(post("Transfer-Encoding: chunked, identity\r\n"), 400).await;
    check(post(&format!("{length}Content-Length: 3\r\n")), 400).await;
    check(post("Content-Length: +9\r\n"), 400).await;
    check(post(&format!("{length}X : y\r\n")), 400).await;
    check(post(&format!("{length}X: y\r\n z: w\r\n")), 400).await;
    check("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_owned(), 400).await;
    check("nonsense\r\n\r\n".to_owned(), 400).await;
    check(format!("POST {uri} HTTP/1.1\r\n{length}\r\n{body}"), 400).await;
    check(post(&format!("Host: localhost\r\n{length}")), 400).await;
    check(post(&format!("Content-Encoding: gzip\r\n{length}")), 415).await;
    assert_eq!(server.fixture.added.load(Ordering::SeqCst), 0);

    // What only hyper sees.
    for request in [
        format!("POST {uri} HTTP/1.0\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"),
        "GET /health HTTP/1.1\r\nHost: localhost\r\nX: a\0b\r\n\r\n".to_owned(),
        "GET /health HTTP/1.1\r\nHost: localhost\r\nX: a\rb\r\n\r\n".to_owned(),
        "G T /health HTTP/1.1\r\nHost: localhost\r\n\r\n".to_owned(),
    ] {
        let mut connection = server.sent(&request).await;
        assert_eq!(connection.reply().await.status, 400, "{request}");
        assert!(connection.is_closed().await);
    }
}

#[tokio::test]
async fn only_our_hosts_and_origins_pass_on_every_path() {
    let server = Server::start(|_| {}).await;
    let port = server.address.port();
    for path in ["/sse", "/messages", "/health", "/nothing"] {
        for method in ["GET", "POST", "OPTIONS", "DELETE", "HEAD"] {
            for headers in
                ["Host: evil.test", "Host: localhost\r\nOrigin: http://evil.test", "Host: localhost\r\nOrigin: null"]
            {
                let mut connection = server.sent(format!("{method} {path} HTTP/1.1\r\n{headers}\r\n\r\n")).await;
                assert_eq!(connection.head().await.status, 403, "{method} {path} {headers}");
            }
        }
    }
    for headers in [
        format!("Host: localhost:{port}\r\nOrigin: http://localhost:{port}"),
        format!("Host: 127.0.0.1:{port}"),
        "Host: [::1]".to_owned(),
        "Host: localhost\r\nX-Forwarded-Host: evil.test\r\nForwarded: host=evil.test".to_owned(),
    ] {
        let reply = server.ask(format!("GET /health HTTP/1.1\r\n{headers}\r\n\r\n")).await;
        assert_eq!(reply.status, 200, "{headers}");
    }
}

#[tokio::test]
async fn listed_origins_get_cors_headers_on_refusals_too() {
    let server = Server::start(|options| options.allow_origins = Some(vec!["https://app.test".to_owned()])).await;
    let ask = async |method: &str, path: &str, origin: &str, more: &str| {
        server.ask(format!("{method} {path} HTTP/1.1\r\nHost: localhost\r\nOrigin: {origin}\r\n{more}\r\n")).await
    };
    let preflight = ask("OPTIONS", "/messages", "https://app.test", "Access-Control-Request-Method: POST\r\n").await;
    assert_eq!((preflight.status, preflight.body.len()), (200, 0));
    assert_eq!(preflight.header("access-control-allow-origin"), Some("https://app.test"));
    let listed = |header: &str| preflight.header(header).unwrap().to_ascii_lowercase();
    for method in ["get", "post", "delete", "options"] {
        assert!(listed("access-control-allow-methods").contains(method));
    }
    for name in ["content-type", "accept", "authorization", "mcp-protocol-version", "mcp-session-id", "last-event-id"] {
        assert_eq!(listed("access-control-allow-headers").split(',').filter(|it| *it == name).count(), 1, "{name}");
    }
    assert_eq!(preflight.header("access-control-allow-credentials"), None);
    for (method, path, status) in
        [("GET", "/health", 200), ("POST", "/messages?sessionId=1", 415), ("GET", "/nothing", 404)]
    {
        let reply = ask(method, path, "https://app.test", "").await;
        assert_eq!(reply.status, status);
        assert_eq!(reply.header("access-control-allow-origin"), Some("https://app.test"));
        assert!(reply.header("vary").unwrap().contains("origin"));
        assert!(reply.header("access-control-expose-headers").unwrap().contains("mcp-session-id"));
    }
    for method in ["OPTIONS", "GET", "POST"] {
        let refused = ask(method, "/messages", "https://evil.test", "Access-Control-Request-Method: POST\r\n").await;
        refused.is_refusal(403);
        assert_eq!(refused.header("access-control-allow-origin"), None);
    }
    server.ask("OPTIONS /messages HTTP/1.1\r\nHost: localhost\r\n\r\n").await.is_refusal(405);
    let stream = server.try_open("Origin: https://app.test\r\n").await.unwrap();
    assert_eq!(stream.head.header("access-control-allow-origin"), Some("https://app.test"));
    let empty = Server::start(|options| options.allow_origins = Some(Vec::new())).await;
    empty.ask("GET /health HTTP/1.1\r\nHost: localhost\r\nOrigin: https://app.test\r\n\r\n").await.is_refusal(403);
}

#[tokio::test]
async fn bodies_that_are_too_large_are_refused_by_length_and_by_chunks() {
    let server = Server::limited(|limits| limits.max_body_bytes = Some(1000)).await;
    let stream = server.initialized().await;
    let uri = &stream.uri;
    let head = format!("POST {uri} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n");
    let chunk = format!("1f4\r\n{}\r\n", " ".repeat(500));
    let check = async |request: String| {
        let mut connection = server.sent(request).await;
        let reply = connection.reply().await;
        reply.is_refusal(413);
        assert_eq!(reply.header("connection"), Some("close"));
        assert!(connection.is_closed().await);
    };
    check(format!("{head}Content-Length: 1001\r\n\r\n")).await;
    check(format!("{head}Content-Length: 1001\r\nExpect: 100-continue\r\n\r\n")).await;
    check(format!("{head}Content-Length: 99999999999\r\n\r\n")).await;
    check(format!("{head}Content-Length: 1001\r\n\r\n{}", " ".repeat(1001))).await;
    check(format!("{head}Transfer-Encoding: chunked\r\n\r\n{}", chunk.repeat(3))).await;
    // All of it may be on its way before the refusal is read.
    check(format!("{head}Content-Length: 5000000\r\n\r\n{}", " ".repeat(5_000_000))).await;
    let fits = format!("{:<1000}", json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string());
    let reply = server.ask(format!("{head}Content-Length: 1000\r\n\r\n{fits}")).await;
    assert_eq!(reply.status, 202);
}

#[tokio::test]
async fn chunked_bodies_are_taken_and_broken_ones_are_not() {
    let server = Server::start(|_| {}).await;
    let mut stream = server.initialized().await;
    let head = format!(
        "POST {} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n",
        stream.uri
    );
    let body = call(1, "add", &json!({"a": 1, "b": 1})).to_string();
    let (one, two) = body.split_at(20);
    server.conversation.observe_sent(&body);
    let mut connection = server.sent(format!("{head}{:x}\r\n{one}\r\n", one.len())).await;
    connection
        .send(format!("{:x};x=y\r\n{two}\r\n0\r\n\r\nGET /health HTTP/1.1\r\nHost: localhost\r\n\r\n", two.len()))
        .await;
    let reply = connection.reply().await;
    assert_eq!((reply.status, reply.header("connection")), (202, Some("close")));
    assert!(connection.is_closed().await);
    assert_eq!(stream.message().await["id"], 1);
    for broken in ["x\r\n", "-1\r\n{}\r\n", "5\r\n{}\r\n0\r\n\r\n", "ffffffffffffffffff\r\n"] {
        let mut connection = server.sent(format!("{head}{broken}")).await;
        connection.send("0\r\n\r\n").await;
        connection.reply().await.is_refusal(400);
    }
    assert_eq!(server.fixture.added.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn a_client_that_closes_its_half_is_answered_and_its_stream_ends() {
    let server = Server::start(|_| {}).await;
    let mut stream = server.initialized().await;
    let mut connection = server.sent(post(&stream.uri, &call(1, "add", &json!({"a": 1, "b": 1})))).await;
    connection.socket.shutdown().await.unwrap();
    assert_eq!(connection.reply().await.status, 202);
    assert!(connection.is_closed().await);
    assert_eq!(stream.message().await["id"], 1);
    stream.connection.socket.shutdown().await.unwrap();
    server.settles_at(0).await;
    let mut at_once = server.connect().await;
    at_once.send("GET /sse HTTP/1.1\r\nHost: localhost\r\n\r\n").await;
    at_once.socket.shutdown().await.unwrap();
    while at_once.more().await {}
    server.settles_at(0).await;
}

#[tokio::test]
async fn a_stream_whose_client_says_more_and_goes_ends_at_once() {
    let server = Server::start(|_| {}).await;
    let open = "GET /sse HTTP/1.1\r\nHost: localhost\r\n\r\n";
    for more in [open.to_owned(), "\r\n".to_owned(), "x".repeat(30_000), "x".repeat(1_000_000)] {
        let mut connection = server.sent(format!("{open}{}", &more[..more.len() / 2])).await;
        assert_eq!(connection.head().await.status, 200);
        // One that sends without end is cut off in the middle of it.
        let _ = connection.socket.write_all(&more.as_bytes()[more.len() / 2..]).await;
        drop(connection);
        server.settles_at(0).await;
    }
    for body in ["Content-Length: 5\r\n\r\n{}", "Transfer-Encoding: chunked\r\n\r\n5\r\n{}"] {
        let reply = server.ask(format!("GET /sse HTTP/1.1\r\nHost: localhost\r\n{body}")).await;
        reply.is_refusal(400);
        assert_eq!(reply.header("connection"), Some("close"));
    }
}

#[tokio::test]
async fn only_json_executes() {
    let server = Server::start(|_| {}).await;
    let mut stream = server.initialized().await;
    let body = call(1, "add", &json!({"a": 1, "b": 1})).to_string();
    for headers in [
        "",
        "Content-Type: text/plain\r\n",
        "Content-Type: application/x-www-form-urlencoded\r\n",
        "Content-Type: application/json; charset=latin1\r\n",
        "Content-Type: application/json\r\nContent-Encoding: gzip\r\n",
    ] {
        server.ask(post_text(&stream.uri, headers, &body)).await.is_refusal(415);
    }
    assert_eq!(server.fixture.added.load(Ordering::SeqCst), 0);
    for headers in ["Content-Type: application/json\r\n", "content-type: APPLICATION/JSON; Charset=UTF-8\r\n"] {
        assert_eq!(server.ask(post_text(&stream.uri, headers, &body)).await.status, 202);
        assert_eq!(stream.message().await["id"], 1);
    }
}

#[tokio::test]
async fn what_follows_a_refused_body_is_not_executed() {
    let server = Server::limited(|limits| limits.max_body_bytes = Some(1000)).await;
    let stream = server.initialized().await;
    let hidden = post(&stream.uri, &call(1, "add", &json!({"a": 1, "b": 1})));
    let length = hidden.len();
    for request in [
        format!("POST /messages HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5000\r\n\r\n{hidden}"),
        format!("POST /nothing HTTP/1.1\r\nHost: localhost\r\nContent-Length: {length}\r\n\r\n{hidden}"),
        format!("GET /health HTTP/1.1\r\nHost: localhost\r\nContent-Length: {length}\r\n\r\n{hidden}"),
        format!(
            "GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n{hidden}"
        ),
        format!("GET /{} HTTP/1.1\r\nHost: localhost\r\n\r\n{hidden}", "a".repeat(9000)),
        format!("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\nContent-Length: {length}\r\n\r\n{hidden}"),
        format!("garbage\r\n\r\n{hidden}"),
    ] {
        let mut connection = server.sent(request).await;
        connection.reply().await;
        assert!(connection.is_closed().await);
    }
    assert_eq!(server.fixture.added.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn requests_may_follow_each_other_closely_and_come_in_pieces() {
    let server = Server::start(|_| {}).await;
    let mut stream = server.initialized().await;
    let uri = stream.uri.clone();
    let request = |id| {
        let message = call(id, "add", &json!({"a": id, "b": 0}));
        server.conversation.observe_sent(&message.to_string());
        post(&uri, &message)
    };
    for step in [1, 3, 50, 1000, 100_000] {
        let mut connection = server.connect().await;
        let (mut reader, mut writer) = connection.socket.into_split();
        let bytes: String = (0..30).map(request).collect();
        let writing = tokio::spawn(async move {
            for piece in bytes.as_bytes().chunks(step) {
                writer.write_all(piece).await.unwrap();
            }
            writer
        });
        let mut text = Vec::new();
        while text.windows(12).filter(|window| window == b"HTTP/1.1 202").count() < 30 {
            assert!(in_time(reader.read_buf(&mut text)).await.unwrap() > 0);
        }
        connection.socket = reader.reunite(writing.await.unwrap()).unwrap();
        connection.send("GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n").await;
        drop(connection);
        for id in 0..30 {
            assert_eq!(stream.message().await["id"], id, "in steps of {step}");
        }
    }
}

#[tokio::test]
async fn slow_heads_slow_bodies_and_silent_connections_are_cut() {
    let server = Server::limited(|limits| {
        limits.header_read = Some(Duration::from_millis(100));
        limits.body_read = Some(Duration::from_millis(100));
        limits.idle_connection = Some(Duration::from_millis(100));
    })
    .await;
    let stream = server.initialized().await;
    assert!(server.connect().await.is_closed().await);

    let mut slow_head = server.sent("GET /health HTTP/1.1\r\nHost: loc").await;
    let reply = slow_head.reply().await;
    reply.is_refusal(408);
    assert_eq!(reply.header("connection"), Some("close"));
    assert!(slow_head.is_closed().await);

    let head = post_text(&stream.uri, "Content-Type: application/json\r\n", &" ".repeat(100));
    let mut slow_body = server.sent(&head[..head.len() - 1]).await;
    slow_body.reply().await.is_refusal(408);
    assert!(slow_body.is_closed().await);

    let mut kept = server.sent("GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n").await;
    assert_eq!(kept.reply().await.status, 200);
    assert!(kept.is_closed().await);
    // A second request, cut off within its head, after a first one.
    let mut second = server.sent("GET /health HTTP/1.1\r\nHost: localhost\r\n\r\nGET /hea").await;
    assert_eq!(second.reply().await.status, 200);
    second.reply().await.is_refusal(408);
    // A stream is not idle.
    assert_eq!(server.clients.count(), 1);
}

#[tokio::test]
async fn connections_beyond_the_limit_wait_for_a_place() {
    let server = Server::limited(|limits| limits.max_connections = Some(2)).await;
    let request = "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n";
    let (mut first, mut second) = (server.sent(request).await, server.sent(request).await);
    assert_eq!((first.reply().await.status, second.reply().await.status), (200, 200));
    let mut third = server.sent(request).await;
    assert!(tokio::time::timeout(Duration::from_millis(50), third.more()).await.is_err());
    drop(first);
    assert_eq!(third.reply().await.status, 200);
}

// Starting and stopping.

#[tokio::test]
async fn a_taken_port_is_named() {
    let server = Server::start(|_| {}).await;
    let dispatcher = dispatcher(&server.fixture, Limits::default());
    let again = Listener::bind(dispatcher, "127.0.0.1", server.address.port(), HttpOptions::default()).await;
    assert!(matches!(again.err(), Some(Error::PortInUse { address }) if address == server.address));
}

#[tokio::test]
async fn the_endpoint_event_keeps_the_prefix_of_the_public_url() {
    let server = Server::start(|options| options.public_url = Some("https://mcp.test/api/".to_owned())).await;
    let stream = server.try_open("X-Forwarded-Prefix: /evil\r\nX-Forwarded-Proto: https\r\n").await.unwrap();
    assert!(stream.uri.starts_with("/api/messages?sessionId="), "{}", stream.uri);
}

#[tokio::test]
async fn stopping_ends_idle_streams_and_connections_at_once() {
    let mut server = Server::start(|_| {}).await;
    let mut streams = Vec::new();
    for _ in 0..20 {
        streams.push(server.initialized().await);
    }
    let mut idle = server.connect().await;
    let address = server.address;
    server.begin_stop();
    for stream in &mut streams {
        assert_eq!(stream.event().await, None);
        assert!(stream.connection.is_closed().await);
    }
    assert!(idle.is_closed().await);
    server.stopped().await;
    tokio::net::TcpListener::bind(address).await.unwrap();
}

#[tokio::test]
async fn a_call_under_way_is_answered_before_its_stream_ends() {
    let mut server = Server::start(|_| {}).await;
    let mut stream = server.initialized().await;
    stream.tell(&call(1, "wait", &json!({}))).await;
    server.begin_stop();
    in_time(async {
        while TcpStream::connect(server.address).await.is_ok() {
            tokio::task::yield_now().await;
        }
    })
    .await;
    server.fixture.release.add_permits(1);
    assert_eq!(stream.message().await["result"]["content"][0]["text"], "done");
    assert_eq!(stream.event().await, None);
    server.stopped().await;
}

#[tokio::test]
async fn what_does_not_end_in_time_is_cut() {
    let mut server = Server::limited(|limits| limits.shutdown_grace = Some(Duration::from_millis(100))).await;
    let mut stream = server.initialized().await;
    stream.tell(&call(1, "wait", &json!({}))).await;
    let _half_sent = server.sent("POST /messages HTTP/1.1\r\nHost: localhost\r\nContent-Le").await;
    server.begin_stop();
    server.stopped().await;
}
