//! Starting and stopping: who is answered, who is cut off, and what is free again.

use std::{sync::Arc, time::Duration};

use serde_json::{Value, json};
use tokio::net::TcpStream;

use super::{
    super::{HttpOptions, Listener, Stage},
    Server, call,
    client::in_time,
    dispatcher, initialize,
};
use crate::{limits::Limits, server::error::Error};

#[tokio::test]
async fn a_taken_port_is_named() {
    let server = Server::start(|_| {}).await;
    let dispatcher = dispatcher(&server.fixture, Limits::default());
    let again = Listener::bind(dispatcher, "127.0.0.1", server.address.port(), HttpOptions::default()).await;
    assert!(matches!(again.err(), Some(Error::PortInUse { address }) if address == server.address));
}

#[tokio::test]
async fn stopping_ends_idle_streams_and_connections_at_once() {
    for mut server in Server::each(|_| {}).await {
        let mut streams = Vec::new();
        for _ in 0..20 {
            streams.push(server.initialized().await);
        }
        let mut idle = server.connect().await;
        let address = server.address;
        server.begin_stop();
        for stream in &mut streams {
            assert_eq!(stream.event().await, None);
            assert!(stream.connection.is_closed().await);
        }
        assert!(idle.is_closed().await);
        server.stopped().await;
        tokio::net::TcpListener::bind(address).await.unwrap();
    }
}

#[tokio::test]
async fn a_call_under_way_is_answered_before_its_stream_ends() {
    for mut server in Server::each(|_| {}).await {
        let mut stream = server.initialized().await;
        stream.tell(&call(1, "wait", &json!({}))).await;
        server.begin_stop();
        in_time(async {
            while TcpStream::connect(server.address).await.is_ok() {
                tokio::task::yield_now().await;
            }
        })
        .await;
        server.fixture.release.add_permits(1);
        assert_eq!(stream.message().await["result"]["content"][0]["text"], "done");
        assert_eq!(stream.event().await, None);
        server.stopped().await;
    }
}

#[tokio::test]
async fn what_does_not_end_in_time_is_cut() {
    for mut server in Server::each(|options| options.limits.shutdown_grace = Some(Duration::from_millis(100))).await {
        let mut stream = server.initialized().await;
        stream.tell(&call(1, "wait", &json!({}))).await;
        // An application waits for the rest of a head for as long as it likes.
        let rest = if server.is_mounted { "ngth: 0\r\n\r\n" } else { "" };
        let _half_sent = server.sent(format!("POST /messages HTTP/1.1\r\nHost: localhost\r\nContent-Le{rest}")).await;
        server.begin_stop();
        server.stopped().await;
    }
}

#[tokio::test]
async fn a_call_whose_client_has_gone_ends_with_the_server() {
    for mut server in Server::each(|options| options.limits.shutdown_grace = Some(Duration::from_millis(100))).await {
        let opened = server.sent(post_to_mcp("", &initialize())).await.head().await;
        let session = format!("Mcp-Session-Id: {}\r\n", opened.header("mcp-session-id").unwrap());
        let idle = Arc::strong_count(&server.fixture);
        let waiting = server.sent(post_to_mcp(&session, &call(1, "wait", &json!({})))).await;
        in_time(async {
            while Arc::strong_count(&server.fixture) == idle {
                tokio::task::yield_now().await;
            }
        })
        .await;
        drop(waiting);
        let fixture = Arc::clone(&server.fixture);
        server.begin_stop();
        server.stopped().await;
        in_time(async {
            while Arc::strong_count(&fixture) > 1 {
                tokio::task::yield_now().await;
            }
        })
        .await;
    }
}

fn post_to_mcp(headers: &str, message: &Value) -> String {
    let message = message.to_string();
    let head = "POST /mcp HTTP/1.1\r\nHost: localhost\r\nAccept: application/json, text/event-stream";
    let length = message.len();
    format!("{head}\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n{headers}\r\n{message}")
}

#[tokio::test]
async fn what_is_rung_for_late_is_cut_all_the_same() {
    let mut server = Server::limited(|limits| {
        // By nothing else would the connection wake.
        (limits.keep_alive, limits.idle_connection) = (None, None);
        limits.shutdown_grace = Some(Duration::from_millis(100));
    })
    .await;
    let mut stream = server.initialized().await;
    stream.tell(&call(1, "wait", &json!({}))).await;
    let mut idle = server.connect().await;
    server.begin_stop();
    // Whoever has the first of it has the stage; the bell rings behind that.
    assert!(idle.is_closed().await);
    server.way.enter(Stage::Draining);
    server.stopped().await;
}
