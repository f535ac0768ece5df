//! What a handler may know and do beside its arguments: [`Context`], and what is extracted from it.

use std::{
    any::{Any, TypeId, type_name},
    cell::{Cell, OnceCell},
    collections::HashMap,
    fmt::{self, Display},
    ops::Deref,
    sync::{Arc, OnceLock},
};

use serde::{Deserialize, Deserializer, Serialize, de::DeserializeOwned};
use serde_json::{Value, json, value::RawValue};

use super::{
    dispatch::Caller,
    handle::Handle,
    round::{Answers, Round},
    tasks::{Task, asking::related_task},
};
use crate::{
    principal::Principal,
    protocol::{ClientCapabilities, Implementation, LoggingLevel, Meta, ProtocolVersion, jsonrpc, tasks::RELATED_TASK},
    session::{Call, Outbox, Reply, Session},
};

/// The call that a handler answers: report progress, log to the client, ask it ([`Context::elicit`], [`Context::sample`],
/// [`Context::roots`]), notice cancellation.
///
/// Take it as a parameter, at any place; it is no argument that a client sees.
///
/// ```
/// use mcp_runtime::prelude::*;
///
/// /// Counts to ten.
/// #[mcp_tool]
/// async fn count(context: Context) -> u32 {
///     for i in 1..=10 {
///         context.progress(i, 10).await;
///     }
///     10
/// }
/// # fn main() {}
/// ```
#[derive(Clone)]
pub struct Context(Arc<Inner>);

struct Inner {
    session: Arc<Session>,
    /// The queue of the call's own reply, where it has one.
    reply: Option<Arc<Outbox>>,
    principal: Option<Arc<Principal>>,
    version: ProtocolVersion,
    call: Arc<Call>,
    states: Arc<States>,
    progress_token: Option<Box<RawValue>>,
    /// The mildest messages that the request wants logged, where requests say that.
    log_level: Option<LoggingLevel>,
    meta: Option<Box<RawValue>>,
    /// What the client says of itself, where requests say that: read when it is asked for.
    said: OnceLock<Said>,
    /// What the client has answered and is asked next, where it answers by coming back.
    round: Option<Round>,
    /// The task that the call is or may become.
    task: Option<Arc<Task>>,
}

/// What a request says of the client that sends it (2026-07-28).
#[derive(Default, Deserialize)]
struct Said {
    #[serde(rename = "io.modelcontextprotocol/clientInfo", default, deserialize_with = "lenient")]
    client_info: Option<Implementation>,
    #[serde(rename = "io.modelcontextprotocol/clientCapabilities", default, deserialize_with = "lenient")]
    capabilities: Option<ClientCapabilities>,
}

/// A value that is not what it should be is none: nothing may rest on it, and nobody is turned away for it.
fn lenient<'de, D: Deserializer<'de>, T: DeserializeOwned>(deserializer: D) -> Result<Option<T>, D::Error> {
    Ok(serde_json::from_value(Value::deserialize(deserializer)?).ok())
}

impl Context {
    /// Reports how far the call is; heeded only where the client asked for it and the value is greater than the last.
    ///
    /// `total` may be left out with `None`. Waits while the client is slow to read.
    pub async fn progress(&self, progress: impl Into<Number>, total: impl Into<Total>) {
        self.report(progress.into().0, total.into().0, None).await;
    }

    /// Like [`Context::progress`], with a sentence for people (from 2025-03-26 on; older clients get the numbers).
    pub async fn progress_message(
        &self,
        progress: impl Into<Number>,
        total: impl Into<Total>,
        message: impl Into<String>,
    ) {
        self.report(progress.into().0, total.into().0, Some(message.into())).await;
    }

    /// Sends a log message to the client. `data` is any JSON value.
    ///
    /// In a session the client hears of [`LoggingLevel::Info`] and what is graver, or of the level that it has set
    /// (`logging/setLevel`). From 2026-07-28 on it says with each call which level it wants, and hears nothing where it does
    /// not.
    pub async fn log(&self, level: LoggingLevel, data: impl Serialize) {
        self.log_as(None, level, data).await;
    }

