//! Which door takes which request, and what every request passes on its way there.

use std::{
    convert::Infallible,
    future::Future,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use axum::{
    Extension, Router,
    body::Body,
    extract::State,
    routing::{MethodRouter, get},
};
use http::{HeaderValue, Method, Request, Response, header, request::Parts};
use http_body::Body as _;
use tower_http::cors::Cors;
use tower_service::Service;

use super::{
    EventStreamPaths, HttpOptions, Served,
    admission::Gate,
    body::{ReplyBody, RequestBody},
    connection::{Answering, Carried, Lane},
    guard::{self, Guard},
    headers::version,
    legacy_sse::LegacySse,
    rejection::{Rejection, close},
    stop::{Stage, Stop},
    streamable::{Streamable, Visit},
    well_known,
};
use crate::{
    auth::{Authenticator, Document},
    limits::Limits,
    principal::Principal,
    server::dispatch::Dispatcher,
};

/// All that a request meets between its connection and its door.
pub(super) struct Doors {
    guard: Guard,
    /// Around the house for browsers; other clients go straight in.
    cors: Option<Cors<House>>,
    /// Knows the headers that its tools have.
    dispatcher: Arc<Dispatcher>,
    house: House,
    stop: Arc<Stop>,
    limits: Limits,
}

/// The doors themselves, behind all that guards them.
#[derive(Clone)]
pub(super) struct House(Arc<Rooms>);

struct Rooms {
    /// HTTP+SSE. Every call on it goes to its message endpoint, and does not take the way through the router.
    event_stream: Option<EventStreamPaths>,
    legacy: Arc<LegacySse>,
    /// Streamable HTTP, past the router as well.
    mcp: Option<(String, Streamable)>,
    gate: Gate,
    /// The paths whose rooms are for everybody; no other room of the router has one of them.
    open: Vec<String>,
    /// All that have a room.
    paths: Vec<String>,
    router: Router,
}

/// Where a request goes. It is told once, so that nobody is let in by one room's rules and served by another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// A message of HTTP+SSE.
    Message,
    /// Streamable HTTP.
    Mcp,
    /// Opens an event stream of HTTP+SSE.
    Stream,
    /// Reads what is for everybody.
    Open,
    /// What is refused, once it is known who asks.
    Elsewhere,
}

impl Doors {
    pub(super) fn new(
        options: &HttpOptions,
        guard: Guard,
        authenticator: Option<Arc<Authenticator>>,
        served: &Served,
        stop: Arc<Stop>,
    ) -> Self {
        let documents = authenticator.as_ref().map(|it| it.documents().to_vec()).unwrap_or_default();
        let gate = Gate::new(authenticator, &options.limits);
        let Served { dispatcher, limits, sessions, streams } = served;
        let prefix = options.public_url.as_deref().map_or("", guard::path_of);
        let message_endpoint = options.event_stream.as_ref().map_or("", |paths| &paths.message_endpoint);
        let legacy = Arc::new(LegacySse::new(
            Arc::clone(dispatcher),
            limits.clone(),
            format!("{prefix}{message_endpoint}"),
            Arc::clone(sessions),
            Arc::clone(streams),
        ));
        let mcp = options.mcp.as_ref().map(|mcp| {
            let (sessions, streams) = (Arc::clone(sessions), Arc::clone(streams));
            let streamable = Streamable::new(Arc::clone(dispatcher), limits.clone(), mcp, sessions, streams);
            (mcp.path.clone(), streamable)
        });
        let (router, open, paths) = router(options, documents, Arc::clone(&legacy));
        let event_stream = options.event_stream.clone();
        let house = House(Arc::new(Rooms { event_stream, mcp, gate, open, paths, router, legacy }));
        let cors = options.allow_origins.as_ref().map(|_| guard.cors(house.clone(), Vec::new()));
        Self { guard, cors, dispatcher: Arc::clone(dispatcher), house, stop, limits: options.limits.clone() }
    }

    /// What answers preflights: tools that came since the start may have headers of their own.
    fn preflight(&self) -> Cors<House> {
        // Names that hold in a schema hold in a header.
        let mirrored = self.dispatcher.mirrored_headers().into_iter().filter_map(|name| name.try_into().ok());
        self.guard.cors(self.house.clone(), self.house.0.gate.header().into_iter().chain(mirrored).collect())
    }

    pub(super) fn limits(&self) -> &Limits {
        &self.limits
    }

    /// The paths at which there is something, each once.
    pub(super) fn paths(&self) -> &[String] {
        &self.house.0.paths
    }

