//! The HTTP listener: accepts connections, hands their requests to the doors, and stops in order. An application that has
//! connections of its own hands their requests to the same doors, by the service.

mod admission;
mod body;
mod connection;
mod doors;
mod event_stream;
mod guard;
mod head;
mod headers;
mod legacy_sse;
mod measured;
mod rejection;
mod relay;
mod service;
mod sessions;
mod sse;
mod stop;
mod streamable;
mod streams;
#[cfg(test)]
mod tests;
mod well_known;
mod wire;

use std::{future::Future, io, net::SocketAddr, sync::Arc, time::Duration};

use tokio::{
    net::{TcpListener, TcpStream, lookup_host},
    sync::{Semaphore, mpsc},
};

pub(crate) use self::sessions::Sessions;
use self::{
    doors::Doors,
    guard::Guard,
    relay::Relay,
    stop::{Stage, Stop},
    streams::Streams,
};
pub use self::{
    measured::HttpDoor,
    service::{McpBody, McpService},
};
use crate::{
    auth::{AuthOptions, Authenticator},
    limits::Limits,
    server::{dispatch::Dispatcher, error::Error},
};

/// What the listener is told, in its own words.
#[derive(Clone, Debug)]
pub(crate) struct HttpOptions {
    /// The paths of HTTP+SSE, where it is served.
    pub(crate) event_stream: Option<EventStreamPaths>,
    /// The endpoint of Streamable HTTP, where it is served.
    pub(crate) mcp: Option<McpEndpoint>,
    /// The path that says that the server is up.
    pub(crate) health_endpoint: Option<String>,
    /// The origins of web pages that may call; none, and browsers get no CORS headers.
    pub(crate) allow_origins: Option<Vec<String>>,
    /// The URL that clients know the server by, where that is another than the one it is bound to.
    pub(crate) public_url: Option<String>,
    /// How requests are authenticated; not at all, and everybody may call.
    pub(crate) auth: Option<AuthOptions>,
    /// Names in `Host` besides those of this machine.
    pub(crate) allowed_hosts: Vec<String>,
    pub(crate) limits: Limits,
}

/// The two paths of HTTP+SSE.
#[derive(Clone, Debug)]
pub(crate) struct EventStreamPaths {
    /// The path of the event stream.
    pub(crate) endpoint: String,
    /// The path of messages.
    pub(crate) message_endpoint: String,
}

/// The endpoint of Streamable HTTP.
#[derive(Clone, Debug)]
pub(crate) struct McpEndpoint {
    pub(crate) path: String,
    /// Whether the versions that may have sessions have them.
    pub(crate) sessions: bool,
    /// Whether a client that lost a stream of its session gets what it missed.
    pub(crate) resumability: bool,
}

impl HttpOptions {
    /// The paths that clients call, the transport's own first.
    #[cfg(feature = "auth")]
    fn endpoints(&self) -> Vec<String> {
        let event_stream = self.event_stream.iter().flat_map(|paths| [&paths.endpoint, &paths.message_endpoint]);
        event_stream.chain(self.mcp.iter().map(|mcp| &mcp.path)).cloned().collect()
    }
}

impl Default for HttpOptions {
    fn default() -> Self {
        let endpoint = "/sse".to_owned();
        Self {
            event_stream: Some(EventStreamPaths { endpoint, message_endpoint: "/messages".to_owned() }),
            mcp: Some(McpEndpoint { path: "/mcp".to_owned(), sessions: true, resumability: false }),
            health_endpoint: Some("/health".to_owned()),
            allow_origins: None,
            public_url: None,
            auth: None,
            allowed_hosts: Vec::new(),
            limits: Limits::default(),
        }
    }
}

/// What the doors of a listener share.
struct Served {
    dispatcher: Arc<Dispatcher>,
    limits: Limits,
    sessions: Arc<Sessions>,
    streams: Arc<Streams>,
}

