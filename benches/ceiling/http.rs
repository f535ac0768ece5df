//! A path for each kind of call.

use std::{
    collections::HashMap,
    convert::Infallible,
    io,
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll},
};

use axum::{
    Router,
    body::Body,
    extract::{DefaultBodyLimit, RawQuery, State},
    http::{
        HeaderMap, HeaderName, HeaderValue, StatusCode,
        header::{CACHE_CONTROL, CONTENT_TYPE},
    },
    response::{IntoResponse, Response},
    routing::{get, post},
    serve::ListenerExt,
};
use bytes::Bytes;
use http_body::Frame;
use serde::de::DeserializeOwned;
use tokio::{net::TcpListener, sync::mpsc};

use crate::messages::{self, Add, Big, Call, Echo, Handshake, List, Listen, Read, Request};

const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");
const VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
const METHOD: HeaderName = HeaderName::from_static("mcp-method");
const NAME: HeaderName = HeaderName::from_static("mcp-name");
const JSON: HeaderValue = HeaderValue::from_static("application/json");
const EVENTS: HeaderValue = HeaderValue::from_static("text/event-stream");

type Shared = State<Arc<Everything>>;

struct Everything {
    /// The version that each session has agreed on.
    sessions: Mutex<HashMap<String, String>>,
    streams: Mutex<HashMap<String, mpsc::Sender<Bytes>>>,
    /// The bytes that answer `tools/list`.
    list: Bytes,
}

pub(crate) async fn serve(list: Vec<u8>) -> io::Result<()> {
    let everything = Arc::new(Everything { sessions: Mutex::default(), streams: Mutex::default(), list: list.into() });
    let router = Router::new()
        .route("/mcp", post(add))
        .route("/session", post(session).delete(end))
        .route("/open", post(open))
        .route("/checked", post(checked))
        .route("/sse", get(stream))
        .route("/messages", post(message))
        .route("/list", post(listed))
        .route("/read", post(read))
        .route("/big", post(big))
        .route("/echo", post(echo))
        .route("/progress", post(progress))
        .route("/listen", post(listen))
        .layer(DefaultBodyLimit::disable())
        .with_state(everything);
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    eprintln!("listening on http://{}", listener.local_addr()?);
    // Without this an answer in two parts takes 40 ms.
    let listener = listener.tap_io(|connection| connection.set_nodelay(true).unwrap_or_default());
    axum::serve(listener, router).await
}

async fn add(body: Bytes) -> Response {
    answer(&body, |call: Request<Call<Add>>| messages::text(call.id, &call.params.arguments.sum()))
}

async fn open(State(everything): Shared, body: Bytes) -> Response {
    let Ok(handshake) = serde_json::from_slice::<Handshake>(&body) else {
        return StatusCode::BAD_REQUEST.into_response();
    };
    let (Some(id), Some(params)) = (handshake.id, handshake.params) else {
        return StatusCode::ACCEPTED.into_response();
    };
    let name = random_name();
    let Ok(value) = HeaderValue::from_str(&name) else { return StatusCode::INTERNAL_SERVER_ERROR.into_response() };
    let answer = messages::initialized(id, &params.protocol_version);
    lock(&everything.sessions).insert(name, params.protocol_version);
    ([(CONTENT_TYPE, JSON), (SESSION, value)], answer).into_response()
}

async fn session(State(everything): Shared, headers: HeaderMap, body: Bytes) -> Response {
    if !is_open(&everything, &headers) {
        return StatusCode::NOT_FOUND.into_response();
    }
    answer(&body, |call: Request<Call<Add>>| messages::text(call.id, &call.params.arguments.sum()))
}

async fn end(State(everything): Shared, headers: HeaderMap) -> StatusCode {
    let Some(name) = text(&headers, &SESSION) else { return StatusCode::BAD_REQUEST };
    match lock(&everything.sessions).remove(name) {
        Some(_) => StatusCode::OK,
        None => StatusCode::NOT_FOUND,
    }
}

async fn checked(headers: HeaderMap, body: Bytes) -> Response {
    let Ok(call) = serde_json::from_slice::<Request<Call<Add>>>(&body) else {
        return StatusCode::BAD_REQUEST.into_response();
    };
    let version = call.params.meta.as_ref().and_then(|meta| meta.version.as_deref());
    if text(&headers, &METHOD) != Some(&call.method)
        || text(&headers, &NAME) != Some(&call.params.name)
        || version.is_none()
        || text(&headers, &VERSION) != version
    {
        return StatusCode::BAD_REQUEST.into_response();
    }
    json(messages::complete(call.id, &call.params.arguments.sum()))
}

async fn stream(State(everything): Shared) -> Response {
    let (sender, receiver) = mpsc::channel(32);
    let name = random_name();
    let first = format!("event: endpoint\ndata: /messages?sessionId={name}\n\n");
    if sender.try_send(first.into()).is_err() {
        return StatusCode::INTERNAL_SERVER_ERROR.into_response();
    }
    lock(&everything.streams).insert(name, sender);
    events(Events(receiver))
}

