//! One way to speak to a server, whatever the transport: raw JSON messages in and out, each wait bounded.

pub mod http;
pub mod identity;
pub mod streamable;

use std::{net::SocketAddr, time::Duration};

use axum::{Router, routing::get};
use http::EventStream;
use mcp_runtime::{
    McpServer, McpService, ServerOptions, SseOptions, TransportOptions,
    testing::{Connection, TestClientBuilder},
};
pub use mcp_test_schema as schema;
use mcp_test_schema::Shared;
use serde_json::{Value, json};
use streamable::{StreamableClient, VERSION_KEY};
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, ReadHalf, WriteHalf},
    net::TcpListener,
    task::AbortHandle,
    time::timeout,
};

/// The versions that a handshake can agree on.
pub const VERSIONS: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];

/// The version in which each request speaks for itself.
pub const STATELESS: &str = "2026-07-28";

/// How long a test waits for a message that should come.
pub const PATIENCE: Duration = Duration::from_secs(20);

/// A transport of the framework.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transport {
    /// In the process, without bytes.
    Memory,
    /// Lines over a pair of streams.
    Stdio,
    /// HTTP+SSE on a real socket.
    Sse,
    /// Streamable HTTP on a real socket.
    Http,
}

impl Transport {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Memory, Self::Stdio, Self::Sse, Self::Http];

    /// The versions that it carries.
    pub fn versions(self) -> impl Iterator<Item = &'static str> {
        VERSIONS.into_iter().chain((self != Self::Sse).then_some(STATELESS)).filter(move |version| {
            // Streamable HTTP came with the second version.
            self != Self::Http || *version != VERSIONS[0]
        })
    }
}

/// Whose connections a server over HTTP answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Listening {
    /// Those of its own listener.
    Alone,
    /// Those of an application that has it as a service.
    Mounted,
}

impl Listening {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Alone, Self::Mounted];

    /// Each of these in both ways.
    pub fn each<T: Copy>(values: impl IntoIterator<Item = T>) -> impl Iterator<Item = (T, Self)> {
        values.into_iter().flat_map(|value| Self::ALL.map(|way| (value, way)))
    }

    /// What there is of them over a transport.
    pub fn over(transport: Transport) -> &'static [Self] {
        if matches!(transport, Transport::Sse | Transport::Http) { &Self::ALL } else { &[Self::Alone] }
    }
}

/// One client's connection.
#[derive(Debug)]
pub struct Wire {
    kind: Kind,
    /// The transport it goes over.
    pub transport: Transport,
    /// Each request says the version and what the client can do: the latter.
    stateless: Option<Value>,
    /// Checks every message of the server against the standard's schema.
    conversation: Shared,
    next_id: i64,
}

/// Takes out of a result what every one has in the newest version, having seen that it is right.
fn unframe(method: &str, result: &mut Value) {
    let result = result.as_object_mut().expect("an object");
    assert_eq!(result.remove("resultType"), Some(json!("complete")), "{method}");
    let meta = result.get_mut("_meta").and_then(Value::as_object_mut).expect("a `_meta`");
    let info = meta.remove("io.modelcontextprotocol/serverInfo").expect("the server");
    assert!(info["name"].is_string() && info["version"].is_string(), "{method}: {info}");
    if meta.is_empty() {
        result.remove("_meta");
    }
    if method == "tasks/get" {
        // How long a task keeps is its own.
        return;
    }
    let keeps = method == "server/discover" || method == "resources/read" || method.ends_with("/list");
    assert_eq!(result.remove("ttlMs").map(|ttl| ttl.is_u64()), keeps.then_some(true), "{method}");
    let scope = result.remove("cacheScope");
    assert_eq!(scope.map(|scope| scope == "private" || scope == "public"), keeps.then_some(true), "{method}");
}

#[derive(Debug)]
enum Kind {
    Memory(Connection),
    Stdio { reader: BufReader<ReadHalf<DuplexStream>>, writer: WriteHalf<DuplexStream> },
    Sse(EventStream),
    Http(StreamableClient),
}

