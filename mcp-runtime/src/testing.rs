//! A client within the process, for tests of servers: typed, and without a wire (floor 4).

use std::{
    any::Any,
    collections::{HashMap, VecDeque},
    fmt,
    panic::resume_unwind,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::{Map, Value, json};
use tokio::sync::{Notify, oneshot};

#[cfg(feature = "auth")]
#[doc(hidden)]
pub use crate::auth::CredentialCheck;
#[cfg(feature = "http")]
#[doc(hidden)]
pub use crate::serve::HttpDoor;
use crate::{
    McpServer,
    protocol::{
        CallToolResult, CreateMessageRequestParams, CreateMessageResult, ElicitRequestParams, ElicitResult,
        GetPromptResult, InitializeResult, ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult,
        ListRootsResult, ListToolsResult, Prompt, ProtocolVersion, ReadResourceResult, Resource, ResourceTemplate,
        Root, Tool, adapt::Lower,
    },
    server::error::Error,
    transport::memory::Memory,
};

/// How often a call may send the client away with questions before that counts as a failure.
const MOST_ROUNDS: usize = 32;

/// Notifications that are kept for [`TestClient::notification`]; older ones are dropped.
const MOST_NOTIFICATIONS: usize = 4096;

/// A client connected to a server in the same process.
///
/// ```
/// use mcp_runtime::{prelude::*, testing::TestClient};
/// use serde_json::json;
///
/// /// Says hello.
/// #[mcp_tool]
/// fn hello(name: String) -> String {
///     format!("Hello, {name}!")
/// }
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// # mcp_test_schema::test_client!();
/// let server = McpServer::new(ServerOptions::default()).tool::<hello>();
/// let client = TestClient::connect(server).await?;
/// let result = client.call("hello", json!({"name": "Ada"})).await?;
/// assert_eq!(result.first_text(), Some("Hello, Ada!"));
/// # Ok::<(), Box<dyn std::error::Error>>(()) }).unwrap();
/// ```
#[derive(Debug)]
pub struct TestClient {
    shared: Arc<Shared>,
    initialized: InitializeResult,
}

struct Shared {
    memory: Memory,
    version: ProtocolVersion,
    /// What a request says of the client, where requests do.
    meta: Map<String, Value>,
    answers: HashMap<String, Box<Answering>>,
    watch: Option<Box<Watching>>,
    next_id: AtomicU64,
    state: Mutex<State>,
    notified: Notify,
}

/// Who said a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Speaker {
    /// The test client.
    Client,
    /// The server under test.
    Server,
}

/// What is shown each message.
type Watching = dyn Fn(Speaker, &str) + Send + Sync;

/// What answers a question of the server.
type Answering = dyn Fn(Value) -> Result<Value, Refusal> + Send + Sync;

#[derive(Debug, Default)]
struct State {
    waiting: HashMap<u64, oneshot::Sender<Result<Value, Refusal>>>,
    notifications: VecDeque<Notification>,
    /// What something of the test panicked with, away from the test.
    panic: Option<Box<dyn Any + Send>>,
}

/// A server's notification.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Notification {
    /// E.g. `notifications/progress`.
    pub method: String,
    /// Its parameters, null where it has none.
    #[serde(default)]
    pub params: Value,
}

/// A server's refusal: the `error` of its answer.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Refusal {
    /// E.g. -32602.
    pub code: i64,
    /// One sentence.
    pub message: String,
    /// More for a program to read, null where there is none.
    #[serde(default)]
    pub data: Value,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.message, self.code)
    }
}

impl std::error::Error for Refusal {}

impl Refusal {
    /// A failure that the client found itself.
    fn of_client(message: String) -> Self {
        Self { code: 0, message, data: Value::Null }
    }
}

/// A request that is under way.
#[derive(Debug)]
pub struct Started {
    shared: Arc<Shared>,
    id: u64,
    answer: oneshot::Receiver<Result<Value, Refusal>>,
}

impl TestClient {
    /// Connects, with the newest version of the protocol that has a handshake.
    ///
    /// # Errors
    /// When the server cannot start.
    pub async fn connect(server: McpServer) -> Result<Self, Error> {
        Self::connect_as(server, ProtocolVersion::LATEST_WITH_HANDSHAKE).await
    }