    /// Answers one request, whatever becomes of it.
    ///
    /// The future is kept small, and what is seldom is boxed: it is allocated for each request.
    pub(super) fn answer(
        self: Arc<Self>,
        lane: Arc<Lane>,
        mut head: Parts,
        body: RequestBody,
    ) -> impl Future<Output = Result<Response<ReplyBody>, Infallible>> + Send {
        let answering = Answering::new(Arc::clone(&lane));
        async move {
            let mut response = match (self.check(&lane, &head), &self.cors) {
                (Err(rejection), None) => refuse(rejection, has_body(&body)),
                (Err(rejection), Some(cors)) => Box::pin(self.turn_away(rejection, &lane, &head, body, cors)).await?,
                // Preflights are answered there and go no further.
                (Ok(()), Some(cors)) if head.headers.contains_key(header::ORIGIN) => {
                    let is_preflight = head.method == Method::OPTIONS;
                    let mut cors = if is_preflight { self.preflight() } else { cors.clone() };
                    head.extensions.insert(Arc::clone(&lane));
                    Box::pin(cors.call(Request::from_parts(head, body))).await?
                }
                (Ok(()), _) => self.house.enter(&lane, &mut head, body).await,
            };
            if lane.is_last() {
                close(&mut response);
            }
            response.headers_mut().entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
            Ok(response.map(|body| body.until(answering)))
        }
    }

    /// Refuses a request so that the page from which it comes may read why, where it may call and is known.
    async fn turn_away(
        &self,
        rejection: Rejection,
        lane: &Lane,
        head: &Parts,
        body: RequestBody,
        cors: &Cors<House>,
    ) -> Result<Response<ReplyBody>, Infallible> {
        let page = match lane.take_origin() {
            Some(origin) => Some(origin).filter(|origin| self.guard.allows_origin(origin)),
            None => self.guard.page(&head.headers).cloned(),
        };
        let Some(page) = page else { return Ok(refuse(rejection, has_body(&body))) };
        // No preflight, whatever it was: those are for requests that are let in.
        let mut refused = Request::new(body);
        refused.headers_mut().insert(header::ORIGIN, page);
        refused.extensions_mut().insert(rejection);
        cors.clone().call(refused).await
    }

    /// What can be said of a request by its head, whoever sent it.
    fn check(&self, lane: &Lane, head: &Parts) -> Result<(), Rejection> {
        if let Some(rejection) = lane.refusal() {
            return Err(rejection);
        }
        self.guard.check(head)?;
        if self.stop.stage() == Stage::Serving { Ok(()) } else { Err(Rejection::Stopping) }
    }
}

impl House {
    /// The one way in: authentication stands here, behind the preflights and before every path.
    async fn enter(&self, lane: &Arc<Lane>, head: &mut Parts, body: RequestBody) -> Response<ReplyBody> {
        let Rooms { gate, legacy, .. } = &*self.0;
        let has_body = has_body(&body);
        let way = self.way(head);
        let by_query = match way {
            Way::Stream => true,
            Way::Message => legacy.takes_credential_by_query(head),
            Way::Mcp | Way::Open | Way::Elsewhere => false,
        };
        let admitted = match way {
            Way::Open => Ok(None),
            _ => gate.admit(head, by_query, lane.credential()).await,
        };
        let principal = match admitted {
            Ok(principal) => principal,
            Err(mut refusal) => {
                if has_body {
                    close(&mut refusal);
                }
                return refusal;
            }
        };
        match (way, &self.0.mcp) {
            (Way::Message, _) => {
                let received = legacy.receive(head, body, principal.as_ref(), gate).await;
                return received.unwrap_or_else(|rejection| refuse(rejection, has_body));
            }
            (Way::Mcp, Some((_, streamable))) => {
                let visit = Visit { head, version: version(&head.headers), principal: principal.as_ref(), gate, lane };
                let answered = streamable.answer(&visit, body).await;
                return answered.unwrap_or_else(|rejection| refuse(rejection, has_body));
            }
            (Way::Stream, _) => {
                let credential = gate.query_credential(head).map(str::to_owned);
                head.extensions.insert(Opening { principal, lane: Arc::clone(lane), credential });
            }
            (Way::Mcp | Way::Open | Way::Elsewhere, _) => {}
        }
        let head = std::mem::replace(head, Request::new(()).into_parts().0);
        let routed = Box::pin(self.0.router.clone().call(Request::from_parts(head, Body::from(body))));
        let routed = routed.await.unwrap_or_else(|never| match never {});
        let mut response = routed.map(ReplyBody::routed);
        if has_body {
            close(&mut response);
        }
        response
    }

