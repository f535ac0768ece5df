//! The listener's doors without its connections: a service that an application calls with the requests of its own.

use std::{
    convert::Infallible,
    error::Error as StdError,
    fmt,
    future::{Future, poll_fn},
    io,
    pin::{Pin, pin},
    sync::Arc,
    task::{Context, Poll},
};

use arc_swap::ArcSwapOption;
use bytes::Bytes;
use http::{HeaderValue, Method, Request, Response, Version, header, request::Parts};
use http_body::{Body, Frame, SizeHint};
use tokio::{sync::mpsc, task::AbortHandle};
use tower_service::Service;

use super::{
    CutOnDrop, HttpOptions, Sessions,
    body::{ReplyBody, RequestBody},
    doors::Doors,
    drain,
    rejection::Rejection,
    relay::Relay,
    stop::{Stage, Stop},
};
use crate::{
    limits::Limits,
    server::{dispatch::Dispatcher, error::Error, handle::Handle},
};

/// A server as a [`tower_service::Service`], for an application that has a listener of its own: axum, hyper, or whatever
/// else takes one. [`McpServer::into_service`](crate::McpServer::into_service) makes it; clones are one server.
///
/// ```
/// use axum::{Router, routing::get};
/// use mcp_runtime::prelude::*;
///
/// #[mcp_server(name = "calculator", version = "1.0.0", transport = "http-stream")]
/// mod calculator {
///     /// Adds two numbers
///     #[mcp_tool]
///     fn add(a: i64, b: i64) -> i64 {
///         a + b
///     }
/// }
///
/// # async fn shutdown_signal() {}
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let mcp = calculator::server().into_service().await?;
/// let handle = mcp.handle();
/// let app = Router::new().route("/", get(async || "Hello!")).fallback_service(mcp);
/// # let port = 0;
/// let listener = tokio::net::TcpListener::bind(("127.0.0.1", port)).await?;
/// axum::serve(listener, app)
///     .with_graceful_shutdown(async move {
///         shutdown_signal().await;
///         // Otherwise axum would wait for event streams that nobody ends.
///         handle.shut_down();
///     })
///     .await?;
/// # Ok(()) }
/// ```
///
/// # What is as it is on a listener, and what is not
///
/// A request meets the same code as on the listener: HTTP+SSE and Streamable HTTP in all their versions, authentication,
/// CORS, the checks of `Host` and `Origin`, the metadata documents, the health endpoint, and those of the [`Limits`]
/// that speak of requests, sessions, streams, calls and tasks. What it refuses it refuses in the same words.
///
/// What only a listener can do is the application's affair, or that of its proxy:
///
/// - `host` and `port`, which are not looked at
/// - how many connections there are (`maxConnections`), and how long an idle one is kept (`idleConnectionSeconds`)
/// - how large a head is and how long it takes (`maxRequestLineBytes`, `maxHeaderBytes`, `maxHeaders`,
///   `headerReadSeconds`): axum's own listener has no clock for it
/// - that a head whose length is stated in two ways is refused: hyper drops one of the two
/// - connections whose client does not read (`stalledWriteSeconds`): what is queued for it is bounded, and when that is full its
///   session over HTTP+SSE ends, but the connection stays until the application closes it, and with it the place of its stream
///   among `maxStreams`
/// - clients that close their half of a connection and wait for their answer: hyper takes them for gone
/// - reading on for a while after a refusal, so that a client in the middle of a large body gets to read why
/// - signals, which [`McpService::handle`] lets you heed, and where the lines of `tracing` go
///
/// Addresses of clients are not used for anything, here or there.
///
/// # Who may call
///
/// The service does not know where the application listens. So a request's `Host` must be a loopback name, the host of
/// `publicUrl`, or one of `allowedHosts`: behind a name of your own set one of these, or every request is refused (403).
/// A request from a web page must come from the origin of `publicUrl`, from one of `cors.allowOrigins`, or, under a
/// loopback name, over `http`, from that same name and port. With `oauth`, `publicUrl` must be set. What the application serves beside it
/// is not guarded by this.
///
/// # Where it stands
///
/// Its paths are those of the options, whole. What is at none of them is answered with 404 (with authentication 401, as
/// everything without a credential), so that it serves as a fallback. An application with a fallback of its own routes
/// each of [`McpService::paths`]; one with a health check of its own sets `healthEndpoint` to null.
///
/// To have it below a prefix, put that into the paths (`"endpoint": "/tools/mcp"`), and nest nothing. Where it must be
/// nested, as axum's `nest_service` does, the service sees paths without the prefix, and cannot know it: set `publicUrl` with
/// it (`https://example.com/tools`), or clients of HTTP+SSE are sent to `/messages` when it is at `/tools/messages`. The
/// metadata documents of `oauth` then are asked for at the root: route those of [`McpService::paths`] that begin with
/// `/.well-known/` there as well.
///
/// # How it ends
///
/// [`Handle::shut_down`] ends it as it ends a listener: streams end, calls under way get
/// `shutdownGraceSeconds` and are cut off then, and what comes from then on is refused with 503. When the last clone is
/// dropped, all of it ends at once. A request that is under way then keeps a clone until its response begins.
#[derive(Clone)]
pub struct McpService(Arc<Inner>);

