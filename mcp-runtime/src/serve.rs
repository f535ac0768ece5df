//! From options and functions to a running server (floor 4).

mod bound;
mod lone;
mod part;

#[cfg(feature = "cli")]
use std::ffi::OsString;
use std::{any::Any, sync::Arc, task::Context, time::Duration};
#[cfg(unix)]
use std::{future::poll_fn, pin::pin, task::Poll};

use serde_json::{Map, Value, json};
use tokio::io::{AsyncRead, AsyncWrite};

pub use bound::Bound;
use bound::{Door, Prepared, stream_failed};
use lone::{Prompts, Resources, Tools};
pub use part::Part;

#[cfg(feature = "http")]
pub use crate::transport::http::{HttpDoor, McpBody, McpService};
use crate::{
    config::{ServerOptions, TransportOptions},
    limits::Limits,
    protocol::{CacheScope, Caching, Icon, Implementation},
    server::{
        definition::{self, Definition},
        dispatch::Dispatcher,
        dynamic::DynamicTool,
        error::Error,
        handle::Handle,
        registration::Registration,
        registry,
        seal::Seal,
    },
    transport::stdio,
};

/// A server that is being put together: options, and the functions it offers.
///
/// ```
/// use mcp_runtime::{prelude::*, testing::TestClient};
/// use serde_json::json;
///
/// /// Adds two numbers.
/// #[mcp_tool]
/// fn add(a: i64, b: i64) -> i64 {
///     a + b
/// }
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// # mcp_test_schema::test_client!();
/// let server = McpServer::new(ServerOptions::new("calculator", "1.0.0")).tool::<add>();
/// let client = TestClient::connect(server).await?;
/// assert_eq!(client.call("add", json!({"a": 2, "b": 3})).await?.first_text(), Some("5"));
/// # Ok::<(), Box<dyn std::error::Error>>(()) }).unwrap();
/// ```
#[derive(Debug)]
pub struct McpServer {
    /// Boxed, so that what is put together piece by piece is not large to hand on.
    options: Box<ServerOptions>,
    registration: Registration,
    handle: Handle,
    /// What it says of itself beside its name and its version.
    info: Implementation,
    limits: Option<Box<Limits>>,
    /// Options of a listener from an attribute that names no transport: a layer may choose one.
    attribute: Option<Value>,
    /// What is wrong with the attribute's options; told at start, as everything else is.
    fault: Option<Error>,
    /// What stands in the place of the process's arguments.
    #[cfg(feature = "cli")]
    arguments: Option<Vec<OsString>>,
}

impl McpServer {
    /// A server of these options, and of no functions yet.
    pub fn new(options: ServerOptions) -> Self {
        let registration = Registration::new();
        Self {
            options: Box::new(options),
            registration,
            handle: Handle::new(),
            info: Implementation::default(),
            limits: None,
            attribute: None,
            fault: None,
            #[cfg(feature = "cli")]
            arguments: None,
        }
    }

