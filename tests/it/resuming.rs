//! Streams that are cut and resumed: nothing is lost, nothing comes twice, nothing is anybody else's.

use std::{collections::HashMap, net::SocketAddr};

use mcp_test_support::{
    Listening, PATIENCE,
    http::{self, OpenAnswer},
};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    task::JoinSet,
    time::timeout,
};

use crate::visitor::{Gate, NEWEST_WITH_SESSIONS, Served, Visitor, call, event, text_of};

/// Alone, and in an application.
async fn resumable() -> [Served; 2] {
    let start = |listening| Served::start_as(listening, json!({"resumability": true}));
    [start(Listening::Alone).await, start(Listening::Mounted).await]
}

/// The id and the data of an event.
async fn named(stream: &mut OpenAnswer) -> (String, String) {
    let event = event(stream).await.expect("an event");
    (event.id.expect("an id"), event.data)
}

#[tokio::test]
async fn a_stream_goes_on_where_its_client_left_off() {
    for served in resumable().await {
        for version in ["2025-03-26", "2025-06-18", NEWEST_WITH_SESSIONS] {
            let visitor = served.visitor(version).await;
            let mut stream = visitor.post(&call(1, "steps", json!({"times": 3}))).await;
            if version == NEWEST_WITH_SESSIONS {
                let primed = event(&mut stream).await.unwrap();
                assert_eq!((primed.data.as_str(), primed.name.as_str()), ("", ""), "{version}");
                assert!(primed.id.is_some() && primed.retry.is_some(), "{version}: {primed:?}");
            }
            let (first, data) = named(&mut stream).await;
            assert!(data.contains("step 0"), "{version}: {data}");
            drop(stream);
            // One is said while nobody is there, the rest to whoever comes back.
            served.gate.go.add_permits(1);
            for _ in 0..2 {
                Gate::pass(&served.gate.began).await;
            }
            let mut stream = visitor.get(Some(&first)).await;
            assert!(stream.is_stream(), "{version}: {:?}", stream.headers);
            let (second, data) = named(&mut stream).await;
            assert!(data.contains("step 1"), "{version}: {data}");
            served.gate.go.add_permits(1);
            let (third, data) = named(&mut stream).await;
            assert!(data.contains("step 2"), "{version}: {data}");
            drop(stream);
            // The answer as well, when all is over.
            served.gate.go.add_permits(1);
            for semaphore in [&served.gate.began, &served.gate.over] {
                Gate::pass(semaphore).await;
            }
            for (last, before) in [(&third, 0), (&second, 1), (&first, 2)] {
                let mut stream = visitor.get(Some(last)).await;
                for _ in 0..before {
                    assert!(named(&mut stream).await.1.contains("step"), "{version}");
                }
                assert_eq!(text_of(&named(&mut stream).await.1), "arrived", "{version}");
                assert_eq!(event(&mut stream).await, None, "{version}: a stream ends with its answer");
            }
        }
    }
}

#[tokio::test]
async fn a_handler_lets_its_connection_go() {
    for served in resumable().await {
        let visitor = served.visitor(NEWEST_WITH_SESSIONS).await;
        let mut stream = visitor.post(&call(1, "leave", json!({}))).await;
        let primed = event(&mut stream).await.unwrap();
        assert_eq!(primed.data, "");
        let last = event(&mut stream).await.expect("a word on when to come back");
        assert!(last.retry.is_some() && last.id.is_none() && last.data.is_empty(), "{last:?}");
        assert_eq!(event(&mut stream).await, None);
        // Coming back before there is anything waits for it.
        let mut stream = visitor.get(primed.id.as_deref()).await;
        served.gate.go.add_permits(1);
        assert!(named(&mut stream).await.1.contains("meanwhile"));
        assert_eq!(text_of(&named(&mut stream).await.1), "back");
        assert_eq!(event(&mut stream).await, None);

        // Elsewhere nothing happens: versions that do not know it, servers that resume nothing.
        let plain = Served::start(json!({})).await;
        for (served, version) in [(&served, "2025-06-18"), (&plain, NEWEST_WITH_SESSIONS)] {
            let visitor = served.visitor(version).await;
            let answer = tokio::spawn(async move {
                let mut stream = visitor.post(&call(1, "leave", json!({}))).await;
                let data = event(&mut stream).await.expect("an event").data;
                (data, event(&mut stream).await.expect("an answer").data)
            });
            Gate::pass(&served.gate.began).await;
            served.gate.go.add_permits(1);
            let (data, answer) = answer.await.unwrap();
            assert!(data.contains("meanwhile"), "{version}");
            assert_eq!(text_of(&answer), "back", "{version}");
        }
    }
}