/// A bound listener.
pub(crate) struct Listener {
    socket: TcpListener,
    address: SocketAddr,
    doors: Arc<Doors>,
    sessions: Arc<Sessions>,
    stop: Arc<Stop>,
    max_connections: usize,
}

impl Listener {
    /// Opens the port; with port 0 any free one.
    pub(crate) async fn bind(
        dispatcher: Arc<Dispatcher>,
        host: &str,
        port: u16,
        options: HttpOptions,
    ) -> Result<Self, Error> {
        let failed = |source| Error::Listen { address: format!("{host}:{port}"), source };
        let socket = listen(host, port).await?;
        let address = socket.local_addr().map_err(failed)?;
        let max_connections = max_connections(&options.limits);
        let (sessions, stop) = (Arc::default(), Arc::default());
        let doors = doors(dispatcher, Some(address), &options, &sessions, &stop).await?;
        Ok(Self { socket, address, doors, sessions, stop, max_connections })
    }

    pub(crate) fn local_addr(&self) -> SocketAddr {
        self.address
    }

    /// The sessions of all clients, for whoever counts them.
    pub(crate) fn sessions(&self) -> &Arc<Sessions> {
        &self.sessions
    }

    /// Serves until `shutdown` resolves, then ends in order: the port is free at once, idle connections and streams end
    /// at once, and what is under way gets `shutdownGraceSeconds`.
    pub(crate) async fn serve(self, shutdown: impl Future<Output = ()>) {
        let Self { socket, doors, sessions, stop, max_connections, .. } = self;
        // However serving ends, nothing of it goes on.
        let _end = CutOnDrop(Arc::clone(&stop), Arc::clone(&sessions));
        // Each connection holds a sender: once all are dropped, all have ended.
        let (open, mut all_ended) = mpsc::channel::<()>(1);
        let (limits, grace) = (doors.limits().clone(), doors.limits().shutdown_grace);
        let relay = Relay::start().map(Arc::new);
        let accept = accept(socket, max_connections, |socket, permit| {
            forget_dead_peers(&socket, &limits);
            let place = (permit, open.clone());
            // Spawned as it is: a future around it would keep room for it twice, as long as the connection lives.
            let (doors, stop, relay) = (Arc::clone(&doors), Arc::clone(&stop), relay.clone());
            tokio::spawn(connection::serve(socket, forget_unread, doors, stop, relay, place));
        });
        tokio::select! {
            () = accept => {}
            () = sessions.sweep(&limits) => {}
            () = shutdown => {}
        }
        drain(&stop, &sessions, open, &mut all_ended, grace).await;
        all_ended.recv().await;
    }
}

/// Ends what is idle at once, and what holds a sender like `open` when it had its time.
async fn drain(
    stop: &Stop,
    sessions: &Sessions,
    open: mpsc::Sender<()>,
    all_ended: &mut mpsc::Receiver<()>,
    grace: Option<Duration>,
) {
    stop.enter(Stage::Draining);
    sessions.close();
    drop(open);
    let in_time = match grace {
        Some(grace) => tokio::time::timeout(grace, all_ended.recv()).await.is_ok(),
        None => all_ended.recv().await.is_none(),
    };
    if !in_time {
        tracing::warn!("what was still under way when the grace period ended was cut off");
        stop.enter(Stage::Cut);
    }
}

struct CutOnDrop(Arc<Stop>, Arc<Sessions>);

impl Drop for CutOnDrop {
    fn drop(&mut self) {
        self.0.enter(Stage::Cut);
        // A call in a session goes on without its connection, and has the server with it.
        self.1.end();
    }
}