mcp_test_schema::test_client!();

/// A client within the process, whose server is held to the standard's schema by each message.
pub fn client(server: McpServer) -> TestClientBuilder {
    TestClient::of(server)
}

/// A server that clients can connect to.
#[derive(Debug)]
pub struct Running {
    transport: Transport,
    memory: Option<Connection>,
    make: fn() -> McpServer,
    /// Where an HTTP server listens.
    pub address: Option<SocketAddr>,
    handle: Option<mcp_runtime::Handle>,
    /// What an application takes connections in.
    application: Option<AbortHandle>,
}

impl Running {
    /// Starts the server that `make` makes, alone.
    pub async fn start(transport: Transport, make: fn() -> McpServer) -> Self {
        Self::start_as(transport, Listening::Alone, make).await
    }

    /// Starts the server that `make` makes, alone or in an application.
    pub async fn start_as(transport: Transport, listening: Listening, make: fn() -> McpServer) -> Self {
        let mut running = Self { transport, memory: None, make, address: None, handle: None, application: None };
        match transport {
            Transport::Memory => running.memory = Some(Connection::open(make()).expect("a server that starts")),
            Transport::Stdio => {}
            Transport::Sse | Transport::Http => {
                let server = make();
                let mut options = ServerOptions::new(&server.options().name, &server.options().version);
                options.instructions.clone_from(&server.options().instructions);
                options.transport = TransportOptions::Sse(SseOptions { port: 0, ..Default::default() });
                let server = server.with_options(options);
                match listening {
                    Listening::Alone => {
                        let bound = server.bind().await.expect("a server that starts");
                        running.address = bound.local_addr();
                        running.handle = Some(bound.handle());
                        tokio::spawn(bound.serve());
                    }
                    Listening::Mounted => {
                        let mcp = server.into_service().await.expect("a server that starts");
                        running.handle = Some(mcp.handle());
                        let (address, application) = serve_in_application(mcp).await;
                        (running.address, running.application) = (Some(address), Some(application));
                    }
                }
            }
        }
        running
    }

    /// Connects a client. Over stdio each client has a server process, here a server task, of its own.
    pub async fn connect(&self) -> Wire {
        let kind = match self.transport {
            Transport::Memory => Kind::Memory(self.memory.as_ref().expect("started").another()),
            Transport::Stdio => {
                let (client, server) = tokio::io::duplex(64 * 1024);
                let (reader, writer) = tokio::io::split(server);
                let make = self.make;
                tokio::spawn(async move { make().serve_streams(reader, writer).await });
                let (reader, writer) = tokio::io::split(client);
                Kind::Stdio { reader: BufReader::new(reader), writer }
            }
            Transport::Sse => Kind::Sse(EventStream::open(self.address.expect("a listener"), "/sse").await),
            Transport::Http => Kind::Http(StreamableClient::new(self.address.expect("a listener"))),
        };
        Wire { kind, transport: self.transport, stateless: None, conversation: Shared::default(), next_id: 1 }
    }

    /// Connects a client and shakes hands at that version, where it has a handshake.
    pub async fn connect_as(&self, version: &str) -> Wire {
        self.connect_offering(version, json!({})).await
    }

    /// Connects a client that has these capabilities.
    pub async fn connect_offering(&self, version: &str, capabilities: Value) -> Wire {
        let mut wire = self.connect().await;
        if version == STATELESS {
            wire.stateless = Some(capabilities);
            wire.conversation = Shared::at(STATELESS);
            return wire;
        }
        let result = wire.initialize_offering(version, capabilities).await;
        assert_eq!(result["result"]["protocolVersion"], version, "{result}");
        wire
    }
}

/// An application with a page of its own, and a server for all else; its address, and what ends it.
pub async fn serve_in_application(mcp: McpService) -> (SocketAddr, AbortHandle) {
    let app = Router::new().route("/", get(async || "at home")).fallback_service(mcp);
    serve_application(app).await
}

