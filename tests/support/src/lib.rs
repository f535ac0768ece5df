//! One way to speak to a server, whatever the transport: raw JSON messages in and out, each wait bounded.

pub mod http;
pub mod identity;

use std::time::Duration;

use http::EventStream;
use mcp_runtime::{McpServer, ServerOptions, SseOptions, TransportOptions, testing::Connection};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, ReadHalf, WriteHalf},
    time::timeout,
};

/// The versions that a handshake can agree on.
pub const VERSIONS: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];

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
}

impl Transport {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Memory, Self::Stdio, Self::Sse];
}

/// One client's connection.
#[derive(Debug)]
pub struct Wire {
    kind: Kind,
    /// The transport it goes over.
    pub transport: Transport,
    next_id: i64,
}

#[derive(Debug)]
enum Kind {
    Memory(Connection),
    Stdio { reader: BufReader<ReadHalf<DuplexStream>>, writer: WriteHalf<DuplexStream> },
    Sse(EventStream),
}

/// A server that clients can connect to.
#[derive(Debug)]
pub struct Running {
    transport: Transport,
    memory: Option<Connection>,
    make: fn() -> McpServer,
    /// Where an HTTP server listens.
    pub address: Option<std::net::SocketAddr>,
    handle: Option<mcp_runtime::Handle>,
}

impl Running {
    /// Starts the server that `make` makes.
    pub async fn start(transport: Transport, make: fn() -> McpServer) -> Self {
        let mut running = Self { transport, memory: None, make, address: None, handle: None };
        match transport {
            Transport::Memory => running.memory = Some(Connection::open(make()).expect("a server that starts")),
            Transport::Stdio => {}
            Transport::Sse => {
                let server = make();
                let mut options = ServerOptions::new(&server.options().name, &server.options().version);
                options.instructions.clone_from(&server.options().instructions);
                options.transport = TransportOptions::Sse(SseOptions { port: 0, ..Default::default() });
                let bound = server.with_options(options).bind().await.expect("a server that starts");
                running.address = bound.local_addr();
                running.handle = Some(bound.handle());
                tokio::spawn(bound.serve());
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
        };
        Wire { kind, transport: self.transport, next_id: 1 }
    }

    /// Connects a client and shakes hands at that version.
    pub async fn connect_as(&self, version: &str) -> Wire {
        let mut wire = self.connect().await;
        let result = wire.initialize(version).await;
        assert_eq!(result["result"]["protocolVersion"], version, "{result}");
        wire
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(handle) = &self.handle {
            handle.shut_down();
        }
    }
}

impl Wire {
    /// Sends any text.
    pub async fn send_text(&mut self, text: &str) {
        match &mut self.kind {
            Kind::Memory(connection) => connection.send(text.as_bytes()).await,
            Kind::Stdio { writer, .. } => {
                writer.write_all(format!("{text}\n").as_bytes()).await.expect("a server that reads");
            }
            Kind::Sse(stream) => stream.post(text).await,
        }
    }

    /// Sends a message.
    pub async fn send(&mut self, message: &Value) {
        self.send_text(&message.to_string()).await;
    }

    /// The server's next message. What HTTP+SSE refuses by status comes here, too, as its body.
    pub async fn receive(&mut self) -> Value {
        let text = self.receive_raw().await;
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("not JSON ({error}): {text}"))
    }

    /// The server's next message, to the letter.
    pub async fn receive_raw(&mut self) -> String {
        timeout(PATIENCE, self.receive_text()).await.expect("a message in time")
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
        }
    }

    /// Sends a request without waiting; gives its id.
    pub async fn start(&mut self, method: &str, params: Value) -> i64 {
        let id = self.next_id;
        self.next_id += 1;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})).await;
        id
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
        answer["result"].take()
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
        let client = json!({"name": "test", "version": "1"});
        let params = json!({"protocolVersion": version, "capabilities": {}, "clientInfo": client});
        let answer = self.request("initialize", params).await;
        self.notify("notifications/initialized", json!({})).await;
        answer
    }

    /// Closes the client's sending side, where the transport has one, and reads what is still said.
    pub async fn rest(self) -> Vec<String> {
        let Kind::Stdio { reader, mut writer } = self.kind else { return Vec::new() };
        writer.shutdown().await.expect("a stream that closes");
        let mut lines = reader.lines();
        let mut rest = Vec::new();
        while let Some(line) = timeout(PATIENCE, lines.next_line()).await.expect("an end in time").expect("lines") {
            rest.push(line);
        }
        rest
    }
}