/// All that the connections of an address share; without one, those of an application.
async fn doors(
    dispatcher: Arc<Dispatcher>,
    address: Option<SocketAddr>,
    options: &HttpOptions,
    sessions: &Arc<Sessions>,
    stop: &Arc<Stop>,
) -> Result<Arc<Doors>, Error> {
    let guard = Guard::new(options, address)?;
    if address.is_none() && guard.is_for_loopback_alone() {
        tracing::info!(
            "requests under other names than those of this machine are refused until `transport.options.publicUrl` or \
             `transport.options.allowedHosts` says them"
        );
    }
    let mut limits = options.limits.clone();
    let max_connections = max_connections(&limits);
    if address.is_some() {
        // Each stream holds a connection, and its client needs another one to say something.
        limits.max_streams = Some(limits.max_streams.unwrap_or(usize::MAX).min(max_connections - max_connections / 8));
    }
    let authenticator = authenticator(options, address).await?;
    if authenticator.is_none() {
        tell_of_open_doors(&dispatcher, address, &guard);
    }
    let served = Served { dispatcher, limits, sessions: Arc::clone(sessions), streams: Arc::default() };
    Ok(Arc::new(Doors::new(options, guard, authenticator, &served, Arc::clone(stop))))
}

/// Tells the operator what it means that nobody is asked who they are.
fn tell_of_open_doors(dispatcher: &Dispatcher, address: Option<SocketAddr>, guard: &Guard) {
    match address {
        Some(address) if address.ip().is_loopback() => {
            tracing::info!("every path is open to whoever reaches {address}: there is no authentication");
        }
        Some(address) => tracing::warn!(
            "every path is open to whoever reaches {address}, from other machines too: there is no authentication; set \
             `transport.options.auth` (MCP_AUTH), or listen on 127.0.0.1"
        ),
        None if guard.is_for_loopback_alone() => {
            tracing::info!("every path is open to whoever reaches the application: there is no authentication");
        }
        None => tracing::warn!(
            "every path is open to whoever reaches the application, from other machines too: there is no authentication; \
             set `transport.options.auth`"
        ),
    }
    let names = dispatcher.names_with_scopes();
    if !names.is_empty() {
        tracing::warn!(
            names = names.join(" "),
            "these take scopes, which nobody has without authentication: they refuse everybody; set \
             `transport.options.auth` (MCP_AUTH)"
        );
    }
}

/// What stands between clients and the functions, ready to judge requests.
#[cfg(feature = "auth")]
async fn authenticator(
    options: &HttpOptions,
    address: Option<SocketAddr>,
) -> Result<Option<Arc<Authenticator>>, Error> {
    use crate::auth::Site;

    let Some(auth) = &options.auth else { return Ok(None) };
    let public_url = match (&options.public_url, address, auth) {
        (Some(url), ..) => url.clone(),
        (None, Some(address), _) => format!("http://{address}"),
        (None, None, AuthOptions::OAuth(_)) => {
            return Err(Error::InvalidOption {
                path: "transport.options.publicUrl".to_owned(),
                reason:
                    "must be set where an application serves with `oauth`: the audience of tokens and the metadata \
                         documents are made of it"
                        .to_owned(),
                source_name: String::new(),
            });
        }
        // Nothing is made of it.
        (None, None, _) => "http://localhost".to_owned(),
    };
    let refused = |problems: Vec<crate::auth::options::OptionProblem>| {
        let mut errors: Vec<_> = problems
            .into_iter()
            .map(|problem| Error::InvalidOption {
                path: format!("transport.options.auth.options.{}", problem.option),
                reason: problem.reason,
                source_name: String::new(),
            })
            .collect();
        if errors.len() == 1 { errors.remove(0) } else { Error::Several(errors) }
    };
    let site = Site {
        public_url,
        endpoints: options.endpoints(),
        message_endpoint: options.event_stream.as_ref().map(|paths| paths.message_endpoint.clone()),
    };
    let authenticator = Authenticator::new(auth, &options.limits, &site).map_err(refused)?;
    authenticator.prepare().await.map_err(refused)?;
    for posture in authenticator.posture() {
        if posture.is_doubtful {
            tracing::warn!("{}", posture.line);
        } else {
            tracing::info!("{}", posture.line);
        }
    }
    let documents = authenticator.documents().iter().flat_map(|document| &document.paths);
    let open: Vec<_> = documents.chain(&options.health_endpoint).map(String::as_str).collect();
    if !open.is_empty() {
        tracing::info!("{}: open to everybody", open.join(", "));
    }
    Ok(Some(Arc::new(authenticator)))
}