    /// Connects as a client of that version.
    ///
    /// # Errors
    /// When the server cannot start.
    pub async fn connect_as(server: McpServer, version: ProtocolVersion) -> Result<Self, Error> {
        Self::of(server).version(version).connect().await
    }

    /// A client that is yet to connect, and may offer something to the server before.
    pub fn of(server: McpServer) -> TestClientBuilder {
        TestClientBuilder {
            server,
            version: ProtocolVersion::LATEST_WITH_HANDSHAKE,
            capabilities: Map::new(),
            answers: HashMap::new(),
            watch: None,
        }
    }

    /// What the server said of itself.
    pub fn initialized(&self) -> &InitializeResult {
        &self.initialized
    }

    /// Calls a tool.
    ///
    /// # Errors
    /// When the server refuses the request; a failed tool is a result with `is_error`.
    pub async fn call(&self, tool: &str, arguments: Value) -> Result<CallToolResult, Refusal> {
        self.typed("tools/call", json!({ "name": tool, "arguments": arguments })).await
    }

    /// All tools, page by page.
    ///
    /// # Errors
    /// When the server refuses the request.
    pub async fn list_tools(&self) -> Result<Vec<Tool>, Refusal> {
        self.pages("tools/list", |page: ListToolsResult| (page.tools, page.next_cursor)).await
    }

    /// All resources, page by page.
    ///
    /// # Errors
    /// When the server refuses the request.
    pub async fn list_resources(&self) -> Result<Vec<Resource>, Refusal> {
        self.pages("resources/list", |page: ListResourcesResult| (page.resources, page.next_cursor)).await
    }

    /// All resource templates, page by page.
    ///
    /// # Errors
    /// When the server refuses the request.
    pub async fn list_resource_templates(&self) -> Result<Vec<ResourceTemplate>, Refusal> {
        let split = |page: ListResourceTemplatesResult| (page.resource_templates, page.next_cursor);
        self.pages("resources/templates/list", split).await
    }

    /// All prompts, page by page.
    ///
    /// # Errors
    /// When the server refuses the request.
    pub async fn list_prompts(&self) -> Result<Vec<Prompt>, Refusal> {
        self.pages("prompts/list", |page: ListPromptsResult| (page.prompts, page.next_cursor)).await
    }

    /// Reads a resource.
    ///
    /// # Errors
    /// When the server refuses the request: there is no such resource, or it cannot be read.
    pub async fn read(&self, uri: &str) -> Result<ReadResourceResult, Refusal> {
        self.typed("resources/read", json!({ "uri": uri })).await
    }

    /// Gets a prompt; the arguments are an object of texts.
    ///
    /// # Errors
    /// When the server refuses the request.
    pub async fn get_prompt(&self, prompt: &str, arguments: Value) -> Result<GetPromptResult, Refusal> {
        self.typed("prompts/get", json!({ "name": prompt, "arguments": arguments })).await
    }

    /// Sends any request, and waits for its result. Where the server asks something before it can have one, the client
    /// answers, and comes back.
    ///
    /// # Errors
    /// When the server refuses the request, or asks what the client has no answer to.
    pub async fn request(&self, method: &str, params: Value) -> Result<Value, Refusal> {
        let mut round = params.clone();
        for _ in 0..MOST_ROUNDS {
            let mut result = self.start(method, round).await.answer().await?;
            if result["resultType"] != "input_required" {
                return Ok(result);
            }
            let mut responses = Map::new();
            for (key, question) in result["inputRequests"].as_object().into_iter().flatten() {
                let method = question["method"].as_str().unwrap_or_default();
                responses.insert(key.clone(), self.shared.answer(method, question["params"].clone())?);
            }
            round = params.clone();
            round["inputResponses"] = Value::Object(responses);
            round["requestState"] = result["requestState"].take();
        }
        Err(Refusal::of_client(format!("the server asked more than {MOST_ROUNDS} times")))
    }

    /// Sends any request, and does not wait.
    pub async fn start(&self, method: &str, params: Value) -> Started {
        start(&self.shared, method, &params).await
    }