    /// A server from an annotated block or module.
    #[doc(hidden)]
    pub fn from_definition<S: Send + Sync + 'static>(state: Arc<S>, definition: Definition<S>) -> Self {
        let declared = definition.server;
        let mut options = ServerOptions::new(declared.name, declared.version);
        options.instructions = declared.instructions.map(str::to_owned);
        let mut attribute = attribute_layer(&declared);
        let mut fault = None;
        if declared.transport.is_some()
            && let Some(layer) = attribute.take()
        {
            fault = options.apply(&layer, "the attribute `#[mcp_server]`").err();
        }
        let mut registration = Registration::new();
        registration.add_definition(&state, &definition);
        let info = Implementation {
            title: declared.title.map(str::to_owned),
            description: declared.description.map(str::to_owned),
            website_url: declared.website_url.map(str::to_owned),
            icons: registry::icons(declared.icons),
            ..Implementation::default()
        };
        Self { registration, info, attribute, fault, ..Self::new(options) }
    }

    /// Adds a lone tool: the name of a function under `#[mcp_tool]`. Several go as a tuple, `.tool::<(add, neg)>()`, whose
    /// names the compiler compares.
    #[must_use]
    pub fn tool<T: Tools>(self) -> Self {
        const { T::NAMES.check() };
        T::add_to(self)
    }

    /// Adds a lone resource, or a tuple of them: the name of a function under `#[mcp_resource]`.
    #[must_use]
    pub fn resource<T: Resources>(self) -> Self {
        const { T::NAMES.check() };
        T::add_to(self)
    }

    /// Adds a lone prompt, or a tuple of them: the name of a function under `#[mcp_prompt]`.
    #[must_use]
    pub fn prompt<T: Prompts>(self) -> Self {
        const { T::NAMES.check() };
        T::add_to(self)
    }

    /// Adds a tool that was made while the program runs.
    #[must_use]
    pub fn dynamic_tool(mut self, tool: DynamicTool) -> Self {
        self.registration.add_dynamic_tool(tool);
        self
    }

    /// Offers tools even while there are none: for a server whose tools all come and go by its [`Handle`]. Clients of
    /// versions with sessions are told once what a server offers.
    #[must_use]
    pub fn offer_tools(mut self) -> Self {
        self.registration.offer_tools();
        self
    }

    /// Says that the server has an extension of the protocol, with its settings: a JSON object, `{}` for none.
    ///
    /// ```
    /// use mcp_runtime::{McpServer, ServerOptions};
    /// use serde_json::json;
    ///
    /// let server = McpServer::new(ServerOptions::default()).extension("com.example/search", json!({"depth": 3}));
    /// # drop(server);
    /// ```
    #[must_use]
    pub fn extension(mut self, name: impl Into<String>, settings: Value) -> Self {
        self.registration.add_extension(name.into(), settings);
        self
    }

    /// The server's name for people.
    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.info.title = Some(title.into());
        self
    }

    /// What the server is, for people.
    #[must_use]
    pub fn description(mut self, description: impl Into<String>) -> Self {
        self.info.description = Some(description.into());
        self
    }

    /// Where to read about the server.
    #[must_use]
    pub fn website_url(mut self, url: impl Into<String>) -> Self {
        self.info.website_url = Some(url.into());
        self
    }

    /// Pictures that stand for the server.
    #[must_use]
    pub fn icons(mut self, icons: Vec<Icon>) -> Self {
        self.info.icons = Some(icons);
        self
    }

    /// What can be done with the server while it serves; to be had before it does, for whatever runs beside it.
    ///
    /// ```no_run
    /// use std::time::Duration;
    /// use mcp_runtime::prelude::*;
    ///
    /// # async fn run(server: McpServer) -> Result<(), Error> {
    /// let handle = server.handle();
    /// tokio::spawn(async move {
    ///     loop {
    ///         tokio::time::sleep(Duration::from_secs(60)).await;
    ///         handle.resource_updated("weather://paris");
    ///     }
    /// });
    /// server.run().await
    /// # }
    /// ```
    pub fn handle(&self) -> Handle {
        self.handle.clone()
    }

    /// Adds all that a part offers, by the names it has there: another server, whose options do not count; the value of
    /// an annotated block, the `server {}` of an annotated module, or several of these as a tuple, whose names the
    /// compiler compares ([`Part`]).
    #[must_use]
    pub fn mount<P: Part>(self, part: P) -> Self {
        const { P::NAMES.check() };
        part.mount_on(self, None)
    }

    /// Adds all that a part offers, its tools and prompts named `PREFIX_…`. URIs stay as they are. A server with an empty
    /// prefix does not start ([`Error::EmptyPrefix`]).
    #[must_use]
    pub fn mount_at<P: Part>(mut self, prefix: &str, part: P) -> Self {
        const { P::NAMES.check() };
        if prefix.is_empty() {
            self.fault = self.fault.or(Some(Error::EmptyPrefix));
        }
        part.mount_on(self, Some(prefix))
    }

    /// Provides what `State<T>` parameters take, also those of servers mounted here that have no such state.
    #[must_use]
    pub fn state<T: Any + Clone + Send + Sync>(mut self, value: T) -> Self {
        self.registration.add_state(value);
        self
    }

    /// How long clients of the newest version may keep lists and contents, and for whom; nothing at all where nobody
    /// says so. `ttl` and `cache_scope` of an attribute say it of one tool or resource.
    #[must_use]
    pub fn cache(mut self, ttl: Duration, scope: CacheScope) -> Self {
        self.registration.set_caching(Caching::new(ttl, scope));
        self
    }

    /// How many entries one page of a list holds (500).
    #[must_use]
    pub fn page_size(mut self, entries: usize) -> Self {
        self.registration.set_page_size(entries);
        self
    }

    /// The options as they stand.
    pub fn options(&self) -> &ServerOptions {
        &self.options
    }

    /// Sets the bounds for whatever transport is chosen, those of a listener's options included. On stdio, which has no
    /// options, there is no other way.
    ///
    /// ```
    /// use mcp_runtime::{Limits, McpServer, ServerOptions};
    ///
    /// let mut limits = Limits::default();
    /// limits.max_line_bytes = Some(1024 * 1024);
    /// let server = McpServer::new(ServerOptions::default()).limits(limits);
    /// # drop(server);
    /// ```
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = Some(Box::new(limits));
        self
    }

    /// Replaces the options, those of the attribute included.
    #[must_use]
    pub fn with_options(mut self, options: ServerOptions) -> Self {
        *self.options = options;
        self.attribute = None;
        self.fault = None;
        self
    }

    /// Gives [`McpServer::run`] these arguments in place of the process's: for a program that has arguments of its own, and
    /// takes them from the command line first. With none at all the command line is the program's alone; a file that
    /// `MCP_CONFIG` names and the other variables are heeded as ever.
    ///
    /// ```no_run
    /// use mcp_runtime::prelude::*;
    ///
    /// fn main() -> Result<(), Error> {
    ///     // `notes DIRECTORY [--transport sse …]`
    ///     let mut arguments = std::env::args_os().skip(1);
    ///     let directory = arguments.next();
    ///     McpServer::default().state(directory).arguments(arguments).run_blocking()
    /// }
    /// ```
    #[cfg(feature = "cli")]
    #[must_use]
    pub fn arguments<A: Into<OsString>>(mut self, arguments: impl IntoIterator<Item = A>) -> Self {
        self.arguments = Some(arguments.into_iter().map(Into::into).collect());
        self
    }

    /// Starts with the options as they are, and serves until serving ends: on stdio with the input, on a listener
    /// not by itself. [`McpServer::bind`] gives a handle that ends it, [`McpServer::run`] heeds signals.
    ///
    /// # Errors
    /// When it cannot start: each cause is a variant of [`Error`] that names the option.
    pub async fn start(self) -> Result<(), Error> {
        self.bind().await?.serve().await
    }

    /// Opens the transport, so that clients can connect, and serves nobody yet.
    ///
    /// ```
    /// use mcp_runtime::{ServerOptions, SseOptions, TransportOptions, McpServer};
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// let mut options = ServerOptions::new("weather", "1.0.0");
    /// options.transport = TransportOptions::Sse(SseOptions { port: 0, ..Default::default() });
    /// let server = McpServer::new(options).bind().await?;
    /// println!("listening on {:?}", server.local_addr());
    /// let handle = server.handle();
    /// let serving = tokio::spawn(server.serve());
    /// handle.shut_down();
    /// serving.await.unwrap()
    /// # }).unwrap();
    /// # Ok::<(), mcp_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    /// When it cannot start: each cause is a variant of [`Error`] that names the option.
    pub async fn bind(self) -> Result<Bound, Error> {
        self.prepare()?.open().await
    }

    /// Makes a service of it, for an application that has a listener of its own: see [`McpService`]. It takes the options as
    /// they are, as [`McpServer::start`] does; of their transport, which must be `sse` or `http-stream`, `host` and `port`
    /// are not looked at.
    ///
    /// ```
    /// use mcp_runtime::{HttpStreamOptions, McpServer, ServerOptions, TransportOptions};
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// let mut options = ServerOptions::new("weather", "1.0.0");
    /// options.transport = TransportOptions::HttpStream(HttpStreamOptions {
    ///     public_url: Some("https://weather.example.com".to_owned()),
    ///     ..Default::default()
    /// });
    /// let mcp = McpServer::new(options).into_service().await?;
    /// let app = axum::Router::<()>::new().fallback_service(mcp);
    /// # drop(app);
    /// # Ok::<(), mcp_runtime::Error>(()) }).unwrap();
    /// ```
    ///
    /// # Errors
    /// When it cannot start: each cause is a variant of [`Error`] that names the option. On stdio there is nothing to serve.
    ///
    /// # Panics
    /// Outside of a tokio runtime with clock and sockets (`enable_all`), whose tasks then drive it.
    #[cfg(feature = "http")]
    pub async fn into_service(self) -> Result<McpService, Error> {
        self.prepare()?.mount().await
    }

    /// All that is done before the transport is opened.
    fn prepare(mut self) -> Result<Prepared, Error> {
        let door = self.door()?;
        let handle = self.handle.clone();
        let has_own_key = self.options.state_keys.is_empty();
        Ok(Prepared { dispatcher: self.dispatcher()?, door, handle, has_own_key, standard: None })
    }

    /// What its listener does with connections, as if it were bound to its port on 127.0.0.1.
    #[cfg(feature = "http")]
    pub(crate) async fn http_door(mut self) -> Result<HttpDoor, Error> {
        let Some(door) = self.door()? else { return Err(bound::takes_no_http()) };
        let address = (std::net::Ipv4Addr::LOCALHOST, door.options.port).into();
        HttpDoor::new(self.dispatcher()?, address, &door.http()).await
    }

    /// Serves one client over any pair of byte streams, one JSON message a line, as stdio does.
    ///
    /// # Errors
    /// When the functions cannot be served together, or the streams fail.
    pub async fn serve_streams<R, W>(self, reader: R, writer: W) -> Result<(), Error>
    where
        R: AsyncRead + Unpin,
        W: AsyncWrite + Unpin,
    {
        let stop = self.handle.stopped();
        let dispatcher = self.dispatcher()?;
        stdio::serve(dispatcher, reader, writer, stop).await.map_err(stream_failed)
    }

    /// Serves with a runtime of its own: [`McpServer::run`] for a `main` without one.
    ///
    /// The runtime has two threads at the least, and as many as cores (or `TOKIO_WORKER_THREADS`). The calling thread serves
    /// stdio and, on Unix, waits for its pipes itself, so that no message has to be handed from thread to thread: over stdio
    /// this is the quickest way to serve. There the handshake of a client that waits is answered before the runtime is made:
    /// what functions say at registration is said outside of one, and a signal that comes within that millisecond ends the
    /// process at once, as it would have before its start.
    ///
    /// # Errors
    /// As [`McpServer::run`].
    #[cfg(feature = "cli")]
    pub fn run_blocking(self) -> Result<(), Error> {
        match self.settle()? {
            Some(settled) => block_on(settled, |settled, cx| settled.prepared.greet(cx), Settled::serve),
            None => Ok(()),
        }
    }

    /// Serves with a runtime of its own: [`McpServer::start`] for a `main` without one.
    ///
    /// The runtime has two threads at the least, and as many as cores (or `TOKIO_WORKER_THREADS`). The calling thread serves
    /// stdio and, on Unix, waits for its pipes itself.
    ///
    /// # Errors
    /// As [`McpServer::start`].
    #[cfg(not(feature = "cli"))]
    pub fn run_blocking(self) -> Result<(), Error> {
        block_on(self.prepare()?, Prepared::greet, async |prepared: Prepared| prepared.open().await?.serve().await)
    }

    /// The `main` of a server: the options in the code, then those of a file (`MCP_CONFIG`, `--config`), of the
    /// environment (`MCP_…`) and of flags (`--transport sse --port 9000`; `--help` lists them); logging to standard
    /// error; SIGTERM and Ctrl-C end it, a second one at once.
    ///
    /// With a runtime of your own, a `blocking` function that is still running when serving has ended keeps the process
    /// until it is done, since the runtime waits for it; [`McpServer::run_blocking`] does not wait.
    ///
    /// # Errors
    /// When it cannot start. Returned from `main`, the error ends the process with one clear line and exit code 1.
    #[cfg(feature = "cli")]
    pub async fn run(self) -> Result<(), Error> {
        match self.settle()? {
            Some(settled) => settled.serve().await,
            None => Ok(()),
        }
    }

    /// The options of all layers, and all that is done before the transport is opened. None where a text was asked for, and
    /// shown.
    #[cfg(feature = "cli")]
    fn settle(mut self) -> Result<Option<Settled>, Error> {
        use crate::config::Layers;

        // Before the process has our logging: whoever takes the error may want another.
        if let Some(fault) = self.fault.take() {
            return Err(fault);
        }
        let logging = crate::telemetry::init();
        let layers = match self.arguments.take() {
            Some(arguments) => Layers::from_process_but(arguments),
            None => Layers::from_process(),
        };
        let log = |level| {
            if let Some(logging) = &logging {
                logging.heed(level);
            }
        };
        if let Some(text) = layers.lay_over(&mut self.options, self.attribute.take().as_ref(), &log)? {
            crate::telemetry::say(&text);
            return Ok(None);
        }
        if let Some(logging) = &logging {
            logging.limit(self.stated_limits().map_or_else(|| Limits::default().max_log_lines, |it| it.max_log_lines));
        }
        let (name, public_url) = (self.options.name.clone(), public_url(&self.options));
        Ok(Some(Settled { name, public_url, prepared: self.prepare()?, logging }))
    }

    /// The bounds that somebody states: the code before the options. None are those by default.
    fn stated_limits(&self) -> Option<&Limits> {
        match (&self.limits, &self.options.transport) {
            (Some(limits), _) => Some(limits),
            (None, TransportOptions::Sse(options)) => Some(&options.limits),
            (None, TransportOptions::HttpStream(options)) => Some(&options.limits),
            (None, TransportOptions::Stdio) => None,
        }
    }

    /// What the listener is to be, all options applied and checked; none on stdio.
    fn door(&mut self) -> Result<Option<Box<Door>>, Error> {
        if let Some(attribute) = self.attribute.take() {
            self.options.apply(&attribute, "the attribute `#[mcp_server]`, which names no transport")?;
        }
        self.options.validate()?;
        match (&self.limits, &mut self.options.transport) {
            (Some(limits), TransportOptions::Sse(options)) => options.limits.clone_from(limits),
            (Some(limits), TransportOptions::HttpStream(options)) => options.limits.clone_from(limits),
            _ => {}
        }
        Ok(match &self.options.transport {
            TransportOptions::Stdio => None,
            TransportOptions::Sse(options) => {
                let mcp = options.mcp_endpoint.clone();
                Some(Box::new(Door { options: options.clone(), event_stream: true, mcp }))
            }
            TransportOptions::HttpStream(options) => {
                let mcp = Some(options.endpoint.clone());
                Some(Box::new(Door { options: options.clone().widened(), event_stream: false, mcp }))
            }
        })
    }

    pub(crate) fn dispatcher(self) -> Result<Arc<Dispatcher>, Error> {
        if let Some(fault) = self.fault {
            return Err(fault);
        }
        let stated = self.stated_limits();
        let mut problems = stated.map_or_else(Vec::new, crate::config::limit_problems);
        let limits = stated.cloned().unwrap_or_default();
        let info = Implementation { name: self.options.name, version: self.options.version, ..self.info };
        match problems.len() {
            0 => {}
            1 => return Err(problems.remove(0)),
            _ => return Err(Error::Several(problems)),
        }
        let seal = Seal::new(&self.options.state_keys, &limits)?;
        // So that whatever is called finds it, whichever server it was mounted from.
        let mut registration = self.registration;
        registration.add_state(self.handle.clone());
        let registry = registration.build(info, self.options.instructions)?;
        let dispatcher = Dispatcher::new(registry, limits, seal);
        self.handle.start(dispatcher.live());
        Ok(dispatcher)
    }
}