    /// Like [`Context::log`], naming the part of the server that speaks.
    pub async fn log_as(&self, logger: Option<&str>, level: LoggingLevel, data: impl Serialize) {
        #[derive(Serialize)]
        struct Params<'a, T> {
            level: LoggingLevel,
            #[serde(skip_serializing_if = "Option::is_none")]
            logger: Option<&'a str>,
            data: T,
        }
        let wanted = if self.0.version.is_stateless() {
            self.0.log_level.is_some_and(|mildest| level >= mildest)
        } else {
            self.0.session.logs(level)
        };
        if wanted {
            self.notify("notifications/message", &Params { level, logger, data }, || self.0.call.is_open()).await;
        }
    }

    /// Whether the client has cancelled the call. Asking tells the framework that the handler will end by itself.
    pub fn is_cancelled(&self) -> bool {
        self.0.call.heed();
        self.0.call.is_cancelled()
    }

    /// Resolves when the client cancels the call. A handler that watches this is given a few seconds to end by itself;
    /// one that does not is dropped where it waits.
    pub async fn cancelled(&self) {
        self.0.call.heed();
        self.0.call.cancelled().await;
    }

    /// Ends the connection on which this call's answer is awaited, so that it needs none for a while: the client comes
    /// back for what was said meanwhile, the answer included. The call goes on.
    ///
    /// It takes a listener with `resumability`, and a client of Streamable HTTP whose version knows this (2025-11-25);
    /// elsewhere nothing happens.
    pub fn close_stream(&self) {
        #[cfg(feature = "http")]
        if self.0.version.has_polling() {
            self.outbox().hang_up();
        }
    }

    /// The request's `_meta`, if it had one.
    pub fn meta(&self) -> Option<Meta> {
        serde_json::from_str(self.0.meta.as_ref()?.get()).ok()
    }

    /// Who the client says it is; nothing may rest on it.
    pub fn client_info(&self) -> Option<&Implementation> {
        match self.said() {
            Some(said) => said.client_info.as_ref(),
            None => self.0.session.agreed()?.client_info.as_ref(),
        }
    }

    /// What the client offers.
    pub fn client_capabilities(&self) -> Option<&ClientCapabilities> {
        match self.said() {
            Some(said) => said.capabilities.as_ref(),
            None => Some(&self.0.session.agreed()?.capabilities),
        }
    }

    /// Who calls, where the listener authenticates; `None` on stdio and on an open listener.
    pub fn principal(&self) -> Option<&Principal> {
        self.0.principal.as_deref()
    }

    /// The version of the protocol that this client speaks. Handlers need not know; logs may want to.
    pub fn protocol_version(&self) -> ProtocolVersion {
        self.0.version
    }

    /// The server itself: to say that something has changed, to add and remove tools, to shut it down.
    pub fn handle(&self) -> Handle {
        self.state::<Handle>().cloned().unwrap_or_else(Handle::new)
    }

    /// The server's state of type `T`, where one was given to [`McpServer::state`](crate::McpServer::state).
    pub fn state<T: Any + Send + Sync>(&self) -> Option<&T> {
        self.0.states.get::<T>()
    }

    pub(crate) fn call(&self) -> &Arc<Call> {
        &self.0.call
    }

    pub(crate) fn session(&self) -> &Arc<Session> {
        &self.0.session
    }

    /// The round that the call is in, where its client answers by coming back.
    pub(crate) fn round(&self) -> Option<&Round> {
        self.0.round.as_ref()
    }

    /// The task that the call is or may become.
    pub(super) fn task(&self) -> Option<&Arc<Task>> {
        self.0.task.as_ref()
    }

    /// Where what belongs to this call goes.
    pub(crate) fn outbox(&self) -> &Outbox {
        self.0.reply.as_deref().unwrap_or(&self.0.session.outbox)
    }

    /// What the request says of the client, where requests do.
    fn said(&self) -> Option<&Said> {
        let read = || self.0.meta.as_ref().and_then(|meta| serde_json::from_str(meta.get()).ok()).unwrap_or_default();
        self.0.version.is_stateless().then(|| self.0.said.get_or_init(read))
    }

    async fn report(&self, progress: f64, total: Option<f64>, message: Option<String>) {
        #[derive(Serialize)]
        #[serde(rename_all = "camelCase")]
        struct Params<'a> {
            progress_token: &'a RawValue,
            progress: Figure,
            #[serde(skip_serializing_if = "Option::is_none")]
            total: Option<Figure>,
            #[serde(skip_serializing_if = "Option::is_none")]
            message: Option<String>,
        }
        self.0.call.touch();
        if let (Some(task), Some(message)) = (self.0.task.as_ref().filter(|task| task.is_begun()), &message) {
            task.say(message.clone());
        }
        let Some(progress_token) = self.0.progress_token.as_deref() else {
            return;
        };
        let message = message.filter(|_| self.0.version.has_progress_message());
        let total = total.filter(|total| total.is_finite()).map(Figure);
        let params = Params { progress_token, progress: Figure(progress), total, message };
        let call = &self.0.call;
        self.notify("notifications/progress", &params, || call.is_open() && call.advance(progress)).await;
    }

    /// Sends a notification that belongs to a task; the newest version has none.
    async fn notify_of(&self, task: &Task, method: &str, params: &impl Serialize, admit: impl Fn() -> bool) {
        let (true, Ok(mut params)) = (task.is_core(), serde_json::to_value(params)) else { return };
        params["_meta"][RELATED_TASK] = related_task(task);
        let message = json!({ "jsonrpc": "2.0", "method": method, "params": params });
        let stream = task.heard_at();
        let outbox = stream.as_ref().map_or(&self.0.session.outbox, |stream| stream.outbox());
        let _ = outbox.send_when(message.to_string().into_bytes(), admit).await;
    }

    /// Sends a notification, if `admit` still says so when its turn comes.
    async fn notify(&self, method: &'static str, params: &impl Serialize, admit: impl Fn() -> bool) {
        #[derive(Serialize)]
        struct Notification<'a, P> {
            jsonrpc: &'static str,
            method: &'static str,
            params: &'a P,
        }
        if let Some(task) = self.0.task.as_ref().filter(|task| task.is_begun()) {
            return self.notify_of(task, method, params, admit).await;
        }
        match serde_json::to_vec(&Notification { jsonrpc: "2.0", method, params }) {
            // A client that is gone is nobody's error: the call ends by its cancellation.
            Ok(mut message) => {
                jsonrpc::flatten(&mut message, 0);
                let _ = self.outbox().send_when(message, admit).await;
            }
            Err(error) => {
                tracing::warn!(method, %error, "a notification that is no JSON was not sent")
            }
        }
    }
}