    /// Sends a notification.
    pub async fn notify(&self, method: &str, params: Value) {
        self.shared.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params })).await;
    }

    /// The server's next notification, in the order of their coming.
    pub async fn notification(&self) -> Notification {
        loop {
            let notified = self.shared.notified.notified();
            if let Some(notification) = self.shared.state().notifications.pop_front() {
                return notification;
            }
            self.shared.pass_on_panic();
            notified.await;
        }
    }

    /// All notifications that have come and were not asked for yet.
    pub fn notifications(&self) -> Vec<Notification> {
        self.shared.state().notifications.drain(..).collect()
    }

    async fn typed<T: DeserializeOwned>(&self, method: &str, params: Value) -> Result<T, Refusal> {
        decode(self.request(method, params).await?)
    }

    async fn pages<P: DeserializeOwned, T>(
        &self,
        method: &str,
        split: impl Fn(P) -> (Vec<T>, Option<String>),
    ) -> Result<Vec<T>, Refusal> {
        let mut all = Vec::new();
        let mut params = json!({});
        loop {
            let (items, next) = split(self.typed(method, params).await?);
            all.extend(items);
            match next {
                Some(cursor) => params = json!({ "cursor": cursor }),
                None => return Ok(all),
            }
        }
    }
}

/// A [`TestClient`] that is yet to connect: which version it speaks, and what it answers when the server asks.
///
/// ```
/// use mcp_runtime::{
///     prelude::*,
///     protocol::{ElicitResult, ProtocolVersion},
///     testing::TestClient,
/// };
/// use serde_json::json;
///
/// #[derive(serde::Deserialize, schemars::JsonSchema)]
/// struct Name {
///     name: String,
/// }
///
/// /// Greets whoever calls
/// #[mcp_tool]
/// async fn greet(context: Context) -> Result<String, ToolError> {
///     let answer = context.elicit::<Name>("Who are you?").await?;
///     Ok(format!("Hello, {}!", answer.accepted().map_or("stranger".into(), |answer| answer.name)))
/// }
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// # mcp_test_schema::test_client!();
/// for version in [ProtocolVersion::V2025_06_18, ProtocolVersion::V2026_07_28] {
///     let client = TestClient::of(McpServer::new(ServerOptions::default()).tool::<greet>())
///         .version(version)
///         .on_elicit(|_| ElicitResult::accept(json!({ "name": "Ada" })))
///         .connect()
///         .await?;
///     assert_eq!(client.call("greet", json!({})).await?.first_text(), Some("Hello, Ada!"));
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(()) }).unwrap();
/// ```
#[must_use = "it connects by `connect`"]
pub struct TestClientBuilder {
    server: McpServer,
    version: ProtocolVersion,
    capabilities: Map<String, Value>,
    answers: HashMap<String, Box<Answering>>,
    watch: Option<Box<Watching>>,
}

impl TestClientBuilder {
    /// Speaks that version, rather than the newest with a handshake.
    pub fn version(mut self, version: ProtocolVersion) -> Self {
        self.version = version;
        self
    }

    /// Offers forms and pages for its user, and answers them so.
    pub fn on_elicit(self, answer: impl Fn(ElicitRequestParams) -> ElicitResult + Send + Sync + 'static) -> Self {
        self.offer("elicitation", json!({ "form": {}, "url": {} })).typed("elicitation/create", answer)
    }

    /// Offers its model, also with tools, and answers so.
    pub fn on_sample(
        self,
        answer: impl Fn(CreateMessageRequestParams) -> CreateMessageResult + Send + Sync + 'static,
    ) -> Self {
        self.offer("sampling", json!({ "tools": {}, "context": {} })).typed("sampling/createMessage", answer)
    }

    /// Offers its roots, which are these.
    pub fn on_roots(self, answer: impl Fn() -> Vec<Root> + Send + Sync + 'static) -> Self {
        self.offer("roots", json!({}))
            .typed("roots/list", move |_: Value| ListRootsResult { roots: answer(), ..ListRootsResult::default() })
    }

    /// Answers any request of the server, also as no well-behaved client does. It offers nothing by itself: see
    /// [`TestClientBuilder::offer`].
    pub fn on_request(
        mut self,
        method: &str,
        answer: impl Fn(Value) -> Result<Value, Refusal> + Send + Sync + 'static,
    ) -> Self {
        self.answers.insert(method.to_owned(), Box::new(answer));
        self
    }

    /// Says that the client has a capability, with these settings.
    pub fn offer(mut self, capability: &str, settings: Value) -> Self {
        self.capabilities.insert(capability.to_owned(), settings);
        self
    }

