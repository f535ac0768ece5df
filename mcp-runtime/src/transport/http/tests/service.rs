//! What an application does with the service: bodies of its own, paths of its own, and an end that is not the listener's.

use std::{
    collections::VecDeque,
    io,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use axum::{Router, body::Body};
use bytes::Bytes;
use http::{Request, Response, StatusCode, Version, header};
use http_body::{Body as HttpBody, Frame};
use http_body_util::{BodyExt, Empty, Full, Limited};
use hyper::server::conn::http1;
use hyper_util::{rt::TokioIo, service::TowerToHyperService};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tower_service::Service;

use super::{
    super::{HttpOptions, McpBody, McpEndpoint, McpService, Stage},
    Fixture, Server, call,
    client::in_time,
    initialize, service,
};

/// A request as an application has it.
fn request<B>(method: &str, path: &str, headers: &[(&str, &str)], body: B) -> Request<B> {
    let mut request = Request::builder().method(method).uri(path).header("host", "localhost");
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    request.body(body).unwrap()
}

fn message(path: &str, headers: &[(&str, &str)], message: &Value) -> Request<Full<Bytes>> {
    let all = [&[("content-type", "application/json")], headers].concat();
    request("POST", path, &all, Full::from(message.to_string()))
}

async fn ask<B>(mcp: &McpService, request: Request<B>) -> Response<McpBody>
where
    B: HttpBody<Data = Bytes> + Send + 'static,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    let Ok(response) = in_time(mcp.clone().call(request)).await;
    response
}

async fn text(response: Response<McpBody>) -> String {
    let whole = in_time(response.into_body().collect()).await.unwrap().to_bytes();
    String::from_utf8(whole.to_vec()).unwrap()
}

/// The next piece of a stream.
async fn next<B: HttpBody<Data = Bytes> + Unpin>(body: &mut B) -> Option<Result<String, B::Error>> {
    let frame = in_time(body.frame()).await?;
    Some(frame.map(|frame| String::from_utf8(frame.into_data().unwrap().to_vec()).unwrap()))
}

