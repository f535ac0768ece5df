//! A client of Streamable HTTP: each message on a connection of its own, all that is said back in one place.

use std::{collections::HashMap, net::SocketAddr};

use base64::{Engine, prelude::BASE64_STANDARD};
use serde_json::Value;
use tokio::{
    sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel},
    task::{AbortHandle, JoinError, JoinSet},
};

use crate::http::{self, OpenAnswer};

/// The endpoint.
pub const PATH: &str = "/mcp";

/// The key under which a request says its version.
pub const VERSION_KEY: &str = "io.modelcontextprotocol/protocolVersion";

/// One client, in a session or without.
#[derive(Debug)]
pub struct StreamableClient {
    address: SocketAddr,
    session: Option<String>,
    said: UnboundedSender<String>,
    hears: UnboundedReceiver<String>,
    /// Requests that are under way, and the session's own stream; they end with the client.
    readers: JoinSet<()>,
    /// Those of requests, by id.
    requests: HashMap<String, AbortHandle>,
}

impl StreamableClient {
    /// A client that has said nothing yet.
    pub fn new(address: SocketAddr) -> Self {
        let (said, hears) = unbounded_channel();
        Self { address, session: None, said, hears, readers: JoinSet::new(), requests: HashMap::new() }
    }

    /// The id of its session.
    pub fn session(&self) -> Option<&str> {
        self.session.as_deref()
    }

    /// Posts any text, with the headers that belong to it.
    pub async fn post(&mut self, text: &str) {
        let message: Option<Value> = serde_json::from_str(text).ok();
        let headers = self.headers(message.as_ref());
        let headers: Vec<_> = headers.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        let method = message.as_ref().and_then(|message| message["method"].as_str()).unwrap_or_default();
        let is_request = message.as_ref().is_some_and(|message| {
            message.is_array() || (message.get("id").is_some() && message.get("method").is_some())
        });
        if is_request && method != "initialize" {
            // Its answer may take its time.
            let (address, said, text) = (self.address, self.said.clone(), text.to_owned());
            let headers: Vec<_> =
                headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
            let reader = self.readers.spawn(async move {
                let headers: Vec<_> = headers.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
                read(http::open(address, "POST", PATH, &headers, &text).await, &said).await;
            });
            self.requests.extend(message.map(|message| (message["id"].to_string(), reader)));
            return;
        }
        let answer = http::open(self.address, "POST", PATH, &headers, text).await;
        if let Some(id) = answer.header("mcp-session-id") {
            self.session = Some(id.to_owned());
        }
        read(answer, &self.said).await;
        if method == "notifications/initialized" {
            self.listen().await;
        }
    }

    /// Closes the connection of a request.
    pub fn give_up(&mut self, id: &Value) {
        if let Some(reader) = self.requests.remove(&id.to_string()) {
            reader.abort();
        }
    }

    /// Ends its session.
    pub async fn end(self) {
        let session = self.session.as_deref().unwrap_or_default();
        let answer = http::request(self.address, "DELETE", PATH, &[("Mcp-Session-Id", session)], "").await;
        assert_eq!(answer.status, 204, "{}", answer.body);
    }

    /// The server's next message; none where there will be none.
    pub async fn message(&mut self) -> Option<String> {
        loop {
            tokio::select! {
                biased;
                Some(ended) = self.readers.join_next() => went_well(ended),
                message = self.hears.recv() => return message,
            }
        }
    }

    /// Opens the session's own stream.
    async fn listen(&mut self) {
        let Some(session) = &self.session else { return };
        let headers = [("Accept", "text/event-stream"), ("Mcp-Session-Id", session)];
        let stream = http::open(self.address, "GET", PATH, &headers, "").await;
        assert_eq!(stream.status, 200, "{:?}", stream.headers);
        let said = self.said.clone();
        self.readers.spawn(async move { read(stream, &said).await });
    }

    /// The headers of a message: those that repeat parts of it, where it speaks for itself.
    fn headers(&self, message: Option<&Value>) -> Vec<(String, String)> {
        let mut headers = vec![
            ("Content-Type".to_owned(), "application/json".to_owned()),
            ("Accept".to_owned(), "application/json, text/event-stream".to_owned()),
        ];
        let params = message.map(|message| &message["params"]);
        let version = params.and_then(|params| params["_meta"][VERSION_KEY].as_str());
        if let (Some(version), Some(message), Some(params)) = (version, message, params) {
            headers.push(("MCP-Protocol-Version".to_owned(), version.to_owned()));
            headers.push(("Mcp-Method".to_owned(), message["method"].as_str().unwrap_or_default().to_owned()));
            let name = match message["method"].as_str() {
                Some("tools/call" | "prompts/get") => params["name"].as_str(),
                Some("resources/read") => params["uri"].as_str(),
                Some("tasks/get" | "tasks/update" | "tasks/cancel") => params["taskId"].as_str(),
                _ => None,
            };
            headers.extend(name.map(|name| ("Mcp-Name".to_owned(), encoded(name))));
        } else if let Some(session) = &self.session {
            headers.push(("Mcp-Session-Id".to_owned(), session.clone()));
        }
        headers
    }
}

impl Drop for StreamableClient {
    fn drop(&mut self) {
        while let Some(ended) = self.readers.try_join_next()
            && !std::thread::panicking()
        {
            went_well(ended);
        }
    }
}

/// Passes on a panic of whoever read: what was said was wrong.
fn went_well(ended: Result<(), JoinError>) {
    if let Err(Ok(panic)) = ended.map_err(JoinError::try_into_panic) {
        std::panic::resume_unwind(panic);
    }
}

/// A text as a header may hold it.
fn encoded(text: &str) -> String {
    let plain = text.bytes().all(|byte| (0x20..0x7f).contains(&byte)) && text.trim() == text && !text.is_empty();
    if plain { text.to_owned() } else { format!("=?base64?{}?=", BASE64_STANDARD.encode(text)) }
}

/// Passes on all that an answer says.
async fn read(mut answer: OpenAnswer, said: &UnboundedSender<String>) {
    if answer.is_stream() {
        while let Some(event) = answer.event().await {
            if !event.data.is_empty() {
                assert_eq!(event.name, "message");
                let _ = said.send(event.data);
            }
        }
        return;
    }
    let status = answer.status;
    let body = answer.whole().await;
    assert_eq!(status == 202, body.is_empty(), "{status}: {body}");
    if !body.is_empty() {
        // Nobody hears it any more where the test is over.
        let _ = said.send(body);
    }
}