#[cfg(not(feature = "auth"))]
async fn authenticator(options: &HttpOptions, _: Option<SocketAddr>) -> Result<Option<Arc<Authenticator>>, Error> {
    match options.auth {
        Some(_) => Err(Error::MissingFeature { option: "transport.options.auth".to_owned(), feature: "auth" }),
        None => Ok(None),
    }
}

/// Takes connections for ever, as many at a time as there may be.
async fn accept(socket: TcpListener, most: usize, mut take: impl FnMut(TcpStream, tokio::sync::OwnedSemaphorePermit)) {
    /// How long the descriptors that are used up get to come back.
    const PAUSE: Duration = Duration::from_millis(100);
    let places = Arc::new(Semaphore::new(most));
    loop {
        // The semaphore is never closed.
        let Ok(permit) = Arc::clone(&places).acquire_owned().await else {
            return;
        };
        match socket.accept().await {
            Ok((stream, _)) => {
                // Without it an answer may wait for the client's acknowledgement; failing, it is only slower.
                drop(stream.set_nodelay(true));
                take(stream, permit);
            }
            // The client's doing: it went away before it was accepted.
            Err(error) if is_of_one_connection(&error) => {}
            Err(error) => {
                tracing::warn!(%error, "cannot accept connections just now");
                tokio::time::sleep(PAUSE).await;
            }
        }
    }
}

/// Small writes to a client that is gone without a word wait nowhere but in the kernel, which by itself gives up after a
/// quarter of an hour. Failing, it takes that long.
fn forget_dead_peers(socket: &TcpStream, limits: &Limits) {
    #[cfg(target_os = "linux")]
    if let Some(time) = limits.stalled_write {
        let milliseconds = u32::try_from(time.as_millis()).unwrap_or(0);
        let _ = rustix::net::sockopt::set_tcp_user_timeout(socket, milliseconds);
    }
    #[cfg(not(target_os = "linux"))]
    let _ = (socket, limits);
}

/// What a client that is cut off never read is forgotten by the kernel as well; failing, it only takes longer.
fn forget_unread(socket: &TcpStream) {
    drop(socket.set_zero_linger());
}

fn is_of_one_connection(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset, Interrupted};
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset | Interrupted)
}

/// Opens the first of the host's addresses that can be opened.
async fn listen(host: &str, port: u16) -> Result<TcpListener, Error> {
    let failed = |source| Error::Listen { address: format!("{host}:{port}"), source };
    let bare = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
    let addresses = lookup_host((bare, port)).await.map_err(failed)?;
    // A name that has both is `localhost`, and there are clients that try no other than 127.0.0.1.
    let (of_six, of_four): (Vec<_>, Vec<_>) = addresses.partition(SocketAddr::is_ipv6);
    let mut last = None;
    for address in of_four.into_iter().chain(of_six) {
        match TcpListener::bind(address).await {
            Ok(socket) => return Ok(socket),
            Err(error) if error.kind() == io::ErrorKind::AddrInUse => {
                return Err(Error::PortInUse { address });
            }
            Err(error) => last = Some(error),
        }
    }
    Err(failed(last.unwrap_or_else(|| io::Error::new(io::ErrorKind::NotFound, "the host has no address"))))
}

/// `maxConnections`, within what the operating system allows: descriptors are the first thing to run out.
fn max_connections(limits: &Limits) -> usize {
    let most = limits.max_connections.unwrap_or(usize::MAX);
    #[cfg(unix)]
    let most = match rustix::process::getrlimit(rustix::process::Resource::Nofile).current {
        Some(descriptors) => most.min(usize::try_from(descriptors / 5 * 4).unwrap_or(usize::MAX)),
        None => most,
    };
    most.clamp(1, Semaphore::MAX_PERMITS)
}