/// An application on a port of its own; its address, and what ends it.
pub async fn serve_application(app: Router) -> (SocketAddr, AbortHandle) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    let serving = tokio::spawn(async move { axum::serve(listener, app).await });
    (address, serving.abort_handle())
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(application) = &self.application {
            application.abort();
        }
        if let Some(handle) = &self.handle {
            handle.shut_down();
        }
    }
}

impl Wire {
    /// Sends any text.
    pub async fn send_text(&mut self, text: &str) {
        if !self.is_heard_below() {
            self.conversation.observe_sent(text);
        }
        match &mut self.kind {
            Kind::Memory(connection) => connection.send(text.as_bytes()).await,
            Kind::Stdio { writer, .. } => {
                writer.write_all(format!("{text}\n").as_bytes()).await.expect("a server that reads");
            }
            Kind::Sse(stream) => stream.post(text).await,
            Kind::Http(client) => client.post(text).await,
        }
    }

    /// Sends a message; a request says what requests of its version have to say.
    pub async fn send(&mut self, message: &Value) {
        let mut message = message.clone();
        if message.get("id").is_some() && message.get("method").is_some() {
            self.envelop(&mut message["params"]);
            if message["params"].is_null() {
                message.as_object_mut().expect("a message").remove("params");
            }
        }
        self.send_text(&message.to_string()).await;
    }

    /// Adds to a request's parameters what each says where there is no handshake.
    fn envelop(&self, params: &mut Value) {
        let Some(capabilities) = &self.stateless else { return };
        if (params.is_object() || params.is_null())
            && params["_meta"].as_object().is_none_or(|meta| !meta.contains_key(VERSION_KEY))
            && (params["_meta"].is_object() || params["_meta"].is_null())
        {
            params["_meta"][VERSION_KEY] = STATELESS.into();
            params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = capabilities.clone();
        }
    }