    /// Shows every message, as its JSON text: to print a conversation, or to check it. A panic in it is passed on to
    /// whoever waits for the server, or drops the client.
    pub fn watch(mut self, watch: impl Fn(Speaker, &str) + Send + Sync + 'static) -> Self {
        self.watch = Some(Box::new(watch));
        self
    }

    /// Connects.
    ///
    /// # Errors
    /// When the server cannot start.
    pub async fn connect(self) -> Result<TestClient, Error> {
        let info = json!({ "name": "test-client", "version": env!("CARGO_PKG_VERSION") });
        let capabilities = Value::Object(self.capabilities);
        let meta = json!({
            "io.modelcontextprotocol/protocolVersion": self.version.as_str(),
            "io.modelcontextprotocol/clientCapabilities": capabilities,
            "io.modelcontextprotocol/clientInfo": info,
        });
        let shared = Arc::new(Shared {
            memory: Memory::new(self.server.dispatcher()?),
            version: self.version,
            meta: meta.as_object().cloned().unwrap_or_default(),
            answers: self.answers,
            watch: self.watch,
            next_id: AtomicU64::new(1),
            state: Mutex::default(),
            notified: Notify::new(),
        });
        let reading = tokio::spawn(read(Arc::clone(&shared)));
        tokio::spawn({
            let shared = Arc::clone(&shared);
            async move { shared.end(reading.await.err().and_then(|ended| ended.try_into_panic().ok())) }
        });
        let refused = |refusal: Refusal| Error::Handshake(refusal.to_string());
        let result = if self.version.is_stateless() {
            let mut result = start(&shared, "server/discover", &json!({})).await.answer().await.map_err(refused)?;
            result["protocolVersion"] = self.version.as_str().into();
            result["serverInfo"] = result["_meta"]["io.modelcontextprotocol/serverInfo"].take();
            result
        } else {
            let params = json!({
                "protocolVersion": self.version.as_str(),
                "capabilities": capabilities,
                "clientInfo": info,
            });
            start(&shared, "initialize", &params).await.answer().await.map_err(refused)?
        };
        let initialized = serde_json::from_value(result).map_err(|error| Error::Handshake(error.to_string()))?;
        let client = TestClient { shared, initialized };
        if !self.version.is_stateless() {
            client.notify("notifications/initialized", json!({})).await;
        }
        Ok(client)
    }

    fn typed<Q: DeserializeOwned, A: Serialize>(
        self,
        method: &str,
        answer: impl Fn(Q) -> A + Send + Sync + 'static,
    ) -> Self {
        self.on_request(method, move |params| {
            let question = serde_json::from_value(params).map_err(|error| Refusal {
                code: -32602,
                message: error.to_string(),
                data: Value::Null,
            })?;
            serde_json::to_value(answer(question)).map_err(|error| Refusal::of_client(error.to_string()))
        })
    }
}

impl fmt::Debug for TestClientBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TestClientBuilder").field("version", &self.version).finish_non_exhaustive()
    }
}

impl fmt::Debug for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shared").field("version", &self.version).finish_non_exhaustive()
    }
}

impl Drop for TestClient {
    fn drop(&mut self) {
        // The reader ends with the connection, and tells whoever still waits.
        self.shared.memory.close();
        if !std::thread::panicking() {
            self.shared.pass_on_panic();
        }
    }
}

impl Started {
    /// The request's id.
    pub fn id(&self) -> u64 {
        self.id
    }

