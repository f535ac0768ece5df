//! A server whose transport is opened, and one that serves.

use std::{fmt, net::SocketAddr, pin::Pin, sync::Arc, task::Context};

#[cfg(all(feature = "http", feature = "cli"))]
use serde_json::{Map, json};

#[cfg(feature = "http")]
use crate::transport::http::{EventStreamPaths, HttpOptions, Listener, McpEndpoint, McpService, Sessions};
use crate::{
    config::SseOptions,
    server::{dispatch::Dispatcher, error::Error, handle::Handle},
    transport::stdio,
};

/// A server that is put together, and whose transport is not open.
pub(super) struct Prepared {
    pub(super) dispatcher: Arc<Dispatcher>,
    pub(super) door: Option<Box<Door>>,
    pub(super) handle: Handle,
    /// Whether nobody gave it a key for the state of calls that ask.
    pub(super) has_own_key: bool,
    /// Standard input and output, where they are taken over already.
    pub(super) standard: Option<Box<stdio::Standard>>,
}

impl Prepared {
    /// Where there is no listener: takes standard input and output over, and answers the handshake that waits there. On Unix
    /// that needs no runtime; elsewhere it is left to [`Bound::serve`].
    pub(super) fn greet(&mut self, cx: &mut Context<'_>) -> Result<(), Error> {
        if cfg!(unix) && self.door.is_none() {
            let standard = stdio::Standard::open(Arc::clone(&self.dispatcher)).map_err(stream_failed)?;
            self.standard.insert(Box::new(standard)).greet(cx);
        }
        Ok(())
    }

    pub(super) async fn open(self) -> Result<Bound, Error> {
        let Self { dispatcher, door, handle, has_own_key, standard } = self;
        let kind = match door {
            None => Kind::Stdio(dispatcher, standard),
            Some(door) => listen(dispatcher, door).await?,
        };
        if has_own_key && !matches!(kind, Kind::Stdio(..)) {
            tell_of_own_key();
        }
        #[cfg(feature = "http")]
        if let Kind::Http { listener, .. } = &kind {
            count_sessions(&handle, listener.sessions());
        }
        Ok(Bound { kind, handle })
    }

    /// For an application that has a listener.
    #[cfg(feature = "http")]
    pub(super) async fn mount(self) -> Result<McpService, Error> {
        let Self { dispatcher, door, handle, has_own_key, standard: _ } = self;
        let Some(door) = door else { return Err(takes_no_http()) };
        let service = McpService::new(dispatcher, handle.clone(), &door.http()).await?;
        if has_own_key {
            tell_of_own_key();
        }
        count_sessions(&handle, service.sessions());
        Ok(service)
    }
}

fn tell_of_own_key() {
    tracing::info!(
        "`stateKeys` (MCP_STATE_KEYS) is not set: a call that asks its client something can be taken up again by \
         this process only; replicas behind one address, and restarts, need a key in common"
    );
}

#[cfg(feature = "http")]
fn count_sessions(handle: &Handle, sessions: &Arc<Sessions>) {
    let sessions = Arc::clone(sessions);
    handle.count_sessions(move || sessions.count());
}

/// Why a server on stdio answers no requests.
#[cfg(feature = "http")]
pub(super) fn takes_no_http() -> Error {
    Error::InvalidOption {
        path: "transport.type".to_owned(),
        reason: "`stdio` takes no HTTP; choose `http-stream` or `sse`, by `ServerOptions` or by \
                 `#[mcp_server(transport = \"http-stream\")]`"
            .to_owned(),
        source_name: String::new(),
    }
}

/// A server whose transport is open.
pub struct Bound {
    kind: Kind,
    handle: Handle,
}

enum Kind {
    /// Standard input and output are taken over when serving begins, if they are not yet: whoever binds may still print.
    Stdio(Arc<Dispatcher>, Option<Box<stdio::Standard>>),
    #[cfg(feature = "http")]
    Http {
        listener: Listener,
        /// The methods and paths that clients use, for the announcement; the one to tell them of first.
        #[cfg(feature = "cli")]
        endpoints: Endpoints,
    },
}

/// Methods, a path, and what a client calls a transport that begins there.
#[cfg(all(feature = "http", feature = "cli"))]
type Endpoints = Vec<(&'static str, String, Option<&'static str>)>;

impl Bound {
    /// The address of the listener; none on stdio.
    pub fn local_addr(&self) -> Option<SocketAddr> {
        match &self.kind {
            Kind::Stdio(..) => None,
            #[cfg(feature = "http")]
            Kind::Http { listener, .. } => Some(listener.local_addr()),
        }
    }

    /// What can be done with the server while it serves.
    pub fn handle(&self) -> Handle {
        self.handle.clone()
    }

