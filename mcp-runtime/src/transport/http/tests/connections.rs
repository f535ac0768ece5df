//! Bytes on their way: bodies by length and by chunks, requests in pieces, clients that are slow, idle or gone.

use std::{sync::atomic::Ordering, time::Duration};

use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use super::{
    Server, call,
    client::{in_time, post, post_text},
};

#[tokio::test]
async fn bodies_that_are_too_large_are_refused_by_length_and_by_chunks() {
    let server = Server::limited(|limits| limits.max_body_bytes = Some(1000)).await;
    let stream = server.initialized().await;
    let uri = &stream.uri;
    let head = format!("POST {uri} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n");
    let chunk = format!("1f4\r\n{}\r\n", " ".repeat(500));
    let check = async |request: String| server.refuses(request, 413).await;
    check(format!("{head}Content-Length: 1001\r\n\r\n")).await;
    check(format!("{head}Content-Length: 1001\r\nExpect: 100-continue\r\n\r\n")).await;
    check(format!("{head}Content-Length: 99999999999\r\n\r\n")).await;
    check(format!("{head}Content-Length: 1001\r\n\r\n{}", " ".repeat(1001))).await;
    check(format!("{head}Transfer-Encoding: chunked\r\n\r\n{}", chunk.repeat(3))).await;
    // All of it may be on its way before the refusal is read.
    check(format!("{head}Content-Length: 5000000\r\n\r\n{}", " ".repeat(5_000_000))).await;
    let fits = format!("{:<1000}", json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string());
    let reply = server.ask(format!("{head}Content-Length: 1000\r\n\r\n{fits}")).await;
    assert_eq!(reply.status, 202);
}

