//! Requests that are refused, by their head or by what they carry, and what stays undone then.

use std::sync::atomic::Ordering;

use serde_json::json;

use super::{
    Server, call,
    client::{post, post_text},
};

#[tokio::test]
async fn paths_and_methods_have_their_statuses() {
    for server in Server::each(|_| {}).await {
        for (method, path, status, allow) in [
            ("GET", "/", 404, None),
            ("GET", "/sse/", 404, None),
            ("POST", "/nothing", 404, None),
            ("OPTIONS", "/nothing", 404, None),
            ("OPTIONS", "*", 404, None),
            ("POST", "/sse", 405, Some("GET")),
            ("DELETE", "/sse", 405, Some("GET")),
            ("OPTIONS", "/sse", 405, Some("GET")),
            ("GET", "/messages", 405, Some("POST")),
            ("PUT", "/messages?sessionId=1", 405, Some("POST")),
            ("OPTIONS", "/messages", 405, Some("POST")),
            ("POST", "/health", 405, Some("GET, HEAD")),
        ] {
            let reply = server.ask(format!("{method} {path} HTTP/1.1\r\nHost: localhost\r\n\r\n")).await;
            reply.is_refusal(status);
            assert_eq!(reply.header("allow"), allow, "{method} {path}");
            assert!(!reply.headers.iter().any(|(name, _)| name.starts_with("access-control")));
        }
        let health = server.ask("GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n").await;
        assert_eq!((health.status, health.json()), (200, json!({"status": "ok"})));
    }
}