/// Waits until nobody but the test has it.
async fn is_let_go(fixture: &Arc<Fixture>) {
    in_time(async {
        while Arc::strong_count(fixture) > 1 {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    })
    .await;
}

/// A body that comes in pieces, of which none is a break.
struct Pieces {
    left: VecDeque<Option<Bytes>>,
    /// It never ends.
    goes_on: bool,
    has_ended: bool,
}

impl Pieces {
    fn of(pieces: impl IntoIterator<Item = Option<Bytes>>) -> Body {
        Body::new(Self { left: pieces.into_iter().collect(), goes_on: false, has_ended: false })
    }
}

impl HttpBody for Pieces {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
        match self.left.pop_front() {
            Some(piece) => Poll::Ready(Some(piece.map(Frame::data).ok_or(io::ErrorKind::ConnectionReset.into()))),
            None if self.goes_on => Poll::Pending,
            None => {
                assert!(!self.has_ended, "a body is not asked again once it has ended");
                self.has_ended = true;
                Poll::Ready(None)
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn bodies_are_read_within_their_limits_whoever_made_them() {
    let mut options = HttpOptions::default();
    options.limits.max_body_bytes = Some(1000);
    options.mcp = Some(McpEndpoint { path: "/mcp".to_owned(), sessions: false, resumability: false });
    let (mcp, _) = service(&options).await;
    let whole = Bytes::from(call(1, "add", &json!({"a": 2, "b": 3})).to_string());
    let pieces = whole.chunks(7).map(|piece| Some(Bytes::copy_from_slice(piece)));
    let long = || Some(Bytes::from("x".repeat(600)));
    for (name, body, status) in [
        ("whole", Body::from(whole.clone()), 200),
        ("in pieces", Pieces::of(pieces), 200),
        ("none", Body::new(Empty::new()), 400),
        ("none that says so", Pieces::of([]), 400),
        ("too long", Body::from("x".repeat(1001)), 413),
        ("too long in pieces", Pieces::of([long(), long()]), 413),
        ("too long for the application", Body::new(Limited::new(Full::from(whole.clone()), 10)), 413),
        ("broken", Pieces::of([long(), None]), 400),
        ("silent", Body::new(Pieces { left: [long()].into(), goes_on: true, has_ended: false }), 408),
    ] {
        let headers = [("content-type", "application/json"), ("mcp-protocol-version", "2025-11-25")];
        // The clock is the test's: as long as it takes.
        let Ok(response) = mcp.clone().call(request("POST", "/mcp", &headers, body)).await;
        assert_eq!(response.status().as_u16(), status, "{name}");
        let said = text(response).await;
        assert!(status != 200 || said.contains(r#""text":"5""#), "{name}: {said}");
    }
}

#[tokio::test]
async fn a_body_that_does_not_say_that_it_is_empty_is_looked_at() {
    let (mcp, _) = service(&HttpOptions::default()).await;
    let check = async |path: &str, body: Body, status: u16, closes: bool| {
        let response = ask(&mcp, request("GET", path, &[], body)).await;
        assert_eq!(response.status().as_u16(), status, "{path}");
        assert_eq!(response.headers().contains_key(header::CONNECTION), closes, "{path}");
    };
    check("/sse", Pieces::of([]), 200, false).await;
    check("/nowhere", Pieces::of([]), 404, false).await;
    check("/sse", Pieces::of([Some(Bytes::from("x"))]), 400, true).await;
    check("/nowhere", Pieces::of([Some(Bytes::from("x"))]), 404, true).await;
}

#[tokio::test]
async fn each_path_is_named_and_an_application_may_have_others() {
    let check = async |options: &HttpOptions, expected: &[&str]| {
        let (mcp, _) = service(options).await;
        let mut paths: Vec<_> = mcp.paths().collect();
        paths.sort_unstable();
        assert_eq!(paths, expected);
        let mut app = mcp
            .paths()
            .fold(Router::new(), |app, path| app.route_service(path, mcp.clone()))
            .fallback(async || (StatusCode::IM_A_TEAPOT, "at home"));
        for (path, is_own) in expected.iter().map(|path| (*path, false)).chain([("/", true), ("/mcp/x", true)]) {
            // Nothing of ours takes it, and so nothing of ours is begun.
            let Ok(response) = in_time(app.call(request("PATCH", path, &[], Body::empty()))).await;
            assert_eq!(response.status() == StatusCode::IM_A_TEAPOT, is_own, "{path}: {response:?}");
        }
    };
    check(&HttpOptions::default(), &["/health", "/mcp", "/messages", "/sse"]).await;
    let alone = HttpOptions { event_stream: None, health_endpoint: None, ..HttpOptions::default() };
    check(&alone, &["/mcp"]).await;
    #[cfg(feature = "auth")]
    {
        let auth = Some(super::ways::oauth());
        let public_url = Some("https://mcp.test/tools".to_owned());
        let well_known = "/.well-known/oauth-protected-resource";
        let documents = ["", "/mcp", "/tools/mcp"].map(|path| format!("{well_known}{path}"));
        let mut expected: Vec<_> = documents.iter().map(String::as_str).collect();
        expected.push("/mcp");
        check(&HttpOptions { auth, public_url, ..alone }, &expected).await;
    }
}

#[tokio::test]
async fn below_a_prefix_the_public_url_says_where_messages_go() {
    for (public_url, endpoint) in [(Some("http://localhost/tools"), "/tools/messages"), (None, "/messages")] {
        let options = HttpOptions { public_url: public_url.map(str::to_owned), ..HttpOptions::default() };
        let (mcp, _) = service(&options).await;
        let mut app = Router::new().nest_service("/tools", mcp);
        let Ok(stream) = in_time(app.call(request("GET", "/tools/sse", &[], Body::empty()))).await;
        let mut stream = stream.into_body();
        let first = next(&mut stream).await.unwrap().unwrap();
        let uri = first.strip_prefix("event: endpoint\ndata: ").unwrap().trim_end();
        assert!(uri.starts_with(&format!("{endpoint}?sessionId=")), "{first}");
        let Ok(posted) = in_time(app.call(message(uri, &[], &initialize()).map(Body::new))).await;
        let status = if public_url.is_some() { StatusCode::ACCEPTED } else { StatusCode::NOT_FOUND };
        assert_eq!(posted.status(), status, "{uri}");
        if public_url.is_some() {
            assert!(next(&mut stream).await.unwrap().unwrap().contains("serverInfo"));
        }
    }
}

#[tokio::test]
async fn hyper_takes_it_as_it_is() {
    let (mcp, _) = service(&HttpOptions::default()).await;
    let (mut client, server) = tokio::io::duplex(4096);
    let serving = http1::Builder::new().serve_connection(TokioIo::new(server), TowerToHyperService::new(mcp));
    let asking = async {
        client.write_all(b"GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").await.unwrap();
        let mut answer = String::new();
        client.read_to_string(&mut answer).await.unwrap();
        answer
    };
    let (served, answer) = in_time(async { tokio::join!(serving, asking) }).await;
    served.unwrap();
    assert!(answer.starts_with("HTTP/1.1 200 ") && answer.ends_with(r#"{"status":"ok"}"#), "{answer}");
}

#[tokio::test]
async fn a_connection_of_http_2_is_told_nothing_in_the_words_of_http_1() {
    let (mcp, _) = service(&HttpOptions::default()).await;
    for (version, uri, closes) in
        [(Version::HTTP_11, "/nothing", true), (Version::HTTP_2, "http://localhost/nothing", false)]
    {
        let mut refused = Request::post(uri).version(version).body(Full::from("unread")).unwrap();
        if version == Version::HTTP_11 {
            refused.headers_mut().insert(header::HOST, "localhost".parse().unwrap());
        }
        let refused = ask(&mcp, refused).await;
        assert_eq!(refused.status(), StatusCode::NOT_FOUND, "{version:?}");
        assert_eq!(refused.headers().contains_key(header::CONNECTION), closes, "{version:?}");
    }
}

/// An event stream, a session in which a call waits, and the stream of a call that waits without one.
async fn begin(mcp: &McpService) -> [McpBody; 3] {
    let events = ask(mcp, request("GET", "/sse", &[], Empty::new())).await;
    let mut events = events.into_body();
    next(&mut events).await.unwrap().unwrap();
    let opened = ask(mcp, message("/mcp", &[], &initialize())).await;
    let session = opened.headers()["mcp-session-id"].to_str().unwrap().to_owned();
    let wait = call(1, "wait", &json!({}));
    let alone = [("accept", "text/event-stream")];
    let mut alone_with = Vec::from(alone);
    alone_with.push(("mcp-session-id", &session));
    let in_session = ask(mcp, message("/mcp", &alone_with, &wait)).await.into_body();
    let mut stateless = wait;
    stateless["params"]["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let mirrored =
        [("mcp-protocol-version", "2026-07-28"), ("mcp-method", "tools/call"), ("mcp-name", "wait"), alone[0]];
    let stateless = ask(mcp, message("/mcp", &mirrored, &stateless)).await;
    assert_eq!(stateless.status(), StatusCode::OK);
    assert_eq!(mcp.sessions().count(), 2);
    [events, in_session, stateless.into_body()]
}

#[tokio::test(start_paused = true)]
async fn sessions_end_by_themselves() {
    let mut options = HttpOptions::default();
    options.limits.stream_queue_bytes = Some(700 * 1024);
    let (mcp, _) = service(&options).await;
    let check = async |seconds: u64, left: usize| {
        tokio::time::sleep(Duration::from_secs(seconds)).await;
        assert_eq!(mcp.sessions().count(), left, "{seconds} s later");
    };
    // One that is opened and not used.
    ask(&mcp, message("/mcp", &[], &initialize())).await;
    check(50, 1).await;
    check(30, 0).await;
    // One whose client does not read, on a connection that the application keeps.
    let mut unread = ask(&mcp, request("GET", "/sse", &[], Empty::new())).await.into_body();
    let first = next(&mut unread).await.unwrap().unwrap();
    let uri = first.strip_prefix("event: endpoint\ndata: ").unwrap().trim_end();
    ask(&mcp, message(uri, &[], &initialize())).await;
    let big = call(1, "big", &json!({"n": 256}));
    for _ in 0..2 {
        assert_eq!(ask(&mcp, message(uri, &[], &big)).await.status(), StatusCode::ACCEPTED);
    }
    check(600, 1).await;
    ask(&mcp, message(uri, &[], &big)).await;
    check(10, 0).await;
    assert_eq!(ask(&mcp, message(uri, &[], &big)).await.status(), StatusCode::NOT_FOUND);
    assert!(next(&mut unread).await.is_none());
}

#[tokio::test]
async fn with_its_last_clone_all_that_it_began_ends() {
    let (mcp, fixture) = service(&HttpOptions::default()).await;
    let (sessions, handle) = (Arc::clone(mcp.sessions()), mcp.handle());
    let streams = begin(&mcp).await;
    let another = mcp.clone();
    drop(mcp);
    assert_eq!(ask(&another, request("GET", "/health", &[], Empty::new())).await.status(), StatusCode::OK);
    assert_eq!(sessions.count(), 2);
    // Where nobody has its head yet an answer is not given up: whoever waits for it has the service.
    let waiting = tokio::spawn(another.clone().call(message("/mcp", &[], &initialize())));
    drop(another);
    assert_eq!(in_time(waiting).await.unwrap().unwrap().status(), StatusCode::OK);
    for mut stream in streams {
        while let Some(Ok(_)) = next(&mut stream).await {}
        assert!(stream.is_end_stream());
    }
    assert_eq!(sessions.count(), 0);
    is_let_go(&fixture).await;
    drop(handle);
}

#[tokio::test]
async fn once_it_has_ended_nothing_is_answered_and_nothing_kept() {
    let mut options = HttpOptions::default();
    options.limits.shutdown_grace = Some(Duration::from_secs(1));
    let (mcp, fixture) = service(&options).await;
    let way = Arc::clone(mcp.way());
    let streams = begin(&mcp).await;
    // Nothing is said before its answer.
    let silent = [("accept", "application/json"), ("mcp-protocol-version", "2025-11-25")];
    let opened = ask(&mcp, message("/mcp", &[], &initialize())).await;
    let session = opened.headers()["mcp-session-id"].to_str().unwrap().to_owned();
    let silent = [&silent[..], &[("mcp-session-id", session.as_str())]].concat();
    let silent = tokio::spawn(mcp.clone().call(message("/mcp", &silent, &call(1, "wait", &json!({})))));
    let idle = Arc::strong_count(&fixture);
    in_time(async {
        while Arc::strong_count(&fixture) == idle {
            tokio::task::yield_now().await;
        }
    })
    .await;
    mcp.handle().shut_down();
    let [mut events, in_session, stateless] = streams;
    // What is idle ends at once, and in order; the others have their time.
    assert!(next(&mut events).await.is_none());
    assert!(way.stage() < Stage::Cut);
    let health = ask(&mcp, request("GET", "/health", &[], Empty::new())).await;
    assert_eq!(health.status(), StatusCode::SERVICE_UNAVAILABLE);
    for mut stream in [in_session, stateless] {
        let error = next(&mut stream).await.unwrap().unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::ConnectionAborted);
        assert!(next(&mut stream).await.is_none());
    }
    let cut = in_time(silent).await.unwrap().unwrap();
    assert_eq!(cut.status(), StatusCode::SERVICE_UNAVAILABLE);
    is_let_go(&fixture).await;
    assert_eq!(mcp.sessions().count(), 0);
    let refused = ask(&mcp, request("GET", "/health", &[], Empty::new())).await;
    assert_eq!(refused.status(), StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(refused.headers()[header::CACHE_CONTROL], "no-store");
    assert!(refused.headers().contains_key(header::RETRY_AFTER));
    assert!(text(refused).await.contains("stopping"));
}

#[tokio::test]
async fn a_refusal_is_the_same_to_the_letter() {
    let change = |options: &mut HttpOptions| {
        options.allow_origins = Some(vec!["https://app.test".to_owned()]);
        options.limits.max_body_bytes = Some(100);
        #[cfg(feature = "auth")]
        {
            options.auth = Some(super::ways::api_key());
        }
    };
    let [alone, mounted] = Server::each(change).await;
    let long = format!("Content-Type: application/json\r\nContent-Length: 200\r\n\r\n{}", "x".repeat(200));
    let key = "X-API-Key: key-of-a-client\r\n";
    let page = "Origin: https://app.test\r\n";
    for (line, host, rest, status) in [
        ("GET /health", "localhost", String::new(), 200),
        ("POST /mcp", "localhost", String::new(), if cfg!(feature = "auth") { 401 } else { 415 }),
        ("GET /nothing", "localhost", page.to_owned(), if cfg!(feature = "auth") { 401 } else { 404 }),
        ("GET /nothing", "localhost", key.to_owned(), 404),
        ("PUT /sse", "localhost", format!("{key}{page}"), 405),
        ("PATCH /mcp", "localhost", key.to_owned(), 405),
        ("POST /mcp", "localhost", key.to_owned(), 415),
        ("POST /mcp", "localhost", format!("{key}{long}"), 413),
        ("POST /messages", "localhost", format!("{key}{long}"), 413),
        ("DELETE /mcp", "localhost", key.to_owned(), 400),
        ("DELETE /mcp", "localhost", format!("{key}Mcp-Session-Id: none\r\n"), 404),
        ("GET /mcp", "localhost", format!("{key}Accept: text/html\r\n"), 406),
        ("GET /health", "evil.test", page.to_owned(), 403),
        ("GET /health", "localhost", "Origin: https://evil.test\r\n".to_owned(), 403),
        ("GET /health", "localhost", "Host: localhost\r\n".to_owned(), 400),
        ("GET http://evil.test/health", "localhost", String::new(), 400),
        ("OPTIONS /mcp", "localhost", format!("{page}Access-Control-Request-Method: POST\r\n"), 200),
        ("OPTIONS /nothing", "localhost", format!("{page}Access-Control-Request-Method: POST\r\n"), 200),
    ] {
        let end = if rest.contains("\r\n\r\n") { "" } else { "\r\n" };
        let request = format!("{line} HTTP/1.1\r\nHost: {host}\r\n{rest}{end}");
        let mut said = Vec::new();
        for server in [&alone, &mounted] {
            let mut reply = server.ask(&request).await;
            reply.headers.retain(|(name, _)| name != "date");
            reply.headers.sort();
            said.push(reply);
        }
        assert_eq!(said[0].status, status, "{request}: {said:?}");
        assert_eq!(said[0], said[1], "{request}");
    }
    // What is the application's is not our affair.
    let home = mounted.sent("GET /home HTTP/1.1\r\nHost: evil.test\r\n\r\n").await.head().await;
    assert_eq!((home.status, home.header("content-length")), (200, Some("7")));
}
