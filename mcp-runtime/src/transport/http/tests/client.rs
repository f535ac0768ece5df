//! A client by hand: bytes out, responses and event streams in, each message held to its schema.

use std::{future::Future, net::SocketAddr, time::Duration};

use mcp_test_schema::Shared;
use serde_json::Value;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};

pub(super) struct Connection {
    pub(super) socket: TcpStream,
    buffer: Vec<u8>,
    conversation: Shared,
}

#[derive(Debug, PartialEq)]
pub(super) struct Reply {
    pub(super) status: u16,
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: Vec<u8>,
}

/// An event stream with the path for messages that it named.
pub(super) struct Stream {
    pub(super) connection: Connection,
    pub(super) head: Reply,
    text: String,
    pub(super) uri: String,
    poster: Option<Connection>,
    server: SocketAddr,
}

pub(super) async fn in_time<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(10), future).await.expect("it took too long")
}

impl Connection {
    pub(super) async fn open(address: SocketAddr, conversation: &Shared) -> Self {
        let socket = in_time(TcpStream::connect(address)).await.unwrap();
        Self { socket, buffer: Vec::new(), conversation: conversation.clone() }
    }

    /// Sends anything; where that is a head and a whole body, the message in it can be answered.
    pub(super) async fn send(&mut self, bytes: impl AsRef<[u8]>) {
        if let Some((_, body)) = String::from_utf8_lossy(bytes.as_ref()).split_once("\r\n\r\n") {
            self.conversation.observe_sent(body);
        }
        in_time(self.socket.write_all(bytes.as_ref())).await.unwrap();
    }

    /// Reads more; false at the end.
    pub(super) async fn more(&mut self) -> bool {
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
    pub(super) async fn chunk(&mut self) -> Option<Vec<u8>> {
        let length = usize::from_str_radix(&self.line().await?, 16).unwrap();
        let chunk = self.exactly(length).await;
        self.line().await;
        (length > 0).then_some(chunk)
    }

    pub(super) async fn head(&mut self) -> Reply {
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
    pub(super) async fn rest_of(&mut self, mut head: Reply) -> Reply {
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

    pub(super) async fn reply(&mut self) -> Reply {
        let head = self.head().await;
        self.rest_of(head).await
    }

    /// Whether the server closes without another byte.
    pub(super) async fn is_closed(&mut self) -> bool {
        !self.more().await && self.buffer.is_empty()
    }
}

impl Reply {
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(found, _)| found == name).map(|(_, value)| value.as_str())
    }

    pub(super) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|_| panic!("{:?}", String::from_utf8_lossy(&self.body)))
    }

    /// Checks that it is a refusal of this status in the form that all have.
    #[track_caller]
    pub(super) fn is_refusal(&self, status: u16) {
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
    /// What an accepted connection has become, when it has named its path for messages.
    pub(super) async fn begun(connection: Connection, head: Reply, server: SocketAddr) -> Self {
        let mut stream = Self { connection, head, text: String::new(), uri: String::new(), poster: None, server };
        let (kind, uri) = stream.event().await.unwrap();
        assert_eq!(kind, "endpoint");
        stream.uri = uri;
        stream
    }

    /// The next event, as its type and data; none where the stream ends in order. A message is checked.
    pub(super) async fn event(&mut self) -> Option<(String, String)> {
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

    pub(super) async fn message(&mut self) -> Value {
        let (kind, data) = self.event().await.expect("the stream is over");
        assert_eq!(kind, "message");
        serde_json::from_str(&data).unwrap()
    }

    pub(super) async fn post(&mut self, message: &Value) -> Reply {
        let request = post(&self.uri, message);
        if self.poster.is_none() {
            self.poster = Some(Connection::open(self.server, &self.connection.conversation).await);
        }
        let poster = self.poster.as_mut().unwrap();
        poster.send(request).await;
        poster.reply().await
    }

    pub(super) async fn tell(&mut self, message: &Value) {
        let reply = self.post(message).await;
        assert_eq!((reply.status, reply.body.len()), (202, 0), "{reply:?}");
    }

    pub(super) async fn call(&mut self, message: &Value) -> Value {
        self.tell(message).await;
        self.message().await
    }
}

pub(super) fn post(uri: &str, message: &Value) -> String {
    post_text(uri, "Content-Type: application/json\r\n", &message.to_string())
}

pub(super) fn post_text(uri: &str, headers: &str, body: &str) -> String {
    let length = body.len();
    format!("POST {uri} HTTP/1.1\r\nHost: localhost\r\n{headers}Content-Length: {length}\r\n\r\n{body}")
}