#[tokio::test]
async fn whoever_comes_back_sends_a_dead_connection_away() {
    for served in resumable().await {
        let visitor = served.visitor(NEWEST_WITH_SESSIONS).await;
        let mut dead = visitor.post(&call(1, "steps", json!({"times": 2}))).await;
        let (primed, _) = named(&mut dead).await;
        assert!(named(&mut dead).await.1.contains("step 0"));
        let mut alive = visitor.get(Some(&primed)).await;
        assert!(named(&mut alive).await.1.contains("step 0"));
        served.gate.go.add_permits(2);
        assert!(named(&mut alive).await.1.contains("step 1"));
        assert_eq!(text_of(&named(&mut alive).await.1), "arrived");
        let farewell = event(&mut dead).await.expect("a word on when to come back");
        assert!(farewell.id.is_none() && farewell.data.is_empty(), "{farewell:?}");
        assert_eq!(event(&mut dead).await, None);
    }
}

#[tokio::test]
async fn the_session_s_own_stream_is_one_however_often_it_is_opened() {
    for served in resumable().await {
        let visitor = served.visitor(NEWEST_WITH_SESSIONS).await;
        let mut first = visitor.get(None).await;
        let (one, data) = named(&mut first).await;
        assert_eq!(data, "");
        assert_eq!(visitor.get(None).await.status, 409);
        // Its end may not have been seen yet; whoever names an event does not have to wait for that.
        drop(first);
        let resumed = visitor.get(Some(&one)).await;
        assert_eq!(resumed.status, 200);
        drop(resumed);
        let another = async {
            loop {
                let stream = visitor.get(None).await;
                if stream.status == 200 {
                    return stream;
                }
                tokio::task::yield_now().await;
            }
        };
        let (two, _) = named(&mut timeout(PATIENCE, another).await.expect("a stream in time")).await;
        assert_eq!(one.split_once('_').unwrap().0, two.split_once('_').unwrap().0);
        assert_ne!(one, two, "no event has the name of another");
    }
}

#[tokio::test]
async fn forged_names_of_events_are_refused() {
    for served in resumable().await {
        let (visitor, other) = (served.visitor(NEWEST_WITH_SESSIONS).await, served.visitor(NEWEST_WITH_SESSIONS).await);
        let mut ids = Vec::new();
        for visitor in [&visitor, &other] {
            let mut stream = visitor.post(&call(1, "say", json!({"tag": "t", "times": 2, "size": 1}))).await;
            while let Some(event) = event(&mut stream).await {
                ids.extend(event.id);
            }
        }
        let (own, foreign) = (&ids[0], &ids[5]);
        assert_eq!(visitor.get(Some(own)).await.status, 200);
        let (stream, _) = own.split_once('_').unwrap();
        let long = "1".repeat(129);
        for forged in [
            foreign.as_str(),
            "",
            "_",
            "0",
            "0_0",
            "00000000_0",
            "-1_-1",
            "x_y",
            "\u{e9}",
            "1_2_3",
            &long,
            &format!("{stream}_99"),
            &format!("{stream}_01"),
            &format!("{stream}_+1"),
            &format!("{stream}_18446744073709551616"),
            &format!("{}_1", stream.to_uppercase() + "0"),
        ] {
            let answer = visitor.get(Some(forged)).await;
            assert_eq!(answer.status, 400, "{forged}");
            let body: Value = serde_json::from_str(&answer.whole().await).expect("a JSON body");
            assert_eq!(body["error"]["code"], -32600, "{forged}: {body}");
        }
        let mut twice = visitor.headers();
        twice.extend([("Accept", "text/event-stream"), ("Last-Event-ID", own), ("Last-Event-ID", own)]);
        assert_eq!(served.ask("GET", &twice, "").await.status, 400);
        // Where nothing is resumed nobody has a name to give.
        let plain = Served::start(json!({})).await;
        let visitor = plain.visitor(NEWEST_WITH_SESSIONS).await;
        assert_eq!(visitor.get(Some("0_0")).await.status, 200);
    }
}

