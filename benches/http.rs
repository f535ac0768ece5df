//! HTTP in memory: requests as bytes, and a client that says one again and again.

use std::{
    io,
    pin::Pin,
    task::{Context, Poll, Waker},
};

use mcp_runtime::{HttpStreamOptions, ServerOptions, TransportOptions, testing::HttpDoor};
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf, join},
    runtime::{Builder, Runtime},
};

use crate::{CALLS, TOOLS, large_call, server};

/// A request over HTTP.
#[derive(Debug)]
pub struct Request {
    /// Its head and its body.
    pub bytes: Vec<u8>,
    /// How its answer begins.
    pub status: &'static str,
    /// What its answer contains.
    pub expected: &'static str,
    /// Whether others follow on its connection.
    pub is_kept: bool,
}

/// What there is: a call, the same behind thirty headers, one of 64 KiB in and out; the call on a connection of its own,
/// and there from a page that may not make it.
pub const NAMES: [&str; 5] = ["http/add", "http/thirty_headers", "http/echo_64k", "http/add_once", "http/wrong_origin"];

/// The request of that name.
pub fn request(name: &str) -> Option<Request> {
    let (_, add, sum) = CALLS[0];
    let headers = || (1..=25).map(|n| format!("x-header-{n}: from what stands in between\r\n")).collect::<String>();
    let (bytes, expected) = match name {
        "http/add" | "http/add_once" => (post("", add), sum),
        "http/thirty_headers" => (post(&headers(), add), sum),
        "http/echo_64k" => (post("", &large_call()), "0123456789abcdef"),
        "http/wrong_origin" => (post("origin: https://elsewhere.example\r\n", add), "rigin"),
        _ => return None,
    };
    let (status, is_kept) = match name {
        "http/wrong_origin" => ("HTTP/1.1 403 ", false),
        _ => ("HTTP/1.1 200 ", name != "http/add_once"),
    };
    Some(Request { bytes, status, expected, is_kept })
}

/// A stateless POST, with these headers beside its own five.
fn post(headers: &str, body: &str) -> Vec<u8> {
    let length = body.len();
    format!(
        "POST /mcp HTTP/1.1\r\nhost: 127.0.0.1:8080\r\naccept: application/json, text/event-stream\r\n{headers}\
         mcp-protocol-version: 2025-11-25\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}"
    )
    .into_bytes()
}

/// A runtime of one thread, the one that calls.
///
/// # Panics
/// When the operating system gives none.
pub fn runtime() -> Runtime {
    Builder::new_current_thread().enable_all().build().unwrap_or_else(|error| panic!("{error}"))
}

/// The HTTP of the benchmarks' server, without sessions.
///
/// # Panics
/// When the server does not start, which is a fault of this file.
pub async fn door() -> HttpDoor {
    let http = HttpStreamOptions { sessions: false, ..HttpStreamOptions::default() };
    let options = ServerOptions { transport: TransportOptions::HttpStream(http), ..ServerOptions::default() };
    HttpDoor::open(server(TOOLS).with_options(options)).await.unwrap_or_else(|error| panic!("{error}"))
}

impl Request {
    /// Sends it on a connection of its own, and checks its answer.
    ///
    /// # Panics
    /// When the answer is not what was expected.
    pub async fn exchange(&self, door: &HttpDoor) {
        let mut answer = Vec::new();
        door.serve(join(&self.bytes[..], &mut answer)).await;
        let answer = String::from_utf8_lossy(&answer);
        let fits = answer.starts_with(self.status) && answer.contains(self.expected);
        assert!(fits, "{answer}");
    }

    /// Sends it so many times, on one connection or on one each.
    ///
    /// # Panics
    /// When the connection ends before.
    pub async fn repeat(&self, door: &HttpDoor, times: usize) {
        let (connections, requests) = if self.is_kept { (1, times) } else { (times, 1) };
        for _ in 0..connections {
            let mut client = Repeated { request: &self.bytes, rest: &[], left: requests, waits: false, reader: None };
            door.serve(&mut client).await;
            assert_eq!((client.left, client.rest), (0, &[][..]), "all was read");
            assert!(!client.waits, "all was answered");
        }
    }
}

/// A connection whose client sends a request, waits for its answer, and sends it again; then it closes.
struct Repeated<'a> {
    request: &'a [u8],
    /// What was not read yet of a request.
    rest: &'a [u8],
    /// How many requests are still to be sent.
    left: usize,
    /// A request was sent and is not answered yet.
    waits: bool,
    /// Who reads once it is.
    reader: Option<Waker>,
}

impl AsyncRead for Repeated<'_> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        if self.rest.is_empty() {
            if self.waits {
                self.reader = Some(cx.waker().clone());
                return Poll::Pending;
            }
            if self.left == 0 {
                return Poll::Ready(Ok(()));
            }
            (self.rest, self.waits) = (self.request, true);
            self.left -= 1;
        }
        let (now, rest) = self.rest.split_at(self.rest.len().min(buf.remaining()));
        buf.put_slice(now);
        self.rest = rest;
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Repeated<'_> {
    /// An answer is written at once: it is over with its first piece.
    fn poll_write(mut self: Pin<&mut Self>, _: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        self.waits = false;
        if let Some(reader) = self.reader.take() {
            reader.wake();
        }
        Poll::Ready(Ok(buf.len()))
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.poll_write(cx, &[]).map_ok(|_| bufs.iter().map(|buf| buf.len()).sum())
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}