async fn message(State(everything): Shared, RawQuery(query): RawQuery, body: Bytes) -> StatusCode {
    let query = query.unwrap_or_default();
    let name = query.strip_prefix("sessionId=").unwrap_or_default();
    let Some(sender) = lock(&everything.streams).get(name).cloned() else { return StatusCode::NOT_FOUND };
    let answer = match messages::answer(&body) {
        Ok(Some(answer)) => answer,
        Ok(None) => return StatusCode::ACCEPTED,
        Err(_) => return StatusCode::BAD_REQUEST,
    };
    match sender.send(event(&answer)).await {
        Ok(()) => StatusCode::ACCEPTED,
        Err(_) => StatusCode::GONE,
    }
}

async fn listed(State(everything): Shared, body: Bytes) -> Response {
    match serde_json::from_slice::<Request<List>>(&body) {
        Ok(_) => json(everything.list.clone()),
        Err(_) => StatusCode::BAD_REQUEST.into_response(),
    }
}

async fn read(body: Bytes) -> Response {
    answer(&body, |read: Request<Read>| {
        let uri = &read.params.uri;
        let n: i64 = uri.strip_prefix("bench://square/").and_then(|n| n.parse().ok()).unwrap_or_default();
        messages::contents(read.id, uri, &(n * n).to_string())
    })
}

async fn big(body: Bytes) -> Response {
    answer(&body, |call: Request<Call<Big>>| {
        messages::text(call.id, &"0123456789abcdef".repeat(call.params.arguments.n * 1024 / 16))
    })
}

async fn echo(body: Bytes) -> Response {
    answer(&body, |call: Request<Call<Echo>>| messages::text(call.id, &call.params.arguments.message))
}

async fn progress(body: Bytes) -> Response {
    let Ok(call) = serde_json::from_slice::<Request<Call<Add>>>(&body) else {
        return StatusCode::BAD_REQUEST.into_response();
    };
    events(Steps { call, step: 1 })
}

async fn listen(body: Bytes) -> Response {
    let Ok(_) = serde_json::from_slice::<Request<Listen>>(&body) else {
        return StatusCode::BAD_REQUEST.into_response();
    };
    let (sender, receiver) = mpsc::channel(32);
    if sender.try_send(event(&messages::acknowledged())).is_err() {
        return StatusCode::INTERNAL_SERVER_ERROR.into_response();
    }
    // Nobody speaks on it; it ends with its connection.
    tokio::spawn(async move { sender.closed().await });
    events(Events(receiver))
}

fn answer<R: DeserializeOwned>(body: &[u8], write: impl FnOnce(R) -> Vec<u8>) -> Response {
    match serde_json::from_slice(body) {
        Ok(request) => json(write(request)),
        Err(_) => StatusCode::BAD_REQUEST.into_response(),
    }
}

fn json(body: impl Into<Body>) -> Response {
    ([(CONTENT_TYPE, JSON)], body.into()).into_response()
}

fn events(body: impl http_body::Body<Data = Bytes, Error = Infallible> + Send + 'static) -> Response {
    ([(CONTENT_TYPE, EVENTS), (CACHE_CONTROL, HeaderValue::from_static("no-cache"))], Body::new(body)).into_response()
}

/// What comes by a channel.
struct Events(mpsc::Receiver<Bytes>);

impl http_body::Body for Events {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        self.0.poll_recv(context).map(|event| event.map(|event| Ok(Frame::data(event))))
    }
}

/// Three events of progress, and the answer.
struct Steps {
    call: Request<Call<Add>>,
    step: u32,
}

impl http_body::Body for Steps {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let (step, params) = (self.step, &self.call.params);
        let message = match step {
            1..=3 => {
                let token = params.meta.as_ref().and_then(|meta| meta.progress_token).unwrap_or_default();
                messages::progress(token, step)
            }
            4 => messages::text(self.call.id, &params.arguments.sum()),
            _ => return Poll::Ready(None),
        };
        self.step += 1;
        Poll::Ready(Some(Ok(Frame::data(event(&message)))))
    }
}

fn event(message: &[u8]) -> Bytes {
    [b"event: message\ndata: ", message, b"\n\n"].concat().into()
}

fn is_open(everything: &Everything, headers: &HeaderMap) -> bool {
    text(headers, &SESSION).is_some_and(|name| {
        let sessions = lock(&everything.sessions);
        sessions.get(name).is_some_and(|version| text(headers, &VERSION) == Some(version))
    })
}

fn text<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    headers.get(name)?.to_str().ok()
}

fn random_name() -> String {
    let [a, b] = [getrandom::u64(), getrandom::u64()].map(Result::unwrap_or_default);
    format!("{a:016x}{b:016x}")
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