    /// Serves until serving ends.
    ///
    /// # Errors
    /// When standard input or output fails.
    pub async fn serve(self) -> Result<(), Error> {
        let stop = self.handle.stopped();
        match self.kind {
            Kind::Stdio(dispatcher, standard) => {
                let standard = match standard {
                    Some(standard) => *standard,
                    None => stdio::Standard::open(dispatcher).map_err(stream_failed)?,
                };
                standard.serve(stop).await.map_err(stream_failed)
            }
            #[cfg(feature = "http")]
            Kind::Http { listener, .. } => {
                serve_http(listener, stop).await;
                Ok(())
            }
        }
    }

    /// Says where it can be reached, for people: the address, the endpoints, what to tell a client.
    #[cfg(feature = "cli")]
    pub(super) fn announce(&self, name: &str, public_url: Option<String>) {
        #[cfg(feature = "http")]
        if let Kind::Http { listener, endpoints } = &self.kind {
            let bound = format!("http://{}", listener.local_addr());
            // What clients use: with a public URL nobody outside knows the address as bound.
            let url = public_url.as_deref().unwrap_or(&bound).trim_end_matches('/');
            let mut text = format!("listening on {bound}");
            let mut servers = Map::new();
            for (methods, path, kind) in endpoints {
                text.push_str(&format!("\n  {methods:<5}{url}{path}"));
                if let Some(kind) = kind
                    && servers.is_empty()
                {
                    servers.insert(name.to_owned(), json!({ "type": kind, "url": format!("{url}{path}") }));
                }
            }
            let client = json!({ "mcpServers": servers });
            crate::telemetry::say(&format!("{text}\nclient configuration:\n{client:#}"));
        }
        #[cfg(not(feature = "http"))]
        let _ = (name, public_url);
    }
}

impl fmt::Debug for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Bound").field("local_addr", &self.local_addr()).finish_non_exhaustive()
    }
}

/// What a listener is to be.
#[cfg_attr(not(feature = "http"), expect(dead_code, reason = "nobody listens"))]
pub(super) struct Door {
    pub(super) options: SseOptions,
    /// Whether HTTP+SSE is served.
    pub(super) event_stream: bool,
    /// Where Streamable HTTP is.
    pub(super) mcp: Option<String>,
}

#[cfg(feature = "http")]
impl Door {
    /// The same in the listener's own words.
    pub(super) fn http(self) -> HttpOptions {
        let Self { options, event_stream, mcp } = self;
        if options.resumability && !options.sessions {
            tracing::warn!("without `sessions` nothing can be resumed: `resumability` has no effect");
        }
        let SseOptions { endpoint, message_endpoint, .. } = options;
        HttpOptions {
            event_stream: event_stream.then_some(EventStreamPaths { endpoint, message_endpoint }),
            mcp: mcp.map(|path| McpEndpoint {
                path,
                sessions: options.sessions,
                resumability: options.resumability && options.sessions,
            }),
            health_endpoint: options.health_endpoint,
            allow_origins: options.cors.map(|cors| cors.allow_origins),
            public_url: options.public_url,
            auth: options.auth,
            allowed_hosts: options.allowed_hosts,
            limits: options.limits,
        }
    }
}

/// What only a listener does. Boxed, and not inlined: over stdio nobody makes room for it.
type Boxed<T> = Pin<Box<dyn Future<Output = T> + Send>>;

/// Opens the listener.
#[cfg(feature = "http")]
#[inline(never)]
fn listen(dispatcher: Arc<Dispatcher>, door: Box<Door>) -> Boxed<Result<Kind, Error>> {
    Box::pin(async move {
        let (host, port) = (door.options.host.clone(), door.options.port);
        let http = door.http();
        #[cfg(feature = "cli")]
        let endpoints = {
            let mut endpoints = Endpoints::new();
            if let Some(EventStreamPaths { endpoint, message_endpoint }) = &http.event_stream {
                endpoints.push(("GET", endpoint.clone(), Some("sse")));
                endpoints.push(("POST", message_endpoint.clone(), None));
            }
            if let Some(McpEndpoint { path, .. }) = &http.mcp {
                endpoints.push(("POST", path.clone(), Some("http")));
            }
            endpoints
        };
        let listener = Listener::bind(dispatcher, &host, port, http).await?;
        tracing::info!(address = %listener.local_addr(), "listening");
        Ok(Kind::Http {
            listener,
            #[cfg(feature = "cli")]
            endpoints,
        })
    })
}

#[cfg(not(feature = "http"))]
fn listen(_: Arc<Dispatcher>, _: Box<Door>) -> Boxed<Result<Kind, Error>> {
    Box::pin(async { Err(Error::MissingFeature { option: "transport.type".to_owned(), feature: "http" }) })
}

/// Serves with the listener until `stop` resolves.
#[cfg(feature = "http")]
#[inline(never)]
fn serve_http(listener: Listener, stop: impl Future<Output = ()> + Send + 'static) -> Boxed<()> {
    Box::pin(listener.serve(stop))
}

pub(super) fn stream_failed(source: std::io::Error) -> Error {
    Error::Io { what: "reading or writing the client's stream failed", source }
}
