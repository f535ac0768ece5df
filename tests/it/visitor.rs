//! A server whose handlers go on when they are told to, and a client of Streamable HTTP that says every header itself.

use std::{net::SocketAddr, sync::Arc};

use mcp_runtime::{Handle, prelude::*, protocol::LoggingLevel};
use mcp_test_support::{
    Listening, PATIENCE,
    http::{self, Answer, OpenAnswer},
    serve_in_application,
};
use serde_json::{Value, json};
use tokio::{sync::Semaphore, task::AbortHandle, time::timeout};

pub(crate) const NEWEST_WITH_SESSIONS: &str = "2025-11-25";

/// What holds handlers up, and tells how far they are.
pub(crate) struct Gate {
    pub(crate) began: Semaphore,
    pub(crate) go: Semaphore,
    /// Handlers that came to their own end.
    pub(crate) arrived: Semaphore,
    /// Handlers that ended, in whatever way.
    pub(crate) over: Semaphore,
}

/// Tells that a handler is over when it is dropped.
struct Over(Arc<Gate>);

impl Drop for Over {
    fn drop(&mut self) {
        self.0.over.add_permits(1);
    }
}

impl Gate {
    /// Waits for one permit, which is not given back.
    pub(crate) async fn pass(semaphore: &Semaphore) {
        timeout(PATIENCE, semaphore.acquire()).await.expect("a permit in time").expect("an open gate").forget();
    }
}

/// Answers at once
#[mcp_tool]
fn quick() -> &'static str {
    "quick"
}

/// Says something so often, and gives its tag back
#[mcp_tool]
async fn say(context: Context, tag: String, times: usize, size: usize) -> String {
    for i in 0..times {
        context.log(LoggingLevel::Info, format!("{tag} {i} {}", "x".repeat(size))).await;
        if i % 3 == 0 {
            tokio::task::yield_now().await;
        }
    }
    tag
}

/// Says something before each step, and waits to be let go on
#[mcp_tool]
async fn steps(context: Context, gate: State<Arc<Gate>>, times: u32) -> &'static str {
    let _over = Over(Arc::clone(&gate));
    for i in 0..times {
        context.log(LoggingLevel::Info, format!("step {i}")).await;
        gate.began.add_permits(1);
        gate.go.acquire().await.expect("an open gate").forget();
    }
    gate.arrived.add_permits(1);
    "arrived"
}

/// Says nothing, and waits to be let go on
#[mcp_tool]
async fn wait(gate: State<Arc<Gate>>) -> &'static str {
    let _over = Over(Arc::clone(&gate));
    gate.began.add_permits(1);
    gate.go.acquire().await.expect("an open gate").forget();
    gate.arrived.add_permits(1);
    "waited"
}

/// Ends its connection, and waits to be let go on
#[mcp_tool]
async fn leave(context: Context, gate: State<Arc<Gate>>) -> &'static str {
    context.close_stream();
    gate.began.add_permits(1);
    gate.go.acquire().await.expect("an open gate").forget();
    context.log(LoggingLevel::Info, "meanwhile").await;
    "back"
}

/// A running server.
pub(crate) struct Served {
    pub(crate) address: SocketAddr,
    pub(crate) gate: Arc<Gate>,
    pub(crate) handle: Handle,
    application: Option<AbortHandle>,
}

impl Served {
    /// Starts the server, with these options of its listener.
    pub(crate) async fn start(options: Value) -> Self {
        Self::start_as(Listening::Alone, options).await
    }

    /// Starts it alone or in an application.
    pub(crate) async fn start_as(listening: Listening, mut options: Value) -> Self {
        options["port"] = 0.into();
        let options = json!({"name": "visited", "transport": {"type": "sse", "options": options}});
        let options: ServerOptions = serde_json::from_value(options).expect("options");
        let gate = Arc::new(Gate {
            began: Semaphore::new(0),
            go: Semaphore::new(0),
            arrived: Semaphore::new(0),
            over: Semaphore::new(0),
        });
        let server = McpServer::new(options).tool::<quick>().tool::<say>().tool::<steps>().tool::<wait>();
        let server = server.tool::<leave>().state(Arc::clone(&gate));
        match listening {
            Listening::Alone => {
                let bound = server.bind().await.expect("a server that starts");
                let (address, handle) = (bound.local_addr().expect("a listener"), bound.handle());
                tokio::spawn(bound.serve());
                Self { address, gate, handle, application: None }
            }
            Listening::Mounted => {
                let mcp = server.into_service().await.expect("a server that starts");
                let handle = mcp.handle();
                let (address, application) = serve_in_application(mcp).await;
                Self { address, gate, handle, application: Some(application) }
            }
        }
    }