impl fmt::Debug for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Context").field("version", &self.protocol_version()).finish_non_exhaustive()
    }
}

/// A number of progress: any integer or float.
#[derive(Clone, Copy, Debug)]
pub struct Number(f64);

/// A total of progress: a number, or `None`.
#[derive(Clone, Copy, Debug)]
pub struct Total(Option<f64>);

macro_rules! numbers {
    ($($ty:ty),*) => { $(
        impl From<$ty> for Number {
            // Progress is a JSON number: what lies beyond 2^53 loses its last digits there too.
            #[allow(clippy::cast_precision_loss, clippy::cast_lossless)]
            fn from(value: $ty) -> Self {
                Self(value as f64)
            }
        }
        impl From<$ty> for Total {
            fn from(value: $ty) -> Self {
                Self(Some(Number::from(value).0))
            }
        }
        impl From<Option<$ty>> for Total {
            fn from(value: Option<$ty>) -> Self {
                Self(value.map(|value| Number::from(value).0))
            }
        }
    )* };
}
numbers!(f32, f64, i8, i16, i32, i64, isize, u8, u16, u32, u64, usize);

/// A float that is written as an integer where it is one.
struct Figure(f64);

impl Serialize for Figure {
    #[allow(clippy::cast_possible_truncation)]
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        const EXACT: f64 = 9_007_199_254_740_992.0;
        if self.0.fract() == 0.0 && self.0.abs() < EXACT {
            serializer.serialize_i64(self.0 as i64)
        } else {
            serializer.serialize_f64(self.0)
        }
    }
}