struct Inner {
    served: Arc<Served>,
    handle: Handle,
    paths: Vec<String>,
    /// What is under way holds one of it, until the server drains.
    open: mpsc::WeakSender<()>,
    relay: Option<Relay>,
    driver: AbortHandle,
}

/// What serves, until it has ended.
struct Served {
    doors: ArcSwapOption<Doors>,
    sessions: Arc<Sessions>,
    stop: Arc<Stop>,
}

impl McpService {
    /// On the runtime that this is called on.
    pub(crate) async fn new(dispatcher: Arc<Dispatcher>, handle: Handle, options: &HttpOptions) -> Result<Self, Error> {
        let (sessions, stop) = (Arc::default(), Arc::default());
        let doors = super::doors(dispatcher, None, options, &sessions, &stop).await?;
        let (paths, limits) = (doors.paths().to_vec(), doors.limits().clone());
        let (open, all_ended) = mpsc::channel(1);
        let weak = open.downgrade();
        let served = Arc::new(Served { doors: ArcSwapOption::new(Some(doors)), sessions, stop });
        let driving = Arc::clone(&served).drive(limits, handle.stopped(), open, all_ended);
        let driver = tokio::spawn(driving).abort_handle();
        Ok(Self(Arc::new(Inner { served, handle, paths, open: weak, relay: Relay::start(), driver })))
    }

    /// The sessions of all clients, for whoever counts them.
    pub(crate) fn sessions(&self) -> &Arc<Sessions> {
        &self.0.served.sessions
    }

    /// How far it is on its way to its end.
    #[cfg(test)]
    pub(super) fn way(&self) -> &Arc<Stop> {
        &self.0.served.stop
    }

    /// What can be done with the server while it serves: ending it, for one.
    pub fn handle(&self) -> Handle {
        self.0.handle.clone()
    }

    /// The paths at which it answers: those of the options, and of the metadata documents. For an application that has a
    /// fallback of its own:
    ///
    /// ```
    /// use axum::Router;
    /// use mcp_runtime::McpService;
    ///
    /// fn app(mcp: &McpService) -> Router {
    ///     let app = mcp.paths().fold(Router::new(), |app, path| app.route_service(path, mcp.clone()));
    ///     app.fallback(async || "there is nothing here")
    /// }
    /// ```
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.0.paths.iter().map(String::as_str)
    }
}

impl Inner {
    async fn answer(self: Arc<Self>, head: Parts, body: RequestBody) -> Response<McpBody> {
        let open = self.open.upgrade();
        let is_of_version_1 = head.version <= Version::HTTP_11;
        let stop = &self.served.stop;
        let mut response = match self.served.doors.load_full() {
            Some(doors) => {
                let mut answered = pin!(doors.answer(Arc::default(), head, body));
                let mut cut = pin!(stop.cut());
                poll_fn(|cx| {
                    if let Some(relay) = &self.relay {
                        relay.request();
                    }
                    if let Poll::Ready(response) = answered.as_mut().poll(cx) {
                        return Poll::Ready(response.unwrap_or_else(|never| match never {}));
                    }
                    cut.as_mut().poll(cx).map(|()| stopping())
                })
                .await
            }
            None => stopping(),
        };
        if !is_of_version_1 {
            // There it is said in another way, and by nobody but the connection.
            response.headers_mut().remove(header::CONNECTION);
        }
        response.map(|content| McpBody { content, cut: Some(Cut { stop: Arc::clone(stop), bell: None }), _open: open })
    }
}