    /// A client with a session of that version.
    pub(crate) async fn visitor(&self, version: &'static str) -> Visitor {
        self.visitor_with(version, &[]).await
    }

    /// A client with a session, that sends these headers with every request.
    pub(crate) async fn visitor_with(&self, version: &'static str, extra: &[(&'static str, &'static str)]) -> Visitor {
        let mut visitor = Visitor { address: self.address, session: String::new(), version, extra: extra.to_vec() };
        let answer = visitor.post(&initialize(version)).await;
        assert_eq!(answer.status, 200, "{:?}", answer.headers);
        visitor.session = answer.header("mcp-session-id").expect("a session").to_owned();
        answer.whole().await;
        let accepted = visitor.post(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
        assert_eq!(accepted.status, 202);
        visitor
    }

    /// The answer to a request that says its headers itself.
    pub(crate) async fn ask(&self, method: &str, headers: &[(&str, &str)], body: &str) -> Answer {
        let answer = http::open(self.address, method, "/mcp", headers, body).await;
        let (status, headers) = (answer.status, answer.headers.clone());
        // Of a stream nothing is read but its head.
        let body = if answer.is_stream() { String::new() } else { answer.whole().await };
        Answer { status, headers, body }
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.handle.shut_down();
        if let Some(application) = &self.application {
            application.abort();
        }
    }
}

/// One client, and its session.
#[derive(Clone)]
pub(crate) struct Visitor {
    pub(crate) address: SocketAddr,
    pub(crate) session: String,
    version: &'static str,
    extra: Vec<(&'static str, &'static str)>,
}

impl Visitor {
    /// The same, with these headers instead of its own.
    pub(crate) fn with(&self, extra: &[(&'static str, &'static str)]) -> Self {
        Self { extra: extra.to_vec(), ..self.clone() }
    }

    pub(crate) async fn post(&self, message: &Value) -> OpenAnswer {
        let mut headers = self.headers();
        headers.push(("Content-Type", "application/json"));
        headers.push(("Accept", "application/json, text/event-stream"));
        self.open("POST", &headers, &message.to_string()).await
    }

    /// The session's own stream, or the one whose last event is named.
    pub(crate) async fn get(&self, last: Option<&str>) -> OpenAnswer {
        let mut headers = self.headers();
        headers.push(("Accept", "text/event-stream"));
        headers.extend(last.map(|last| ("Last-Event-ID", last)));
        self.open("GET", &headers, "").await
    }

    pub(crate) async fn delete(&self) -> OpenAnswer {
        self.open("DELETE", &self.headers(), "").await
    }

    /// The headers that every request of the session has.
    pub(crate) fn headers(&self) -> Vec<(&str, &str)> {
        let mut headers = self.extra.clone();
        if !self.session.is_empty() {
            headers.push(("Mcp-Session-Id", &self.session));
            headers.push(("MCP-Protocol-Version", self.version));
        }
        headers
    }

    async fn open(&self, method: &str, headers: &[(&str, &str)], body: &str) -> OpenAnswer {
        timeout(PATIENCE, http::open(self.address, method, "/mcp", headers, body)).await.expect("an answer in time")
    }
}

pub(crate) fn initialize(version: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "visitor", "version": "1"}}})
}

pub(crate) fn call(id: impl Into<Value>, tool: &str, arguments: Value) -> Value {
    let params = json!({"name": tool, "arguments": arguments});
    json!({"jsonrpc": "2.0", "id": id.into(), "method": "tools/call", "params": params})
}

/// The text of a call's answer.
pub(crate) fn text_of(answer: &str) -> String {
    let answer: Value = serde_json::from_str(answer).expect("JSON");
    answer["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned()
}

/// The next event of a stream that says something; none at its end.
pub(crate) async fn event(stream: &mut OpenAnswer) -> Option<http::Event> {
    timeout(PATIENCE, stream.event()).await.expect("an event in time")
}