impl Default for McpServer {
    fn default() -> Self {
        Self::new(ServerOptions::default())
    }
}

/// A program whose options are known.
#[cfg(feature = "cli")]
struct Settled {
    name: String,
    public_url: Option<String>,
    prepared: Prepared,
    /// Writes what waits to be written when it is dropped.
    logging: Option<crate::telemetry::Logging>,
}

#[cfg(feature = "cli")]
impl Settled {
    async fn serve(self) -> Result<(), Error> {
        let Self { name, public_url, prepared, logging: _logging } = self;
        let bound = prepared.open().await?;
        // Before anybody is told that the server is there, and might tell it to stop; but for a handshake that was answered.
        let signals = crate::telemetry::Signals::take()
            .map_err(|source| Error::Io { what: "signals cannot be heeded", source })?;
        bound.announce(&name, public_url);
        let handle = bound.handle();
        let _heeding = signals.heed(move || handle.shut_down());
        bound.serve().await
    }
}

#[cfg(feature = "cli")]
fn public_url(options: &ServerOptions) -> Option<String> {
    match &options.transport {
        TransportOptions::Sse(options) => options.public_url.clone(),
        TransportOptions::HttpStream(options) => options.public_url.clone(),
        TransportOptions::Stdio => None,
    }
}

/// Serves with a runtime of its own, which is made when the client that waits already has been greeted.
fn block_on<S, F: Future<Output = Result<(), Error>>>(
    mut server: S,
    greet: fn(&mut S, &mut Context<'_>) -> Result<(), Error>,
    serve: impl FnOnce(S) -> F,
) -> Result<(), Error> {
    let failed = |source| Error::Io { what: "the runtime could not be made", source };
    let make = || {
        let mut runtime = tokio::runtime::Builder::new_multi_thread();
        if std::env::var_os("TOKIO_WORKER_THREADS").is_none() {
            // Two, so that while a function computes in place the other looks after all else.
            runtime.worker_threads(crate::limits::cores().max(2));
        }
        runtime.enable_all().build().map_err(failed)
    };
    #[cfg(unix)]
    let (runtime, result) = stdio::block_on(async {
        poll_fn(|cx| Poll::Ready(greet(&mut server, cx))).await?;
        let runtime = make()?;
        let result = {
            let _runtime = runtime.enter();
            let mut serving = pin!(serve(server));
            // Each poll within the runtime, which sees to it that nothing goes on and on without letting others have a turn.
            let turn = |cx: &mut Context<'_>| runtime.block_on(poll_fn(|_| Poll::Ready(serving.as_mut().poll(cx))));
            poll_fn(turn).await
        };
        Ok((runtime, result))
    })
    .map_err(failed)??;
    #[cfg(not(unix))]
    let (runtime, result) = {
        greet(&mut server, &mut Context::from_waker(std::task::Waker::noop()))?;
        let runtime = make()?;
        let result = runtime.block_on(serve(server));
        (runtime, result)
    };
    // A blocking function that is still running had its time, and keeps nobody waiting.
    runtime.shutdown_background();
    result
}

/// The options that an attribute states, as a layer; none where it states none.
fn attribute_layer(declared: &definition::Server) -> Option<Value> {
    let mut options = Map::new();
    let mut set = |key: &str, value: Option<Value>| {
        if let Some(value) = value {
            options.insert(key.to_owned(), value);
        }
    };
    set("port", declared.port.map(Value::from));
    set("endpoint", declared.endpoint.map(Value::from));
    set("messageEndpoint", declared.message_endpoint.map(Value::from));
    set("resumability", declared.resumability.then_some(Value::Bool(true)));
    set("cors", declared.cors.map(|origins| json!({ "allowOrigins": origins })));
    set("auth", declared.auth.map(|auth| json!({ "type": auth, "options": {} })));
    let mut transport = Map::new();
    if let Some(kind) = declared.transport {
        transport.insert("type".to_owned(), kind.into());
    }
    if !options.is_empty() {
        transport.insert("options".to_owned(), options.into());
    }
    (!transport.is_empty()).then(|| json!({ "transport": transport }))
}
