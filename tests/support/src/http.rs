//! HTTP by hand, so that tests say and see every byte: requests, answers, event streams.

use std::{
    collections::{HashMap, VecDeque},
    net::SocketAddr,
    sync::{LazyLock, Mutex, MutexGuard, PoisonError},
};

use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    net::TcpStream,
    time::timeout,
};

use crate::{PATIENCE, schema::Shared};

/// The conversations of sessions, by the address and by what names the session there: the path that takes its messages, or
/// its id. What is said to it by hand belongs to it, too.
fn conversations() -> MutexGuard<'static, HashMap<(SocketAddr, String), Shared>> {
    static CONVERSATIONS: LazyLock<Mutex<HashMap<(SocketAddr, String), Shared>>> = LazyLock::new(Mutex::default);
    CONVERSATIONS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The conversation of a session of Streamable HTTP.
pub fn conversation_of(address: SocketAddr, session: &str) -> Shared {
    conversations().entry((address, session.to_owned())).or_default().clone()
}

/// The conversation that a request belongs to; one of its own, where it belongs to no session.
fn conversation(address: SocketAddr, path: &str, headers: &[(&str, &str)]) -> Shared {
    let header =
        |name: &str| headers.iter().find(|(given, _)| given.eq_ignore_ascii_case(name)).map(|(_, value)| *value);
    if let Some(session) = header("Mcp-Session-Id") {
        return conversation_of(address, session);
    }
    let of_path = conversations().get(&(address, path.to_owned())).cloned();
    of_path.unwrap_or_else(|| header("MCP-Protocol-Version").map_or_else(Shared::default, Shared::at))
}

/// An answer: its status, its header lines with lower-case names, its body.
#[derive(Clone, Debug)]
pub struct Answer {
    /// E.g. 202.
    pub status: u16,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body, whole.
    pub body: String,
}

impl Answer {
    /// The value of a header.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(given, _)| given == name).map(|(_, value)| value.as_str())
    }
}

/// Sends a request on a connection of its own, and reads the answer to its end.
pub async fn request(address: SocketAddr, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Answer {
    let answer = open(address, method, path, headers, body).await;
    let (status, headers) = (answer.status, answer.headers.clone());
    let body = if method == "HEAD" { String::new() } else { answer.whole().await };
    Answer { status, headers, body }
}

/// An answer whose body is read as it comes.
#[derive(Debug)]
pub struct OpenAnswer {
    reader: BufReader<TcpStream>,
    /// E.g. 200.
    pub status: u16,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
    /// Text of the body that was read and is not yet a line.
    body: String,
    /// Each message of the body is checked in it.
    conversation: Shared,
    /// The stream goes on where an earlier one was lost.
    resumed: bool,
}

/// One event of a stream.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Event {
    /// Its name; empty where it has none.
    pub name: String,
    /// Its data, the lines joined.
    pub data: String,
    /// Its id.
    pub id: Option<String>,
    /// How long to wait before the stream is opened again, in milliseconds.
    pub retry: Option<u64>,
}

/// Sends a request on a connection of its own, and reads the answer's head.
pub async fn open(address: SocketAddr, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> OpenAnswer {
    let conversation = conversation(address, path, headers);
    conversation.observe_sent(body);
    let mut reader = connect(address).await;
    write_request(&mut reader, address, method, path, headers, body).await;
    let resumed = headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("Last-Event-ID"));
    let (status, headers) = read_head(&mut reader).await;
    let answer = OpenAnswer { reader, status, headers, body: String::new(), conversation, resumed };
    if let Some(session) = answer.header("mcp-session-id") {
        conversations().insert((address, session.to_owned()), answer.conversation.clone());
    }
    answer
}

impl OpenAnswer {
    /// The value of a header.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(given, _)| given == name).map(|(_, value)| value.as_str())
    }

    /// Whether the body is an event stream.
    pub fn is_stream(&self) -> bool {
        self.header("content-type") == Some("text/event-stream")
    }

    /// The body of an answer that says how long it is.
    pub async fn whole(mut self) -> String {
        let length = self.header("content-length").map_or(0, |length| length.parse().expect("a length"));
        let mut bytes = vec![0; length];
        timeout(PATIENCE, self.reader.read_exact(&mut bytes)).await.expect("a body in time").expect("a whole body");
        let body = String::from_utf8(bytes).expect("UTF-8");
        // Health and metadata are documents of their own; what answers a message is one.
        if body.contains(r#""jsonrpc""#) || body.contains(r#""error":{"#) {
            if self.status < 400 {
                self.conversation.observe_received(&body);
            } else {
                self.conversation.observe_refusal(&body);
            }
        }
        body
    }

    /// The next event, passing over comments; none at the end of the stream.
    pub async fn event(&mut self) -> Option<Event> {
        let (mut event, mut data, mut said) = (Event::default(), Vec::new(), false);
        loop {
            let line = self.line().await?;
            if line.is_empty() {
                if said {
                    event.data = data.join("\n");
                    if event.name == "message" && !event.data.is_empty() {
                        self.heard(&event.data);
                    }
                    return Some(event);
                }
                continue;
            }
            let (field, value) = line.split_once(':').expect("a line of an event");
            let value = value.strip_prefix(' ').unwrap_or(value);
            match field {
                "" => continue,
                "event" => value.clone_into(&mut event.name),
                "data" => data.push(value.to_owned()),
                "id" => event.id = Some(value.to_owned()),
                "retry" => event.retry = Some(value.parse().expect("milliseconds")),
                other => panic!("a field that events do not have: {other}"),
            }
            said = true;
        }
    }

    fn heard(&self, message: &str) {
        if self.resumed {
            self.conversation.observe_resumed(message);
        } else {
            self.conversation.observe_received(message);
        }
    }

    /// The next line of the body, its chunks joined. A stream may be silent for as long as it likes.
    async fn line(&mut self) -> Option<String> {
        loop {
            if let Some(end) = self.body.find('\n') {
                let line: String = self.body.drain(..=end).collect();
                return Some(line.trim_end_matches(['\r', '\n']).to_owned());
            }
            let mut size = String::new();
            let read = self.reader.read_line(&mut size).await;
            let size = usize::from_str_radix(size.trim(), 16);
            let (Ok(1..), Ok(size @ 1..)) = (read, size) else { return None };
            let mut chunk = vec![0; size + 2];
            timeout(PATIENCE, self.reader.read_exact(&mut chunk)).await.expect("a chunk in time").ok()?;
            chunk.truncate(size);
            self.body.push_str(std::str::from_utf8(&chunk).expect("UTF-8"));
        }
    }
}