#[tokio::test]
async fn chunked_bodies_are_taken_and_broken_ones_are_not() {
    let server = Server::start(|_| {}).await;
    let mut stream = server.initialized().await;
    let head = format!(
        "POST {} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n",
        stream.uri
    );
    let body = call(1, "add", &json!({"a": 1, "b": 1})).to_string();
    let (one, two) = body.split_at(20);
    server.conversation.observe_sent(&body);
    let mut connection = server.sent(format!("{head}{:x}\r\n{one}\r\n", one.len())).await;
    connection
        .send(format!("{:x};x=y\r\n{two}\r\n0\r\n\r\nGET /health HTTP/1.1\r\nHost: localhost\r\n\r\n", two.len()))
        .await;
    let reply = connection.reply().await;
    assert_eq!((reply.status, reply.header("connection")), (202, Some("close")));
    assert!(connection.is_closed().await);
    assert_eq!(stream.message().await["id"], 1);
    for broken in ["x\r\n", "-1\r\n{}\r\n", "5\r\n{}\r\n0\r\n\r\n", "ffffffffffffffffff\r\n"] {
        let mut connection = server.sent(format!("{head}{broken}")).await;
        connection.send("0\r\n\r\n").await;
        connection.reply().await.is_refusal(400);
    }
    assert_eq!(server.fixture.added.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn a_client_that_closes_its_half_is_answered_and_its_stream_ends() {
    let server = Server::start(|_| {}).await;
    let mut stream = server.initialized().await;
    let mut connection = server.sent(post(&stream.uri, &call(1, "add", &json!({"a": 1, "b": 1})))).await;
    connection.socket.shutdown().await.unwrap();
    assert_eq!(connection.reply().await.status, 202);
    assert!(connection.is_closed().await);
    assert_eq!(stream.message().await["id"], 1);
    stream.connection.socket.shutdown().await.unwrap();
    server.settles_at(0).await;
    let mut at_once = server.connect().await;
    at_once.send("GET /sse HTTP/1.1\r\nHost: localhost\r\n\r\n").await;
    at_once.socket.shutdown().await.unwrap();
    while at_once.more().await {}
    server.settles_at(0).await;
}

#[tokio::test]
async fn a_stream_whose_client_says_more_and_goes_ends_at_once() {
    let server = Server::start(|_| {}).await;
    let open = "GET /sse HTTP/1.1\r\nHost: localhost\r\n\r\n";
    for more in [open.to_owned(), "\r\n".to_owned(), "x".repeat(30_000), "x".repeat(1_000_000)] {
        let mut connection = server.sent(format!("{open}{}", &more[..more.len() / 2])).await;
        assert_eq!(connection.head().await.status, 200);
        // One that sends without end is cut off in the middle of it.
        let _ = connection.socket.write_all(&more.as_bytes()[more.len() / 2..]).await;
        drop(connection);
        server.settles_at(0).await;
    }
    for body in ["Content-Length: 5\r\n\r\n{}", "Transfer-Encoding: chunked\r\n\r\n5\r\n{}"] {
        let reply = server.ask(format!("GET /sse HTTP/1.1\r\nHost: localhost\r\n{body}")).await;
        reply.is_refusal(400);
        assert_eq!(reply.header("connection"), Some("close"));
    }
}

#[tokio::test]
async fn requests_may_follow_each_other_closely_and_come_in_pieces() {
    let server = Server::start(|_| {}).await;
    let mut stream = server.initialized().await;
    let uri = stream.uri.clone();
    let request = |id| {
        let message = call(id, "add", &json!({"a": id, "b": 0}));
        server.conversation.observe_sent(&message.to_string());
        post(&uri, &message)
    };
    for step in [1, 3, 50, 1000, 100_000] {
        let mut connection = server.connect().await;
        let (mut reader, mut writer) = connection.socket.into_split();
        let bytes: String = (0..30).map(request).collect();
        let writing = tokio::spawn(async move {
            for piece in bytes.as_bytes().chunks(step) {
                writer.write_all(piece).await.unwrap();
            }
            writer
        });
        let mut text = Vec::new();
        while text.windows(12).filter(|window| window == b"HTTP/1.1 202").count() < 30 {
            assert!(in_time(reader.read_buf(&mut text)).await.unwrap() > 0);
        }
        connection.socket = reader.reunite(writing.await.unwrap()).unwrap();
        connection.send("GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n").await;
        drop(connection);
        for id in 0..30 {
            assert_eq!(stream.message().await["id"], id, "in steps of {step}");
        }
    }
}

#[tokio::test]
async fn slow_heads_slow_bodies_and_silent_connections_are_cut() {
    let server = Server::limited(|limits| {
        limits.header_read = Some(Duration::from_millis(100));
        limits.body_read = Some(Duration::from_millis(100));
        limits.idle_connection = Some(Duration::from_millis(100));
    })
    .await;
    let stream = server.initialized().await;
    assert!(server.connect().await.is_closed().await);

    server.refuses("GET /health HTTP/1.1\r\nHost: loc", 408).await;
    let head = post_text(&stream.uri, "Content-Type: application/json\r\n", &" ".repeat(100));
    server.refuses(&head[..head.len() - 1], 408).await;

    let mut kept = server.sent("GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n").await;
    assert_eq!(kept.reply().await.status, 200);
    assert!(kept.is_closed().await);
    // A second request, cut off within its head, after a first one.
    let mut second = server.sent("GET /health HTTP/1.1\r\nHost: localhost\r\n\r\nGET /hea").await;
    assert_eq!(second.reply().await.status, 200);
    second.reply().await.is_refusal(408);
    // A stream is not idle.
    assert_eq!(server.clients.count(), 1);
}

#[tokio::test]
async fn connections_beyond_the_limit_wait_for_a_place() {
    let server = Server::limited(|limits| limits.max_connections = Some(2)).await;
    let request = "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n";
    let (mut first, mut second) = (server.sent(request).await, server.sent(request).await);
    assert_eq!((first.reply().await.status, second.reply().await.status), (200, 200));
    let mut third = server.sent(request).await;
    assert!(tokio::time::timeout(Duration::from_millis(50), third.more()).await.is_err());
    drop(first);
    assert_eq!(third.reply().await.status, 200);
}