#[tokio::test]
async fn head_has_no_body_and_does_not_hang() {
    for server in Server::each(|_| {}).await {
        for (path, status) in [("/health", 200), ("/sse", 405), ("/messages", 405), ("/nothing", 404)] {
            let request = format!("HEAD {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
            let mut connection = server.sent(request).await;
            assert_eq!(connection.head().await.status, status, "{path}");
            assert!(connection.is_closed().await);
        }
        server.settles_at(0).await;
    }
}

#[tokio::test]
async fn a_stream_goes_only_to_those_who_accept_one() {
    for server in Server::each(|_| {}).await {
        for accept in ["", "Accept: */*\r\n", "Accept: text/event-stream\r\n"] {
            server.try_open(accept).await.unwrap();
        }
        for accept in ["Accept: application/json\r\n", "Accept: text/event-stream;q=0\r\n"] {
            server.try_open(accept).await.err().unwrap().is_refusal(406);
        }
    }
}

#[tokio::test]
async fn heads_that_are_too_large_or_ambiguous_are_refused_and_closed() {
    let server = Server::start(|_| {}).await;
    let stream = server.initialized().await;
    let uri = &stream.uri;
    let body = call(1, "add", &json!({"a": 1, "b": 1})).to_string();
    let post = |headers: &str| {
        format!("POST {uri} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n{headers}\r\n{body}")
    };
    let length = format!("Content-Length: {}\r\n", body.len());
    let check = async |request: String, status: u16| server.refuses(request, status).await;
    check(format!("GET /{} HTTP/1.1\r\nHost: localhost\r\n\r\n", "a".repeat(9000)), 414).await;
    check(format!("GET /{}", "a".repeat(100_000)), 414).await;
    check(post(&format!("X: {}\r\n{length}", "y".repeat(40_000))), 431).await;
    check(post(&format!("{}{length}", "X: y\r\n".repeat(101))), 431).await;
    check(post(&format!("{length}Transfer-Encoding: chunked\r\n")), 400).await;
    check(post(&format!("Transfer-Encoding: chunked\r\n{length}")), 400).await;
    check(post("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n"), 400).await;
    check(post("Transfer-Encoding: chunked, identity\r\n"), 400).await;
    check(post(&format!("{length}Content-Length: 3\r\n")), 400).await;
    check(post("Content-Length: +9\r\n"), 400).await;
    for length in [u64::MAX, u64::MAX - 1, u64::MAX - 2, 1 << 40] {
        check(post(&format!("Content-Length: {length}\r\n")), 413).await;
    }
    check(post(&format!("{length}X : y\r\n")), 400).await;
    check(post(&format!("{length}X: y\r\n z: w\r\n")), 400).await;
    check("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_owned(), 400).await;
    check("nonsense\r\n\r\n".to_owned(), 400).await;
    check(format!("POST {uri} HTTP/1.1\r\n{length}\r\n{body}"), 400).await;
    check(post(&format!("Host: localhost\r\n{length}")), 400).await;
    check(post(&format!("Content-Encoding: gzip\r\n{length}")), 415).await;
    assert_eq!(server.fixture.added.load(Ordering::SeqCst), 0);

    // What only hyper sees.
    for request in [
        format!("POST {uri} HTTP/1.0\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"),
        "GET /health HTTP/1.1\r\nHost: localhost\r\nX: a\0b\r\n\r\n".to_owned(),
        "GET /health HTTP/1.1\r\nHost: localhost\r\nX: a\rb\r\n\r\n".to_owned(),
        "G T /health HTTP/1.1\r\nHost: localhost\r\n\r\n".to_owned(),
    ] {
        let mut connection = server.sent(&request).await;
        assert_eq!(connection.reply().await.status, 400, "{request}");
        assert!(connection.is_closed().await);
    }
}

#[tokio::test]
async fn only_our_hosts_and_origins_pass_on_every_path() {
    for server in Server::each(|_| {}).await {
        let port = server.address.port();
        for path in ["/sse", "/messages", "/health", "/nothing"] {
            for method in ["GET", "POST", "OPTIONS", "DELETE", "HEAD"] {
                for headers in [
                    "Host: evil.test",
                    "Host: localhost\r\nOrigin: http://evil.test",
                    "Host: localhost\r\nOrigin: null",
                ] {
                    let mut connection = server.sent(format!("{method} {path} HTTP/1.1\r\n{headers}\r\n\r\n")).await;
                    assert_eq!(connection.head().await.status, 403, "{method} {path} {headers}");
                }
            }
        }
        for headers in [
            format!("Host: localhost:{port}\r\nOrigin: http://localhost:{port}"),
            format!("Host: 127.0.0.1:{port}"),
            "Host: [::1]".to_owned(),
            "Host: localhost\r\nX-Forwarded-Host: evil.test\r\nForwarded: host=evil.test".to_owned(),
        ] {
            let reply = server.ask(format!("GET /health HTTP/1.1\r\n{headers}\r\n\r\n")).await;
            assert_eq!(reply.status, 200, "{headers}");
        }
    }
}

#[tokio::test]
async fn listed_origins_get_cors_headers_on_refusals_too() {
    let server = Server::start(|options| options.allow_origins = Some(vec!["https://app.test".to_owned()])).await;
    let ask = async |method: &str, path: &str, origin: &str, more: &str| {
        server.ask(format!("{method} {path} HTTP/1.1\r\nHost: localhost\r\nOrigin: {origin}\r\n{more}\r\n")).await
    };
    let preflight = ask("OPTIONS", "/messages", "https://app.test", "Access-Control-Request-Method: POST\r\n").await;
    assert_eq!((preflight.status, preflight.body.len()), (200, 0));
    assert_eq!(preflight.header("access-control-allow-origin"), Some("https://app.test"));
    let listed = |header: &str| preflight.header(header).unwrap().to_ascii_lowercase();
    for method in ["get", "post", "delete", "options"] {
        assert!(listed("access-control-allow-methods").contains(method));
    }
    for name in ["content-type", "accept", "authorization", "mcp-protocol-version", "mcp-session-id", "last-event-id"] {
        assert_eq!(listed("access-control-allow-headers").split(',').filter(|it| *it == name).count(), 1, "{name}");
    }
    assert_eq!(preflight.header("access-control-allow-credentials"), None);
    for (method, path, status) in
        [("GET", "/health", 200), ("POST", "/messages?sessionId=1", 415), ("GET", "/nothing", 404)]
    {
        let reply = ask(method, path, "https://app.test", "").await;
        assert_eq!(reply.status, status);
        assert_eq!(reply.header("access-control-allow-origin"), Some("https://app.test"));
        assert!(reply.header("vary").unwrap().contains("origin"));
        assert!(reply.header("access-control-expose-headers").unwrap().contains("mcp-session-id"));
    }
    // Also where the head is refused before anybody looks at it.
    let long = "y".repeat(9000);
    let wide = "y".repeat(40_000);
    for (target, more, status) in [
        (format!("/{long}"), String::new(), 414),
        ("/health".to_owned(), format!("X: {wide}\r\n"), 431),
        ("/health".to_owned(), "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n".to_owned(), 400),
        ("/health".to_owned(), "X : y\r\n".to_owned(), 400),
        ("/health".to_owned(), "Host: localhost\r\n".to_owned(), 400),
        ("http://other.test/health".to_owned(), String::new(), 400),
    ] {
        for method in ["GET", "POST", "OPTIONS"] {
            for (origin, allowed) in [("https://app.test", Some("https://app.test")), ("https://evil.test", None)] {
                let refused = ask(method, &target, origin, &more).await;
                refused.is_refusal(status);
                assert_eq!(refused.header("access-control-allow-origin"), allowed, "{status}");
                assert_eq!(refused.header("connection"), Some("close"), "{status}");
                if allowed.is_some() {
                    let exposed = refused.header("access-control-expose-headers").unwrap();
                    assert!(exposed.contains("www-authenticate"), "{exposed}");
                    assert!(refused.header("vary").unwrap().contains("origin"), "{status}");
                }
            }
        }
    }
    let twice = ask("GET", "/health", "https://app.test", "Origin: https://app.test\r\nX : y\r\n").await;
    assert_eq!((twice.status, twice.header("access-control-allow-origin")), (400, None));
    for method in ["OPTIONS", "GET", "POST"] {
        let refused = ask(method, "/messages", "https://evil.test", "Access-Control-Request-Method: POST\r\n").await;
        refused.is_refusal(403);
        assert_eq!(refused.header("access-control-allow-origin"), None);
    }
    server.ask("OPTIONS /messages HTTP/1.1\r\nHost: localhost\r\n\r\n").await.is_refusal(405);
    let stream = server.try_open("Origin: https://app.test\r\n").await.unwrap();
    assert_eq!(stream.head.header("access-control-allow-origin"), Some("https://app.test"));
    let empty = Server::start(|options| options.allow_origins = Some(Vec::new())).await;
    empty.ask("GET /health HTTP/1.1\r\nHost: localhost\r\nOrigin: https://app.test\r\n\r\n").await.is_refusal(403);
}

#[tokio::test]
async fn only_json_executes() {
    for server in Server::each(|_| {}).await {
        let mut stream = server.initialized().await;
        let body = call(1, "add", &json!({"a": 1, "b": 1})).to_string();
        for headers in [
            "",
            "Content-Type: text/plain\r\n",
            "Content-Type: application/x-www-form-urlencoded\r\n",
            "Content-Type: application/json; charset=latin1\r\n",
            "Content-Type: application/json\r\nContent-Encoding: gzip\r\n",
        ] {
            server.ask(post_text(&stream.uri, headers, &body)).await.is_refusal(415);
        }
        assert_eq!(server.fixture.added.load(Ordering::SeqCst), 0);
        for headers in ["Content-Type: application/json\r\n", "content-type: APPLICATION/JSON; Charset=UTF-8\r\n"] {
            assert_eq!(server.ask(post_text(&stream.uri, headers, &body)).await.status, 202);
            assert_eq!(stream.message().await["id"], 1);
        }
    }
}

#[tokio::test]
async fn what_follows_a_refused_body_is_not_executed() {
    for server in Server::each(|options| options.limits.max_body_bytes = Some(1000)).await {
        let stream = server.initialized().await;
        let hidden = post(&stream.uri, &call(1, "add", &json!({"a": 1, "b": 1})));
        let length = hidden.len();
        let refused = [
            format!("POST /messages HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5000\r\n\r\n{hidden}"),
            format!("POST /nothing HTTP/1.1\r\nHost: localhost\r\nContent-Length: {length}\r\n\r\n{hidden}"),
            format!("GET /health HTTP/1.1\r\nHost: localhost\r\nContent-Length: {length}\r\n\r\n{hidden}"),
            format!("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\nContent-Length: {length}\r\n\r\n{hidden}"),
            format!("garbage\r\n\r\n{hidden}"),
        ];
        // An application's connections see nothing wrong with these.
        let refused_by_the_listener = [
            format!(
                "GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n{hidden}"
            ),
            format!("GET /{} HTTP/1.1\r\nHost: localhost\r\n\r\n{hidden}", "a".repeat(9000)),
        ];
        let of_listener = refused_by_the_listener.into_iter().filter(|_| !server.is_mounted);
        for request in refused.into_iter().chain(of_listener) {
            let mut connection = server.sent(request).await;
            connection.reply().await;
            assert!(connection.is_closed().await);
        }
        assert_eq!(server.fixture.added.load(Ordering::SeqCst), 0);
    }
}