/// What a handler takes from its [`Context`] rather than from the client.
///
/// Implement it for a type of your own to take that type as a parameter:
///
/// ```
/// use mcp_runtime::{FromContext, prelude::*};
///
/// struct ClientName(String);
///
/// impl FromContext for ClientName {
///     type Error = ToolError;
///     fn from_context(context: &Context) -> Result<Self, ToolError> {
///         let info = context.client_info().ok_or_else(|| ToolError::new("the client did not say its name"))?;
///         Ok(Self(info.name.clone()))
///     }
/// }
///
/// /// Greets the client.
/// #[mcp_tool]
/// fn greet(name: ClientName) -> String {
///     format!("Hello, {}!", name.0)
/// }
/// # fn main() {}
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be taken from the context of a call",
    label = "no extractor",
    note = "extractors are `Context`, `State<T>`, `Handle`, `Principal`, `Claims<T>` and your own types that implement `mcp_runtime::FromContext`"
)]
pub trait FromContext: Sized + Send {
    /// What the caller is told when it cannot be had: an `isError` result of a tool, -32603 otherwise.
    type Error: Display;

    /// Takes the value.
    ///
    /// # Errors
    /// When the call has no such thing.
    fn from_context(context: &Context) -> Result<Self, Self::Error>;

    /// What the server must have been given for this to work; checked at start.
    #[doc(hidden)]
    fn requirement() -> Option<Requirement> {
        None
    }
}

impl FromContext for Context {
    type Error = std::convert::Infallible;

    fn from_context(context: &Context) -> Result<Self, Self::Error> {
        Ok(context.clone())
    }
}

/// Who calls. Where nobody is authenticated, the call fails; take [`Context::principal`] where both may be.
impl FromContext for Principal {
    type Error = &'static str;

    fn from_context(context: &Context) -> Result<Self, Self::Error> {
        context.principal().cloned().ok_or("this needs a caller who is authenticated")
    }
}

/// What the caller's token says, as a type of yours.
///
/// ```
/// use mcp_runtime::{Claims, prelude::*};
///
/// #[derive(serde::Deserialize)]
/// struct Tenant {
///     tenant: String,
/// }
///
/// /// The tenant of the caller.
/// #[mcp_tool]
/// fn tenant(claims: Claims<Tenant>) -> String {
///     claims.0.tenant
/// }
/// # fn main() {}
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Claims<T>(pub T);

impl<T: serde::de::DeserializeOwned + Send> FromContext for Claims<T> {
    type Error = &'static str;

    fn from_context(context: &Context) -> Result<Self, Self::Error> {
        let principal = context.principal().ok_or("this needs a caller who is authenticated")?;
        principal.claims().map(Claims).map_err(|error| {
            tracing::warn!(%error, "the claims of a token are not what a handler takes");
            "the token does not say what this needs"
        })
    }
}

/// State that the server was given by [`McpServer::state`](crate::McpServer::state); a clone of it.
///
/// ```
/// use std::sync::Arc;
/// use mcp_runtime::{State, prelude::*};
///
/// /// How many there are.
/// #[mcp_tool]
/// fn count(names: State<Arc<Vec<String>>>) -> usize {
///     names.len()
/// }
///
/// let server = McpServer::new(ServerOptions::default()).tool::<count>().state(Arc::new(vec![String::new()]));
/// # drop(server);
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct State<T>(pub T);

impl<T> Deref for State<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T: Clone + Send + Sync + 'static> FromContext for State<T> {
    type Error = String;

    fn from_context(context: &Context) -> Result<Self, String> {
        context.state::<T>().cloned().map(State).ok_or_else(|| "the server has no such state".to_owned())
    }

    fn requirement() -> Option<Requirement> {
        Some(Requirement { type_id: TypeId::of::<T>(), type_name: type_name::<T>() })
    }
}