    /// Tells the server that nobody waits for the answer any more.
    pub async fn cancel(&self) {
        let params = json!({ "requestId": self.id });
        self.shared.send(&json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": params })).await;
    }

    /// Waits for the answer. A call that was cancelled has none: this waits until the client is dropped then.
    ///
    /// # Errors
    /// When the server refuses the request, or the connection ends without an answer.
    pub async fn answer(self) -> Result<Value, Refusal> {
        self.answer.await.unwrap_or_else(|_| {
            self.shared.pass_on_panic();
            Err(Refusal::of_client("the connection ended without an answer".to_owned()))
        })
    }
}

impl Shared {
    /// The client's own answer to a question of the server.
    fn answer(&self, method: &str, params: Value) -> Result<Value, Refusal> {
        match self.answers.get(method) {
            Some(answer) => answer(params),
            None => Err(Refusal {
                code: -32601,
                message: format!("this client does not answer {method}"),
                data: Value::Null,
            }),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells whoever waits that nothing more will come.
    fn end(&self, panic: Option<Box<dyn Any + Send>>) {
        let mut state = self.state();
        state.panic = panic;
        state.waiting.clear();
        drop(state);
        self.notified.notify_waiters();
    }

    fn pass_on_panic(&self) {
        let panic = self.state().panic.take();
        if let Some(panic) = panic {
            resume_unwind(panic);
        }
    }

    async fn send(&self, message: &impl Serialize) {
        // A `Value` always is JSON.
        let message = serde_json::to_vec(message).unwrap_or_default();
        self.show(Speaker::Client, &message);
        self.memory.send(&message).await;
    }

    fn show(&self, speaker: Speaker, message: &[u8]) {
        if let Some(watch) = &self.watch {
            watch(speaker, &String::from_utf8_lossy(message));
        }
    }
}

async fn start(shared: &Arc<Shared>, method: &str, params: &Value) -> Started {
    let mut params = params.clone();
    if shared.version.is_stateless()
        && let Some(params) = params.as_object_mut()
    {
        let meta = params.entry("_meta").or_insert_with(|| json!({}));
        for (key, value) in &shared.meta {
            // What a test says itself, it means.
            if let Some(meta) = meta.as_object_mut() {
                meta.entry(key.clone()).or_insert_with(|| value.clone());
            }
        }
    }
    let id = shared.next_id.fetch_add(1, Ordering::Relaxed);
    let (sender, answer) = oneshot::channel();
    shared.state().waiting.insert(id, sender);
    shared.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })).await;
    Started { shared: Arc::clone(shared), id, answer }
}

/// Hands answers to whoever waits for them, and keeps notifications.
async fn read(shared: Arc<Shared>) {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Message {
        Asked {
            id: Value,
            method: String,
            #[serde(default)]
            params: Value,
        },
        Refused {
            id: u64,
            error: Refusal,
        },
        Answered {
            id: u64,
            result: Value,
        },
        Notified(Notification),
    }
    while let Some(message) = shared.memory.receive().await {
        shared.show(Speaker::Server, &message);
        let Ok(message) = serde_json::from_slice::<Message>(&message) else { continue };
        if let Message::Asked { id, method, params } = message {
            let answer = match shared.answer(&method, params) {
                Ok(result) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
                Err(Refusal { code, message, data }) => {
                    let error = json!({ "code": code, "message": message, "data": data });
                    json!({ "jsonrpc": "2.0", "id": id, "error": error })
                }
            };
            shared.send(&answer).await;
            continue;
        }
        let mut state = shared.state();
        let (id, answer) = match message {
            Message::Asked { .. } => continue,
            Message::Answered { id, result } => (id, Ok(result)),
            Message::Refused { id, error } => (id, Err(error)),
            Message::Notified(notification) => {
                if state.notifications.len() == MOST_NOTIFICATIONS {
                    state.notifications.pop_front();
                }
                state.notifications.push_back(notification);
                drop(state);
                shared.notified.notify_waiters();
                continue;
            }
        };
        if let Some(waiting) = state.waiting.remove(&id) {
            let _ = waiting.send(answer);
        }
    }
}

fn decode<T: DeserializeOwned>(result: Value) -> Result<T, Refusal> {
    serde_json::from_value(result)
        .map_err(|error| Refusal::of_client(format!("the result is not what the standard says: {error}")))
}

/// A connection without a client: messages as they stand on a wire, one JSON text each.
///
/// For tests of what no well-behaved client sends. [`TestClient`] is what most tests want.
///
/// ```
/// use mcp_runtime::{McpServer, ServerOptions, testing::Connection};
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// let connection = Connection::open(McpServer::new(ServerOptions::default()))?;
/// connection.send(b"{ not JSON").await;
/// let answer = connection.receive().await.unwrap();
/// # mcp_test_schema::Shared::default().observe_received(std::str::from_utf8(&answer).unwrap());
/// assert!(String::from_utf8_lossy(&answer).contains("-32700"));
/// # Ok::<(), mcp_runtime::Error>(()) }).unwrap();
/// ```
#[derive(Debug)]
pub struct Connection(Memory);

