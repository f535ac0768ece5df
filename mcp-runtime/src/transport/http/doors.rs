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
use http::{HeaderValue, Method, Request, Response, header};
use http_body::Body as _;
use hyper::body::Incoming;
use tower_http::cors::Cors;
use tower_service::Service;

use super::{
    HttpOptions,
    body::ReplyBody,
    connection::{Answering, Lane},
    guard::Guard,
    legacy_sse::LegacySse,
    rejection::{Rejection, close},
    stop::{Stage, Stop},
    well_known,
};
use crate::limits::Limits;

/// All that a request meets between its connection and its door.
pub(super) struct Doors {
    guard: Guard,
    /// Around the house for browsers; other clients go straight in.
    cors: Option<Cors<House>>,
    house: House,
    stop: Arc<Stop>,
    limits: Limits,
}

/// The doors themselves, behind all that guards them.
#[derive(Clone)]
pub(super) struct House(Arc<Rooms>);

struct Rooms {
    /// Every call on HTTP+SSE goes here: it does not take the way through the router.
    message_endpoint: String,
    legacy: Arc<LegacySse>,
    router: Router,
}

impl Doors {
    pub(super) fn new(options: &HttpOptions, guard: Guard, legacy: Arc<LegacySse>, stop: Arc<Stop>) -> Self {
        let house = House(Arc::new(Rooms {
            message_endpoint: options.message_endpoint.clone(),
            router: router(options, Arc::clone(&legacy)),
            legacy,
        }));
        let cors = options.allow_origins.as_ref().map(|_| guard.cors(house.clone()));
        Self { guard, cors, house, stop, limits: options.limits.clone() }
    }

    pub(super) fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Answers one request, whatever becomes of it.
    pub(super) async fn answer(
        self: Arc<Self>,
        lane: Arc<Lane>,
        mut request: Request<Incoming>,
    ) -> Result<Response<ReplyBody>, Infallible> {
        let answering = Answering::new(Arc::clone(&lane));
        if !self.house.is_message(&request) {
            request.extensions_mut().insert(Arc::clone(&lane));
        }
        let mut response = match (self.check(&lane, &request), &self.cors) {
            (Err(rejection), _) => refuse(rejection, has_body(&request)),
            // Preflights are answered there and go no further.
            (Ok(()), Some(cors)) if request.headers().contains_key(header::ORIGIN) => {
                cors.clone().call(request).await?
            }
            (Ok(()), _) => self.house.enter(request).await,
        };
        if lane.is_last() {
            close(&mut response);
        }
        response.headers_mut().entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
        Ok(response.map(|body| body.until(answering)))
    }

    /// What can be said of a request by its head, whoever sent it.
    fn check(&self, lane: &Lane, request: &Request<Incoming>) -> Result<(), Rejection> {
        if let Some(rejection) = lane.refusal() {
            return Err(rejection);
        }
        self.guard.check(request)?;
        if self.stop.stage() == Stage::Serving { Ok(()) } else { Err(Rejection::Stopping) }
    }
}

impl House {
    /// The one way in: authentication has its place here, behind the preflights and before every path.
    async fn enter(&self, request: Request<Incoming>) -> Response<ReplyBody> {
        let has_body = has_body(&request);
        if self.is_message(&request) {
            let (head, body) = request.into_parts();
            return self.0.legacy.receive(&head, body).await.unwrap_or_else(|rejection| refuse(rejection, has_body));
        }
        let routed = self.0.router.clone().call(request).await.unwrap_or_else(|never| match never {});
        let mut response = routed.map(ReplyBody::routed);
        if has_body {
            close(&mut response);
        }
        response
    }

    fn is_message(&self, request: &Request<Incoming>) -> bool {
        request.uri().path() == self.0.message_endpoint && request.method() == Method::POST
    }
}

impl Service<Request<Incoming>> for House {
    type Response = Response<ReplyBody>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<Incoming>) -> Self::Future {
        let house = self.clone();
        Box::pin(async move { Ok(house.enter(request).await) })
    }
}

/// The doors that are opened seldom; none of them reads a body.
fn router(options: &HttpOptions, legacy: Arc<LegacySse>) -> Router {
    let mut router = Router::new()
        .without_v07_checks()
        .route(&literal(&options.endpoint), get(open_stream).head(only_get).fallback(only_get))
        .route(&literal(&options.message_endpoint), MethodRouter::new().fallback(async || Rejection::OnlyPost));
    if let Some(health) = &options.health_endpoint {
        router = router.route(&literal(health), well_known::health());
    }
    router.fallback(async || Rejection::NotFound).with_state(legacy)
}

async fn open_stream(
    State(legacy): State<Arc<LegacySse>>,
    Extension(lane): Extension<Arc<Lane>>,
    request: Request<Body>,
) -> Result<Response<Body>, Rejection> {
    // Behind a body that nobody reads the end of the client could not be seen.
    if !request.body().is_end_stream() {
        return Err(Rejection::UnexpectedBody);
    }
    let (session, response) = legacy.open(request.headers())?;
    lane.carry(&session);
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

fn has_body(request: &Request<Incoming>) -> bool {
    !request.body().is_end_stream()
}