/// A state that a handler needs.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Requirement {
    pub(crate) type_id: TypeId,
    pub(crate) type_name: &'static str,
}

/// The values that `.state(…)` gave, by their type.
#[derive(Clone, Default)]
pub(crate) struct States(HashMap<TypeId, Arc<dyn Any + Send + Sync>>);

impl States {
    pub(crate) fn insert<T: Any + Send + Sync>(&mut self, value: T) {
        self.0.insert(TypeId::of::<T>(), Arc::new(value));
    }

    pub(crate) fn get<T: Any>(&self) -> Option<&T> {
        self.0.get(&TypeId::of::<T>())?.downcast_ref()
    }

    pub(crate) fn contains(&self, type_id: TypeId) -> bool {
        self.0.contains_key(&type_id)
    }

    /// Takes over what `other` has and `self` lacks.
    pub(crate) fn fill_from(&mut self, other: &Self) {
        for (type_id, value) in &other.0 {
            self.0.entry(*type_id).or_insert_with(|| Arc::clone(value));
        }
    }
}

impl fmt::Debug for States {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "States({})", self.0.len())
    }
}

/// What a call's `Context` is made of, borrowed: a call that takes none makes none.
pub(crate) struct Scene<'a> {
    pub(crate) caller: Caller<'a>,
    pub(crate) version: ProtocolVersion,
    pub(crate) states: &'a Arc<States>,
    pub(crate) meta: Option<&'a RawValue>,
    pub(crate) progress_token: Option<&'a RawValue>,
    pub(crate) log_level: Option<LoggingLevel>,
    /// What the client has answered in the rounds before.
    pub(crate) answers: Cell<Answers>,
    /// The task that the call is or may become.
    pub(super) task: Option<Arc<Task>>,
    context: OnceCell<Context>,
    /// The call goes on without the scene.
    goes_on: Cell<bool>,
}

impl<'a> Scene<'a> {
    pub(crate) fn new(caller: Caller<'a>, version: ProtocolVersion, states: &'a Arc<States>) -> Self {
        Self {
            caller,
            version,
            states,
            meta: None,
            progress_token: None,
            log_level: None,
            answers: Cell::default(),
            task: None,
            context: OnceCell::new(),
            goes_on: Cell::new(false),
        }
    }

    pub(crate) fn context(&self) -> &Context {
        self.context.get_or_init(|| {
            Context(Arc::new(Inner {
                session: Arc::clone(self.caller.session),
                reply: self.reply().map(|reply| Arc::clone(reply.queue())),
                principal: self.caller.principal.cloned(),
                version: self.version,
                call: Arc::default(),
                states: Arc::clone(self.states),
                progress_token: self.progress_token.map(ToOwned::to_owned),
                log_level: self.log_level,
                meta: self.meta.map(ToOwned::to_owned),
                said: OnceLock::new(),
                round: self.version.is_stateless().then(|| Round::new(self.answers.take())),
                task: self.task.clone(),
            }))
        })
    }

    /// The call's own reply. A task that was asked for is no part of the answer that says so.
    fn reply(&self) -> Option<&'a Reply<'a>> {
        self.caller.reply.filter(|_| !self.task.as_ref().is_some_and(|task| task.is_core()))
    }

    /// The context, where the handler took one.
    pub(crate) fn taken(&self) -> Option<&Context> {
        self.context.get()
    }

    /// The call's state, for a call that goes on: that of its context where it has one.
    pub(crate) fn hand_over(&self) -> Arc<Call> {
        self.goes_on.set(true);
        self.context.get().map_or_else(Arc::default, |context| Arc::clone(context.call()))
    }
}

/// What a context still says after its call's end goes nowhere.
impl Drop for Scene<'_> {
    fn drop(&mut self) {
        if let Some(context) = self.context.get()
            && !self.goes_on.get()
        {
            context.call().finish();
        }
    }
}
