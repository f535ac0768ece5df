//! Whatever a client sends over a connection, to a listener that anybody may call and to one with a key: every reply is
//! HTTP, none is a failure of ours, connections end, and nobody gets past the key.
//!
//! The first byte of an input says to which of the two, and in pieces of which size. `SESSION` stands for the id of a
//! session that there is.

#![no_main]

use std::{cell::OnceCell, net::SocketAddr, time::Duration};

use libfuzzer_sys::fuzz_target;
use mcp_runtime::{ApiKeyOptions, AuthOptions, CorsOptions, Limits, ServerOptions, SseOptions, TransportOptions};
use serde_json::Value;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    runtime::{self, Runtime},
    time::timeout,
};

mod server;

fuzz_target!(|bytes: &[u8]| {
    thread_local!(static LISTENERS: OnceCell<Listeners> = const { OnceCell::new() });

    let Some((first, bytes)) = bytes.split_first() else { return };
    LISTENERS.with(|listeners| {
        let listeners = listeners.get_or_init(Listeners::start);
        let is_guarded = first & 1 == 1;
        let address = if is_guarded { listeners.guarded } else { listeners.open };
        listeners.runtime.block_on(async {
            let bytes = with_session(listeners.open, bytes).await;
            let step = match usize::from(first >> 1) {
                0 => bytes.len(),
                step => step * 4,
            };
            let replies = send(address, &bytes, step).await;
            check(&replies, contains(&bytes, b"HEAD"), is_guarded);
        });
    });
});

const INITIALIZE: &str = "POST /mcp HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAccept: application/json, text/event-stream\r\n\
    Content-Type: application/json\r\nContent-Length: 88\r\n\r\n\
    {\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"2025-11-25\"}}";

/// Nothing here takes as long, unless it hangs.
const PATIENCE: Duration = Duration::from_secs(8);

struct Listeners {
    runtime: Runtime,
    open: SocketAddr,
    guarded: SocketAddr,
}

impl Listeners {
    fn start() -> Self {
        let runtime = runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let listen = |auth| {
            runtime.block_on(async {
                let cors = Some(CorsOptions { allow_origins: vec!["https://app.example.com".to_owned()] });
                let options = SseOptions { port: 0, resumability: true, cors, auth, ..Default::default() };
                // Thousands open a session in a second here; elsewhere those who have just done so are not sent away.
                let mut limits = Limits::default();
                limits.max_sessions = None;
                limits.session_unused = Some(Duration::from_secs(1));
                let server = server::server()
                    .limits(limits)
                    .with_options(ServerOptions { transport: TransportOptions::Sse(options), ..Default::default() });
                let bound = server.bind().await.unwrap();
                let address = bound.local_addr().unwrap();
                tokio::spawn(bound.serve());
                address
            })
        };
        let open = listen(None);
        let guarded = listen(Some(AuthOptions::ApiKey(ApiKeyOptions {
            keys: vec!["f0e1d2c3b4a5968778695a4b3c2d1e0f".into()],
            ..Default::default()
        })));
        Self { runtime, open, guarded }
    }
}

/// The bytes with the id of a session, where they speak of one.
async fn with_session(address: SocketAddr, bytes: &[u8]) -> Vec<u8> {
    const PLACE: &[u8] = b"SESSION";
    if !contains(bytes, PLACE) {
        return bytes.to_vec();
    }
    let reply = String::from_utf8(send(address, INITIALIZE.as_bytes(), INITIALIZE.len()).await).unwrap();
    let id = reply.lines().find_map(|line| line.strip_prefix("mcp-session-id: ")).unwrap_or_else(|| panic!("{reply}"));
    let mut rest = bytes;
    let mut out = Vec::new();
    while let Some(at) = rest.windows(PLACE.len()).position(|window| window == PLACE) {
        out.extend_from_slice(&rest[..at]);
        out.extend_from_slice(id.as_bytes());
        rest = &rest[at + PLACE.len()..];
    }
    out.extend_from_slice(rest);
    out
}