#[tokio::test]
async fn what_is_kept_is_bounded_and_the_oldest_goes_first() {
    let check = async |limits: Value, size: usize, kept: &[&str]| {
        let served = Served::start(json!({"resumability": true, "limits": limits})).await;
        let visitor = served.visitor(NEWEST_WITH_SESSIONS).await;
        let mut stream = visitor.post(&call(1, "say", json!({"tag": "t", "times": 5, "size": size}))).await;
        let (first, _) = named(&mut stream).await;
        let mut said = 0;
        while event(&mut stream).await.is_some() {
            said += 1;
        }
        assert_eq!(said, 6, "all of it arrives");
        let mut stream = visitor.get(Some(&first)).await;
        let mut again = Vec::new();
        if stream.status == 200 {
            while let Some(event) = event(&mut stream).await {
                again.push(event.data.chars().skip_while(|c| *c != 't').take_while(|c| *c != 'x').collect::<String>());
            }
        }
        let again: Vec<_> = again.iter().filter_map(|data| data.split("\"t ").last()).map(str::trim).collect();
        assert_eq!(again.len(), kept.len(), "{limits}: {again:?}");
        for (again, kept) in again.iter().zip(kept) {
            assert!(again.ends_with(kept) || *kept == "answer", "{limits}: {again} {kept}");
        }
    };
    check(json!({}), 10, &["0", "1", "2", "3", "4", "answer"]).await;
    check(json!({"replayEvents": 3}), 10, &["3", "4", "answer"]).await;
    check(json!({"replayBytes": 5000}), 2000, &["3", "4", "answer"]).await;
    check(json!({"replayEvents": 0}), 10, &[]).await;
    check(json!({"replaySeconds": 0}), 10, &[]).await;
}

// Cuts at any byte.

/// Numbers that look random and are the same each time.
struct Dice(u64);

impl Dice {
    fn below(&mut self, most: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % most as u64) as usize
    }
}

/// What a client read before its connection was cut.
#[derive(Default)]
struct Piece {
    /// The id and the data of each event that was whole.
    events: Vec<(String, String)>,
    /// The answer ended in order.
    ended: bool,
    /// The last name that was read, of an event without data too.
    last: Option<String>,
}

/// Sends a request, and reads that many bytes of what comes back.
async fn read_and_cut(address: SocketAddr, request: &str, mut budget: usize) -> Piece {
    let mut socket = TcpStream::connect(address).await.expect("a listener");
    socket.write_all(request.as_bytes()).await.expect("a server that reads");
    let (mut bytes, mut buffer) = (Vec::new(), [0; 4096]);
    while budget > 0 && !bytes.ends_with(b"\r\n0\r\n\r\n") {
        let most = budget.min(buffer.len());
        let read = timeout(PATIENCE, socket.read(&mut buffer[..most])).await.expect("bytes in time").unwrap_or(0);
        if read == 0 {
            break;
        }
        bytes.extend_from_slice(&buffer[..read]);
        budget -= read;
    }
    drop(socket);
    piece(&bytes)
}