    fn way(&self, head: &Parts) -> Way {
        let path = head.uri.path();
        let Rooms { event_stream, mcp, open, .. } = &*self.0;
        if let Some(paths) = event_stream {
            match head.method {
                Method::POST if path == paths.message_endpoint => return Way::Message,
                Method::GET if path == paths.endpoint => return Way::Stream,
                _ => {}
            }
        }
        if mcp.as_ref().is_some_and(|(own, _)| path == own) {
            return Way::Mcp;
        }
        let reads = matches!(head.method, Method::GET | Method::HEAD);
        if reads && open.iter().any(|open| path == open) { Way::Open } else { Way::Elsewhere }
    }
}

impl Service<Request<RequestBody>> for House {
    type Response = Response<ReplyBody>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<RequestBody>) -> Self::Future {
        let house = self.clone();
        let (mut head, body) = request.into_parts();
        if let Some(rejection) = head.extensions.remove::<Rejection>() {
            let response = refuse(rejection, has_body(&body));
            return Box::pin(async { Ok(response) });
        }
        // Every other request that takes this way has been given its connection's.
        let lane = head.extensions.remove::<Arc<Lane>>().unwrap_or_default();
        Box::pin(async move { Ok(house.enter(&lane, &mut head, body).await) })
    }
}

/// Who opens a stream, on which connection, and the pair of the query that said so.
#[derive(Clone)]
struct Opening {
    principal: Option<Arc<Principal>>,
    lane: Arc<Lane>,
    credential: Option<String>,
}

/// The doors that are opened seldom, none of which reads a body; the paths of those that are open to everybody, and all
/// paths. Each path has one door, the first that asks for it: what is for everybody comes last.
fn router(
    options: &HttpOptions,
    documents: Vec<Document>,
    legacy: Arc<LegacySse>,
) -> (Router, Vec<String>, Vec<String>) {
    let mut taken: Vec<String> = options.mcp.iter().map(|mcp| mcp.path.clone()).collect();
    let mut router = Router::new().without_v07_checks();
    let mut add = |path: &str, room: MethodRouter<Arc<LegacySse>>| {
        if taken.iter().any(|other| other == path) {
            return false;
        }
        taken.push(path.to_owned());
        router = std::mem::take(&mut router).route(&literal(path), room);
        true
    };
    if let Some(EventStreamPaths { endpoint, message_endpoint }) = &options.event_stream {
        add(endpoint, get(open_stream).head(only_get).fallback(only_get));
        add(message_endpoint, MethodRouter::new().fallback(async || Rejection::OnlyPost));
    }
    let mut open = Vec::new();
    if let Some(health) = &options.health_endpoint
        && add(health, well_known::health())
    {
        open.push(health.clone());
    }
    for Document { paths, body } in documents {
        for path in paths {
            if add(&path, well_known::document(body.clone())) {
                open.push(path);
            }
        }
    }
    (router.fallback(async || Rejection::NotFound).with_state(legacy), open, taken)
}

async fn open_stream(
    State(legacy): State<Arc<LegacySse>>,
    Extension(opening): Extension<Opening>,
    request: Request<Body>,
) -> Result<Response<Body>, Rejection> {
    // Behind a body that nobody reads the end of the client could not be seen.
    if !request.body().is_end_stream() {
        return Err(Rejection::UnexpectedBody);
    }
    let Opening { principal, lane, credential } = opening;
    let (session, response) = legacy.open(request.headers(), principal.as_deref(), credential.as_deref())?;
    lane.carry(Carried::Session(Arc::downgrade(&session), None));
    lane.credential().forget();
    Ok(response.map(Body::new))
}

async fn only_get() -> Rejection {
    Rejection::OnlyGet
}

/// A path whose braces are no variables.
fn literal(path: &str) -> String {
    path.replace('{', "{{").replace('}', "}}")
}

/// A refusal; where the request has a body, that was not read.
fn refuse(rejection: Rejection, has_body: bool) -> Response<ReplyBody> {
    let mut response = rejection.answer(None);
    // Whoever frames a request in an unclear way is not believed about where the next one begins.
    if has_body || response.status() == http::StatusCode::BAD_REQUEST {
        close(&mut response);
    }
    response
}

fn has_body(body: &RequestBody) -> bool {
    !body.is_over()
}

#[cfg(test)]
mod tests {
    use super::Doors;

    /// What malloc gives without a search, in bytes.
    const QUICK: usize = 1032;

    #[test]
    fn what_is_allocated_for_each_request_is_small() {
        fn size<A, B, C, D, F>(_: impl Fn(A, B, C, D) -> F) -> usize {
            size_of::<F>()
        }
        let size = size(Doors::answer);
        assert!(size <= QUICK, "{size} bytes");
    }
}