fn contains(bytes: &[u8], text: &[u8]) -> bool {
    bytes.windows(text.len()).any(|window| window == text)
}

/// What comes back for these bytes, until the end of the connection or of what is no stream.
async fn send(address: SocketAddr, bytes: &[u8], step: usize) -> Vec<u8> {
    /// How long a stream without an end may say nothing.
    const SILENCE: Duration = Duration::from_millis(20);

    let (mut input, mut output) = TcpStream::connect(address).await.unwrap().into_split();
    let write = async move {
        for piece in bytes.chunks(step.max(1)) {
            if output.write_all(piece).await.is_err() {
                break;
            }
            tokio::task::yield_now().await;
        }
        let _ = output.shutdown().await;
        output
    };
    let read = async {
        let mut replies = Vec::new();
        loop {
            let is_stream = contains(&replies, b"text/event-stream");
            match timeout(if is_stream { SILENCE } else { PATIENCE }, input.read_buf(&mut replies)).await {
                Ok(Ok(0) | Err(_)) => return replies,
                Ok(Ok(_)) => {}
                Err(_) if is_stream => return replies,
                Err(_) => panic!("the connection does not end: {:?}", String::from_utf8_lossy(&replies)),
            }
        }
    };
    tokio::join!(read, write).0
}

/// Whether what came back is one response after the other, the last one perhaps not whole.
fn check(mut replies: &[u8], is_of_head: bool, is_guarded: bool) {
    while !replies.is_empty() {
        let shown = String::from_utf8_lossy(replies).into_owned();
        let Some(end) = replies.windows(4).position(|window| window == b"\r\n\r\n") else {
            panic!("no head: {shown:?}");
        };
        let head = std::str::from_utf8(&replies[..end]).unwrap_or_else(|_| panic!("{shown:?}"));
        replies = &replies[end + 4..];
        let (status, headers) = head.split_once("\r\n").unwrap_or((head, ""));
        let status = status.strip_prefix("HTTP/1.1 ").or_else(|| status.strip_prefix("HTTP/1.0 "));
        let status: u16 =
            status.and_then(|status| status.get(..3)?.parse().ok()).unwrap_or_else(|| panic!("{shown:?}"));
        assert!((100..500).contains(&status), "a failure of ours: {shown:?}");
        let header = |name: &str| {
            let mut values = headers.split("\r\n").filter(|line| !line.is_empty()).filter_map(|line| {
                let (found, value) = line.split_once(": ").unwrap_or_else(|| panic!("{line:?} is no header"));
                found.eq_ignore_ascii_case(name).then_some(value)
            });
            let value = values.next();
            assert!(name.starts_with("set") || values.next().is_none(), "{name} twice: {shown:?}");
            value
        };
        if is_guarded && status == 401 {
            assert!(header("www-authenticate").is_some(), "{shown:?}");
        }
        let is_stream = header("content-type") == Some("text/event-stream");
        assert!(!is_guarded || (status != 202 && !is_stream), "nobody has the key: {shown:?}");
        if is_of_head || is_stream {
            return;
        }
        let is_empty = status < 200 || status == 204 || status == 304;
        let body = match header("content-length") {
            _ if is_empty => &[],
            Some(length) => {
                let length: usize = length.parse().unwrap_or_else(|_| panic!("{shown:?}"));
                replies.split_off(..length).unwrap_or_else(|| panic!("a body ends too early: {shown:?}"))
            }
            None => panic!("a body without a length: {shown:?}"),
        };
        if header("content-type") == Some("application/json") {
            let body: Value = serde_json::from_slice(body).unwrap_or_else(|_| panic!("{shown:?}"));
            assert!(body["error"]["code"] != -32603, "a failure of ours: {shown:?}");
            assert!(!is_guarded || body.get("result").is_none(), "nobody has the key: {shown:?}");
        }
    }
}