/// What is said where the doors are shut already.
fn stopping() -> Response<ReplyBody> {
    let mut response = Rejection::Stopping.answer(None);
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

impl Served {
    /// Serves until it is to stop, and ends in order.
    async fn drive(
        self: Arc<Self>,
        limits: Limits,
        stopped: impl Future<Output = ()>,
        open: mpsc::Sender<()>,
        mut all_ended: mpsc::Receiver<()>,
    ) {
        tokio::select! {
            () = self.sessions.sweep(&limits) => {}
            () = stopped => {}
        }
        drain(&self.stop, &self.sessions, open, &mut all_ended, limits.shutdown_grace).await;
        self.end();
    }

    /// Ends all that is under way. The application may keep the service: nothing of the server stays in it.
    fn end(&self) {
        drop(CutOnDrop(Arc::clone(&self.stop), Arc::clone(&self.sessions)));
        self.doors.store(None);
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.driver.abort();
        self.served.end();
    }
}

impl<B> Service<Request<B>> for McpService
where
    B: Body<Data = Bytes> + Send + 'static,
    B::Error: Into<Box<dyn StdError + Send + Sync>>,
{
    type Response = Response<McpBody>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let (head, body) = request.into_parts();
        let (inner, body) = (Arc::clone(&self.0), axum::body::Body::new(body));
        Box::pin(async {
            let body = if head.method == Method::POST { body } else { looked_at(body).await };
            Ok(inner.answer(head, RequestBody::Mounted(body)).await)
        })
    }
}

/// A body that is known to be empty if it is, though it does not say so: what an application has wrapped often does not.
async fn looked_at(mut body: axum::body::Body) -> axum::body::Body {
    if body.is_end_stream() {
        return body;
    }
    let begun = poll_fn(|cx| Poll::Ready(Pin::new(&mut body).poll_frame(cx))).await;
    match begun {
        Poll::Ready(None) => axum::body::Body::empty(),
        Poll::Ready(Some(Ok(frame))) => frame.into_data().map_or_else(|_| axum::body::Body::empty(), Into::into),
        Poll::Ready(Some(Err(_))) | Poll::Pending => body,
    }
}

impl fmt::Debug for McpService {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("McpService").field("paths", &self.0.paths).finish_non_exhaustive()
    }
}

/// The body of a [`McpService`]'s response: an answer, or an event stream. An error means that the server has ended before
/// the stream has.
#[derive(Default)]
pub struct McpBody {
    content: ReplyBody,
    cut: Option<Cut>,
    /// Dropped with the body, when the response is over.
    _open: Option<mpsc::Sender<()>>,
}

/// What cuts a stream off that the server does not wait for.
struct Cut {
    stop: Arc<Stop>,
    /// Rings then; made where there is something to wait for.
    bell: Option<Pin<Box<dyn Future<Output = ()> + Send>>>,
}

impl Cut {
    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let stop = &self.stop;
        let bell = self.bell.get_or_insert_with(|| {
            let stop = Arc::clone(stop);
            Box::pin(async move { stop.cut().await })
        });
        bell.as_mut().poll(cx)
    }
}

impl Body for McpBody {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
        let body = self.get_mut();
        let is_cut = body.cut.as_ref().is_some_and(|cut| cut.stop.stage() == Stage::Cut);
        if (!is_cut || body.content.is_whole())
            && let Poll::Ready(frame) = Pin::new(&mut body.content).poll_frame(cx)
        {
            return Poll::Ready(frame.map(|frame| frame.map_err(io::Error::other)));
        }
        let Some(cut) = &mut body.cut else { return Poll::Pending };
        if cut.poll(cx).is_pending() {
            return Poll::Pending;
        }
        // Its call ends, its place is free.
        *body = Self::default();
        Poll::Ready(Some(Err(io::Error::new(io::ErrorKind::ConnectionAborted, "the server has ended"))))
    }

    fn is_end_stream(&self) -> bool {
        self.content.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.content.size_hint()
    }
}

impl fmt::Debug for McpBody {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("McpBody").field("size", &self.size_hint()).finish_non_exhaustive()
    }
}