impl Connection {
    /// Starts a session with a server.
    ///
    /// # Errors
    /// When the server cannot start.
    pub fn open(server: McpServer) -> Result<Self, Error> {
        Ok(Self(Memory::new(server.dispatcher()?)))
    }

    /// Another session with the same server.
    #[must_use]
    pub fn another(&self) -> Self {
        Self(self.0.another())
    }

    /// Gives the server one message.
    pub async fn send(&self, message: &[u8]) {
        self.0.send(message).await;
    }

    /// Gives the server one message, and appends its answer to `out`; false where it has none, or none yet.
    ///
    /// A call whose handler waits is dropped. This is the way of a call without any transport, for measuring it.
    pub fn answer(&self, message: &[u8], out: &mut Vec<u8>) -> bool {
        self.0.answer(message, out)
    }

    /// The server's next message; `None` once the connection is closed.
    pub async fn receive(&self) -> Option<Vec<u8>> {
        self.0.receive().await
    }
}

#[cfg(feature = "http")]
impl HttpDoor {
    /// The door of a server whose transport is HTTP, as if it listened on 127.0.0.1.
    ///
    /// # Errors
    /// When the server cannot start, or its transport is stdio.
    pub async fn open(server: McpServer) -> Result<Self, Error> {
        server.http_door().await
    }
}

/// A result in the words of an older version, by itself, for measuring it.
#[doc(hidden)]
pub fn lower(result: &mut CallToolResult, version: ProtocolVersion) {
    result.lower(version);
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Speaker, TestClient};
    use crate::{McpServer, ServerOptions};

    #[cfg(feature = "http")]
    #[tokio::test]
    async fn the_door_serves_any_bytes_up_to_their_end() {
        use crate::{SseOptions, TransportOptions};

        let transport = TransportOptions::Sse(SseOptions::default());
        let server = McpServer::new(ServerOptions { transport, ..ServerOptions::default() });
        let door = super::HttpDoor::open(server).await.unwrap();
        let check = async |bytes: &str, expected: &[&str]| {
            let mut answers = Vec::new();
            door.serve(tokio::io::join(bytes.as_bytes(), &mut answers)).await;
            let answers = String::from_utf8(answers).unwrap();
            let statuses: Vec<_> = answers.split("HTTP/1.1 ").skip(1).filter_map(|answer| answer.get(..3)).collect();
            assert_eq!(statuses, expected, "{bytes:?}");
        };
        let health = "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n";
        check("", &[]).await;
        check(&health[..30], &[]).await;
        check(&health.repeat(2), &["200", "200"]).await;
        check(&health.replace("localhost", "elsewhere"), &["403"]).await;
        check(&health.replace("\r\n\r\n", "\r\nOrigin: http://elsewhere\r\n\r\n"), &["403"]).await;
        let half = "Accept: application/json, text/event-stream\r\nContent-Type: application/json\r\nContent-Length: 9";
        check(&format!("POST /mcp HTTP/1.1\r\nHost: localhost\r\n{half}\r\n\r\n{{}}"), &["400"]).await;
        check("neither a head\r\n\r\n", &["400"]).await;
        check("GET /sse HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n", &["200"]).await;
        let stdio = super::HttpDoor::open(McpServer::default()).await;
        assert!(stdio.unwrap_err().to_string().contains("transport.type"));
    }

    #[tokio::test]
    async fn a_panic_of_who_watches_ends_the_test() {
        for is_awaited in [true, false] {
            let test = tokio::spawn(async move {
                let client = TestClient::of(McpServer::new(ServerOptions::default()))
                    .watch(|speaker, message| {
                        assert!(speaker == Speaker::Client || !message.ends_with("{}}"), "it is wrong");
                    })
                    .connect()
                    .await
                    .unwrap();
                if is_awaited {
                    let _ = client.request("ping", json!({})).await;
                    unreachable!("the answer was not shown");
                }
                client.start("ping", json!({})).await;
                while client.shared.state().panic.is_none() {
                    tokio::task::yield_now().await;
                }
            });
            let panic = test.await.unwrap_err().into_panic();
            assert_eq!(panic.downcast_ref(), Some(&"it is wrong"), "{is_awaited}");
        }
    }
}