fn piece(bytes: &[u8]) -> Piece {
    let text = std::str::from_utf8(bytes).expect("ASCII");
    let mut piece = Piece::default();
    let Some((head, mut rest)) = text.split_once("\r\n\r\n") else { return piece };
    assert!(head.starts_with("HTTP/1.1 200"), "{head}");
    let mut body = String::new();
    while let Some((size, after)) = rest.split_once("\r\n") {
        let size = usize::from_str_radix(size, 16).expect("a chunk's size");
        piece.ended = size == 0;
        body.push_str(&after[..size.min(after.len())]);
        let Some(after) = after.get(size + 2..) else { break };
        rest = after;
    }
    let mut events: Vec<_> = body.split("\n\n").collect();
    // What follows the last blank line is no event yet.
    events.pop();
    for event in events {
        let field = |name: &str| event.lines().find_map(|line| line.strip_prefix(name)).map(str::to_owned);
        let (id, data) = (field("id: "), field("data: "));
        piece.last = id.clone().or(piece.last);
        if let (Some(id), Some(data)) = (id, data.filter(|data| !data.is_empty())) {
            piece.events.push((id, data));
        }
    }
    piece
}

/// One call, read to its end over connections that are cut; how often they were.
async fn call_with_cuts(visitor: &Visitor, id: usize, tag: String, times: usize, dice: &mut Dice) -> usize {
    let headers: String = visitor.headers().iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    let common = format!(
        "/mcp HTTP/1.1\r\nHost: {}\r\nAccept: application/json, text/event-stream\r\n{headers}",
        visitor.address
    );
    let size = dice.below(200);
    let conversation = http::conversation_of(visitor.address, &visitor.session);
    let mut cuts = 0;
    let mut read: Vec<(String, String)> = Vec::new();
    let mut last: Option<String> = None;
    for attempt in 0.. {
        let budget = 1 + dice.below(900);
        let request = match &last {
            Some(last) => format!("GET {common}Last-Event-ID: {last}\r\n\r\n"),
            None => {
                // Nothing was read by which it could be resumed: that call is lost, and made anew.
                let body = call(format!("{id}-{attempt}"), "say", json!({"tag": tag, "times": times, "size": size}));
                let body = body.to_string();
                let length = body.len();
                conversation.observe_sent(&body);
                format!("POST {common}Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}")
            }
        };
        let piece = read_and_cut(visitor.address, &request, budget).await;
        read.extend(piece.events);
        last = piece.last.or(last);
        if piece.ended {
            break;
        }
        cuts += 1;
    }
    let mut names = HashMap::new();
    for (id, _) in &read {
        assert_eq!(names.insert(id.clone(), ()), None, "{tag}: {id} came twice");
    }
    assert_eq!(read.len(), times + 1, "{tag}: {read:?}");
    for (i, (_, data)) in read[..times].iter().enumerate() {
        conversation.observe_received(data);
        let message: Value = serde_json::from_str(data).expect("JSON");
        let said = message["params"]["data"].as_str().expect("a text");
        assert_eq!(said, format!("{tag} {i} {}", "x".repeat(size)), "{tag}");
    }
    conversation.observe_received(&read[times].1);
    assert_eq!(text_of(&read[times].1), tag);
    cuts
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn thousands_of_cuts_lose_nothing_and_repeat_nothing() {
    const SESSIONS: usize = 8;
    const SIDE_BY_SIDE: usize = 4;
    const CALLS: usize = 7;
    let served = Served::start(json!({"resumability": true, "limits": {"replayEvents": 2000}})).await;
    let mut clients = JoinSet::new();
    for session in 0..SESSIONS {
        let visitor = served.visitor(NEWEST_WITH_SESSIONS).await;
        for lane in 0..SIDE_BY_SIDE {
            let visitor = visitor.clone();
            clients.spawn(async move {
                let mut dice = Dice(0x9E37_79B9_7F4A_7C15 ^ ((session * 100 + lane + 1) as u64));
                let mut cuts = 0;
                for i in 0..CALLS {
                    let (id, times) = (lane * 1000 + i, 1 + dice.below(30));
                    cuts += call_with_cuts(&visitor, id, format!("{session}/{lane}/{i}"), times, &mut dice).await;
                }
                cuts
            });
        }
    }
    let cuts: usize = clients.join_all().await.iter().sum();
    assert!(cuts > 3000, "{cuts} cuts are too few");
    assert_eq!(served.handle.sessions(), SESSIONS);
}