    /// The server's next message. What HTTP+SSE refuses by status comes here, too, as its body.
    pub async fn receive(&mut self) -> Value {
        let text = self.receive_raw().await;
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("not JSON ({error}): {text}"))
    }

    /// The server's next message, to the letter.
    pub async fn receive_raw(&mut self) -> String {
        let text = timeout(PATIENCE, self.receive_text()).await.expect("a message in time");
        if !self.is_heard_below() {
            self.conversation.observe_received(&text);
        }
        text
    }

    /// Whether what carries the messages has a conversation of its own, so that tests may use it without a wire.
    fn is_heard_below(&self) -> bool {
        matches!(self.kind, Kind::Sse(_) | Kind::Http(_))
    }

    async fn receive_text(&mut self) -> String {
        match &mut self.kind {
            Kind::Memory(connection) => {
                let message = connection.receive().await.expect("an open connection");
                String::from_utf8(message).expect("UTF-8")
            }
            Kind::Stdio { reader, .. } => {
                let mut line = String::new();
                reader.read_line(&mut line).await.expect("a server that writes");
                assert!(line.ends_with('\n'), "a whole line: {line:?}");
                line
            }
            Kind::Sse(stream) => stream.message().await,
            Kind::Http(client) => client.message().await.expect("a client that hears"),
        }
    }

    /// Sends a request without waiting; gives its id.
    pub async fn start(&mut self, method: &str, params: Value) -> i64 {
        let id = self.next_id;
        self.next_id += 1;
        self.start_as(&id.to_string(), method, params).await;
        id
    }

    /// Sends a request without waiting, under this id: JSON to the letter.
    pub async fn start_as(&mut self, id: &str, method: &str, mut params: Value) {
        self.envelop(&mut params);
        let params = if params.is_null() { String::new() } else { format!(r#","params":{params}"#) };
        self.send_text(&format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}"{params}}}"#)).await;
    }

    /// Sends a request; gives its whole answer, passing over notifications.
    pub async fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.start(method, params).await;
        self.answer(&json!(id)).await
    }

    /// The answer to that id, passing over notifications.
    pub async fn answer(&mut self, id: &Value) -> Value {
        loop {
            let message = self.receive().await;
            if message.get("method").is_none() {
                assert_eq!(&message["id"], id, "the next answer: {message}");
                return message;
            }
        }
    }

    /// The result of a request; panics on a refusal.
    pub async fn result(&mut self, method: &str, params: Value) -> Value {
        let mut answer = self.request(method, params).await;
        assert!(answer.get("error").is_none(), "{method} was refused: {answer}");
        let mut result = answer["result"].take();
        if self.stateless.is_some() {
            unframe(method, &mut result);
        }
        result
    }

    /// Sends a request, and answers what the server asks meanwhile: by `answer`, which gets the method and the parameters
    /// of a question, and gives its result. Gives the whole answer to the request, passing over notifications.
    pub async fn converse(&mut self, method: &str, params: Value, answer: impl Fn(&str, &Value) -> Value) -> Value {
        let mut round = params.clone();
        loop {
            let id = json!(self.start(method, round.clone()).await);
            let mut message = self.receive().await;
            while message.get("method").is_some() {
                assert!(self.stateless.is_none() || message.get("id").is_none(), "no request of the server: {message}");
                if let Some(asked) = message.get("id") {
                    let result = answer(message["method"].as_str().expect("a method"), &message["params"]);
                    self.send_text(&json!({"jsonrpc": "2.0", "id": asked, "result": result}).to_string()).await;
                }
                message = self.receive().await;
            }
            assert_eq!(message["id"], id, "the next answer: {message}");
            if message["result"]["resultType"] != "input_required" {
                return message;
            }
            round = params.clone();
            for (key, question) in message["result"]["inputRequests"].as_object().expect("questions") {
                let method = question["method"].as_str().expect("a method");
                round["inputResponses"][key] = answer(method, &question["params"]);
            }
            round["requestState"] = message["result"]["requestState"].take();
        }
    }

    /// Cancels a request, as its version and transport want it.
    pub async fn cancel(&mut self, id: &Value) {
        match &mut self.kind {
            Kind::Http(client) if self.stateless.is_some() => client.give_up(id),
            _ => self.notify("notifications/cancelled", json!({"requestId": id, "reason": "test"})).await,
        }
    }

    /// Sees that the server answers whoever asks.
    pub async fn probe(&mut self) {
        let (method, params) =
            if self.stateless.is_some() { ("server/discover", json!({})) } else { ("ping", json!({})) };
        self.result(method, params).await;
    }

    /// The refusal of a request; panics on a result.
    pub async fn refusal(&mut self, method: &str, params: Value) -> Value {
        let mut answer = self.request(method, params).await;
        assert!(answer.get("result").is_none(), "{method} was not refused: {answer}");
        answer["error"].take()
    }

    /// The result of a tool.
    pub async fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.result("tools/call", json!({"name": tool, "arguments": arguments})).await
    }

    /// Sends a notification.
    pub async fn notify(&mut self, method: &str, params: Value) {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params})).await;
    }

    /// Shakes hands; gives the answer to `initialize`.
    pub async fn initialize(&mut self, version: &str) -> Value {
        self.initialize_offering(version, json!({})).await
    }

    async fn initialize_offering(&mut self, version: &str, capabilities: Value) -> Value {
        let client = json!({"name": "test", "version": "1"});
        let params = json!({"protocolVersion": version, "capabilities": capabilities, "clientInfo": client});
        let answer = self.request("initialize", params).await;
        self.notify("notifications/initialized", json!({})).await;
        answer
    }

    /// Ends the session: at the client's wish where it can be said, or with its stream.
    pub async fn end(self) {
        if let Kind::Http(client) = self.kind {
            client.end().await;
        }
    }

    /// Closes the client's sending side, where the transport has one, and reads what is still said.
    pub async fn rest(self) -> Vec<String> {
        let Kind::Stdio { reader, mut writer } = self.kind else { return Vec::new() };
        writer.shutdown().await.expect("a stream that closes");
        let mut lines = reader.lines();
        let mut rest = Vec::new();
        while let Some(line) = timeout(PATIENCE, lines.next_line()).await.expect("an end in time").expect("lines") {
            self.conversation.observe_received(&line);
            rest.push(line);
        }
        rest
    }
}
