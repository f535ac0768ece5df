//! Event streams: what comes on them, how many there are, and how they end.

use std::time::Duration;

use serde_json::{Value, json};

use super::{
    Server, call,
    client::{post, post_text},
    initialize,
};

#[tokio::test]
async fn answers_come_on_the_stream_and_posts_are_accepted() {
    for server in Server::each(|_| {}).await {
        let mut stream = server.open().await;
        assert_eq!(stream.head.header("content-type"), Some("text/event-stream"));
        assert!(stream.head.header("cache-control").unwrap().contains("no-store"));
        assert_eq!(stream.head.header("x-accel-buffering"), Some("no"));
        let id = stream.uri.strip_prefix("/messages?sessionId=").unwrap();
        assert!(id.len() >= 22 && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte)), "{id}");

        stream.call(&initialize()).await;
        stream.tell(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
        let sum = stream.call(&call(7, "add", &json!({"a": 2, "b": 3}))).await;
        assert_eq!((&sum["id"], &sum["result"]["content"][0]["text"]), (&json!(7), &json!("5")));
        let big = stream.call(&call(8, "big", &json!({"n": 100}))).await;
        assert_eq!(big["result"]["content"][0]["text"].as_str().unwrap().len(), 100 * 1024);
        let unknown = stream.call(&json!({"jsonrpc": "2.0", "id": "x", "method": "no/such"})).await;
        assert_eq!((&unknown["id"], &unknown["error"]["code"]), (&json!("x"), &json!(-32601)));
    }
}

#[tokio::test]
async fn a_waiting_call_holds_up_nothing() {
    for server in Server::each(|_| {}).await {
        let mut stream = server.initialized().await;
        for id in 1..=40 {
            stream.tell(&call(id, "wait", &json!({}))).await;
        }
        let ping = stream.call(&json!({"jsonrpc": "2.0", "id": 99, "method": "ping"})).await;
        assert_eq!(ping, json!({"jsonrpc": "2.0", "id": 99, "result": {}}));
        server.fixture.release.add_permits(40);
        let mut ids = Vec::new();
        for _ in 1..=40 {
            ids.push(stream.message().await["id"].as_i64().unwrap());
        }
        ids.sort_unstable();
        assert_eq!(ids, (1..=40).collect::<Vec<_>>());
    }
}

#[tokio::test]
async fn the_same_ids_of_two_clients_do_not_meet() {
    let server = Server::start(|_| {}).await;
    let (mut one, mut two) = (server.initialized().await, server.initialized().await);
    for id in 0..20 {
        one.tell(&call(id, "add", &json!({"a": id, "b": 1}))).await;
        two.tell(&call(id, "add", &json!({"a": id, "b": 2}))).await;
    }
    for id in 0..20 {
        assert_eq!(one.message().await["result"]["content"][0]["text"], (id + 1).to_string());
        assert_eq!(two.message().await["result"]["content"][0]["text"], (id + 2).to_string());
    }
}