/// An open event stream of HTTP+SSE with its session.
#[derive(Debug)]
pub struct EventStream {
    address: SocketAddr,
    stream: OpenAnswer,
    /// The path that takes this session's messages.
    pub endpoint: String,
    /// Bodies of refused POSTs, which a client would see before what the stream says next.
    refused: VecDeque<String>,
}

impl Drop for EventStream {
    fn drop(&mut self) {
        conversations().remove(&(self.address, self.endpoint.clone()));
    }
}

impl EventStream {
    /// Opens a stream, and reads its first event.
    pub async fn open(address: SocketAddr, path: &str) -> Self {
        Self::open_with(address, path, &[]).await
    }

    /// Opens a stream with these headers.
    pub async fn open_with(address: SocketAddr, path: &str, headers: &[(&str, &str)]) -> Self {
        let mut all = vec![("Accept", "text/event-stream")];
        all.extend_from_slice(headers);
        let stream = open(address, "GET", path, &all, "").await;
        assert_eq!(stream.status, 200, "{:?}", stream.headers);
        let (endpoint, refused) = (String::new(), VecDeque::new());
        let mut stream = Self { address, stream, endpoint, refused };
        let (event, endpoint) = stream.event().await.expect("a first event");
        assert_eq!(event, "endpoint");
        conversations().insert((address, endpoint.clone()), stream.stream.conversation.clone());
        stream.endpoint = endpoint;
        stream
    }

    /// The answer's head.
    pub fn headers(&self) -> &[(String, String)] {
        &self.stream.headers
    }

    /// Posts a message of this session: accepted without a body, or refused with one.
    pub async fn post(&mut self, text: &str) {
        let headers = [("Content-Type", "application/json")];
        let answer = request(self.address, "POST", &self.endpoint, &headers, text).await;
        if answer.status == 202 {
            assert_eq!(answer.body, "", "an accepted message has no answer of its own");
        } else {
            assert!(matches!(answer.status, 400 | 429), "{answer:?}");
            self.refused.push_back(answer.body);
        }
    }

    /// The next message, or the body of a refusal.
    pub async fn message(&mut self) -> String {
        if let Some(refused) = self.refused.pop_front() {
            return refused;
        }
        let (event, data) = self.event().await.expect("an open stream");
        assert_eq!(event, "message");
        data
    }

    /// The next event as its name and data, passing over comments; none at the end of the stream.
    pub async fn event(&mut self) -> Option<(String, String)> {
        let event = timeout(PATIENCE, self.stream.event()).await.expect("an event in time")?;
        Some((event.name, event.data))
    }
}

async fn connect(address: SocketAddr) -> BufReader<TcpStream> {
    BufReader::new(TcpStream::connect(address).await.expect("a listener"))
}

async fn write_request(
    connection: &mut BufReader<TcpStream>,
    address: SocketAddr,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: &str,
) {
    let mut text = format!("{method} {path} HTTP/1.1\r\n");
    if !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("host")) {
        text.push_str(&format!("Host: {address}\r\n"));
    }
    for (name, value) in headers {
        text.push_str(&format!("{name}: {value}\r\n"));
    }
    if method == "POST" {
        text.push_str(&format!("Content-Length: {}\r\n", body.len()));
    }
    text.push_str("\r\n");
    text.push_str(body);
    connection.get_mut().write_all(text.as_bytes()).await.expect("a server that reads");
}

async fn read_head(connection: &mut BufReader<TcpStream>) -> (u16, Vec<(String, String)>) {
    let mut lines = Vec::new();
    loop {
        let mut line = String::new();
        let read = timeout(PATIENCE, connection.read_line(&mut line)).await.expect("a head in time");
        assert!(read.expect("a head") > 0, "the connection ended in the head: {lines:?}");
        let line = line.trim_end().to_owned();
        if line.is_empty() {
            break;
        }
        lines.push(line);
    }
    let status = lines[0].split(' ').nth(1).expect("a status").parse().expect("a number");
    let headers = lines[1..]
        .iter()
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
        .collect();
    (status, headers)
}