#[tokio::test]
async fn what_is_no_message_is_refused_by_status_and_the_stream_stays_silent() {
    for server in Server::each(|_| {}).await {
        let mut stream = server.initialized().await;
        for (body, id, code) in [
            ("{", Value::Null, -32700),
            ("\"text\"", Value::Null, -32600),
            (r#"{"jsonrpc":"2.0","id":5}"#, json!(5), -32600),
            (r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, Value::Null, -32600),
            ("[]", Value::Null, -32600),
            ("", Value::Null, -32700),
        ] {
            let reply = server.ask(post_text(&stream.uri, "Content-Type: application/json\r\n", body)).await;
            assert_eq!(
                (reply.status, &reply.json()["error"]["code"], &reply.json()["id"]),
                (400, &json!(code), &id),
                "{body}"
            );
        }
        assert_eq!(stream.call(&json!({"jsonrpc": "2.0", "id": 1, "method": "ping"})).await["id"], 1);
    }
}

#[tokio::test]
async fn a_session_ends_with_its_stream() {
    for server in Server::each(|_| {}).await {
        let stream = server.initialized().await;
        let uri = stream.uri.clone();
        drop(stream);
        server.settles_at(0).await;
        let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"});
        server.ask(post(&uri, &ping)).await.is_refusal(404);
        for (query, status) in [
            ("", 400),
            ("?sessionId=", 400),
            ("?session_id=1", 400),
            ("?sessionId=1", 404),
            ("?sessionId=00000000000000000000000000000000", 404),
            ("?sessionId=1&sessionId=1", 400),
        ] {
            server.ask(post(&format!("/messages{query}"), &ping)).await.is_refusal(status);
        }
    }
}

#[tokio::test]
async fn many_streams_opened_and_dropped_leave_nothing() {
    for server in Server::each(|_| {}).await {
        let mut streams = Vec::new();
        for _ in 0..200 {
            streams.push(server.open().await);
        }
        assert_eq!(server.clients.count(), 200);
        drop(streams);
        server.settles_at(0).await;
    }
}

#[tokio::test]
async fn streams_are_counted() {
    for server in Server::each(|options| options.limits.max_streams = Some(2)).await {
        let (first, _second) = (server.open().await, server.open().await);
        let refused = server.try_open("").await.err().unwrap();
        refused.is_refusal(503);
        assert!(refused.header("retry-after").is_some());
        drop(first);
        server.settles_at(1).await;
        server.open().await;
    }
}

#[tokio::test]
async fn requests_of_a_session_are_counted_and_notifications_pass() {
    for server in Server::each(|options| options.limits.max_requests_per_session = Some(2)).await {
        let mut stream = server.initialized().await;
        for id in 1..=2 {
            stream.tell(&call(id, "wait", &json!({}))).await;
        }
        let refused = stream.post(&call(3, "wait", &json!({}))).await;
        assert_eq!((refused.status, &refused.json()["id"]), (429, &json!(3)));
        assert!(refused.header("retry-after").is_some());
        stream.tell(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}})).await;
        server.fixture.release.add_permits(1);
        assert_eq!(stream.message().await["id"], 2);
        stream.call(&call(4, "add", &json!({"a": 1, "b": 1}))).await;
    }
}

#[tokio::test]
async fn idle_streams_are_kept_alive_and_unused_ones_are_not() {
    for server in Server::each(|options| {
        let limits = &mut options.limits;
        limits.keep_alive = Some(Duration::from_millis(50));
        limits.session_unused = Some(Duration::from_millis(300));
    })
    .await
    {
        let mut unused = server.open().await;
        let mut used = server.initialized().await;
        for _ in 0..3 {
            assert_eq!(unused.connection.chunk().await.as_deref(), Some(&b": keep-alive\n\n"[..]));
        }
        assert_eq!(unused.event().await, None);
        for _ in 0..8 {
            assert_eq!(used.connection.chunk().await.as_deref(), Some(&b": keep-alive\n\n"[..]));
        }
        assert_eq!(used.call(&json!({"jsonrpc": "2.0", "id": 1, "method": "ping"})).await["id"], 1);
    }
}

#[tokio::test]
async fn a_client_that_does_not_read_is_cut_off_and_others_are_served() {
    let server = Server::limited(|limits| limits.stream_queue_bytes = Some(512 * 1024)).await;
    let mut slow = server.initialized().await;
    let mut other = server.initialized().await;
    let mut taken = 0;
    // The kernel buffers some megabytes before anything queues.
    for id in 0..400 {
        if slow.post(&call(id, "big", &json!({"n": 256}))).await.status == 404 {
            break;
        }
        taken += 1;
        let sum = other.call(&call(id, "add", &json!({"a": 1, "b": 1}))).await;
        assert_eq!(sum["result"]["content"][0]["text"], "2");
    }
    assert!(taken < 100, "{taken} answers of 256 KiB were taken");
    server.settles_at(1).await;
}

#[tokio::test]
async fn a_write_that_does_not_move_is_cut_off() {
    let server = Server::limited(|limits| limits.stalled_write = Some(Duration::from_millis(200))).await;
    let mut stalled = server.initialized().await;
    // The kernel buffers some megabytes before a write waits; by the last message the session may be gone.
    for id in 0..3 {
        stalled.post(&call(id, "big", &json!({"n": 4096}))).await;
    }
    server.settles_at(0).await;
}

#[tokio::test]
async fn the_endpoint_event_keeps_the_prefix_of_the_public_url() {
    for server in Server::each(|options| options.public_url = Some("https://mcp.test/api/".to_owned())).await {
        let stream = server.try_open("X-Forwarded-Prefix: /evil\r\nX-Forwarded-Proto: https\r\n").await.unwrap();
        assert!(stream.uri.starts_with("/api/messages?sessionId="), "{}", stream.uri);
    }
}
