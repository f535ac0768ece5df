//! The bytes of one connection, watched for what hyper does not watch.
//!
//! hyper gets the bytes of one request at a time: a head that is whole and has passed, then its body; what the client
//! sends beyond waits here. Instead of a head that was refused hyper gets [`STAND_IN`], so that the refusal leaves by
//! the same way as every other response.

use std::{
    io::{self, IoSlice},
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
};

use bytes::{Buf, BytesMut};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::{
    connection::Lane,
    head::{self, BodyLength, Head, HeadLimits, Whole},
    rejection::Rejection,
};

pub(super) struct Wire<S> {
    socket: S,
    /// Has the kernel forget what the client has not read.
    forget_unread: fn(&S),
    lane: Arc<Lane>,
    limits: HeadLimits,
    input: Input,
    /// What is known of the head that is being read.
    head: Head,
    /// What has come and was not handed on.
    held: BytesMut,
    /// How much of that may be handed on.
    granted: usize,
    /// The client says no more; it may still listen.
    ended: bool,
    /// The lane knows that a write waits.
    stalled: bool,
    /// How much more is thrown away so that the client gets to read its refusal.
    patience: usize,
}

/// Which part of the input is being read.
enum Input {
    Head,
    /// A body, of which so much is to come.
    Body(u64),
    /// A body in chunks. Only hyper finds its end, so nothing may follow it: its response closes the connection.
    Chunks,
    /// A request was handed on whole; the next one waits for its answer.
    Answer,
    /// A head was refused: nothing after it is ever parsed.
    Refused,
}

/// What hyper reads in place of a head that was refused.
const STAND_IN: &[u8] = b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";

/// How much is read ahead of the request that is being answered.
const AHEAD: usize = 64 * 1024;

/// How much of a refused request is read before the connection is closed under a client that still sends.
const PATIENCE: usize = 16 * 1024 * 1024;

impl<S: AsyncRead + AsyncWrite + Unpin> Wire<S> {
    pub(super) fn new(socket: S, forget_unread: fn(&S), lane: Arc<Lane>, limits: HeadLimits) -> Self {
        Self {
            socket,
            forget_unread,
            lane,
            limits,
            input: Input::Head,
            head: Head::default(),
            held: BytesMut::new(),
            granted: 0,
            ended: false,
            stalled: false,
            patience: PATIENCE,
        }
    }

    /// Hands on what is granted.
    fn hand_on(&mut self, buf: &mut ReadBuf<'_>) {
        let length = self.granted.min(buf.remaining());
        buf.put_slice(&self.held[..length]);
        self.held.advance(length);
        self.granted -= length;
        if self.held.is_empty() {
            self.held = BytesMut::new();
        }
    }

    /// Reads from the socket into `buf`; what it already held must be nothing.
    fn poll_socket(&mut self, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<usize>> {
        ready!(Pin::new(&mut self.socket).poll_read(cx, buf))?;
        Poll::Ready(Ok(buf.filled().len()))
    }

    /// Keeps back what came after the first `length` bytes.
    fn keep_back(&mut self, length: usize, buf: &mut ReadBuf<'_>) {
        if buf.filled().len() > length {
            self.held.extend_from_slice(&buf.filled()[length..]);
            buf.set_filled(length);
        }
    }

    fn poll_head(&mut self, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        loop {
            if !self.held.is_empty() {
                match self.head.read(&self.held, &self.limits) {
                    Ok(Some(whole)) => {
                        self.granted = self.begin(&whole, self.held.len());
                        self.hand_on(buf);
                        return Poll::Ready(Ok(()));
                    }
                    Ok(None) => self.lane.begin_head(),
                    Err(rejection) => {
                        self.refuse(rejection, cx, buf);
                        return Poll::Ready(Ok(()));
                    }
                }
            }
            if self.ended || ready!(self.poll_socket(cx, buf))? == 0 {
                return Poll::Ready(Ok(()));
            }
            if self.held.is_empty() {
                // The usual case: a head comes whole, into hyper's own buffer, and stays there.
                match self.head.read(buf.filled(), &self.limits) {
                    Ok(Some(whole)) => {
                        let taken = self.begin(&whole, buf.filled().len());
                        self.keep_back(taken, buf);
                        return Poll::Ready(Ok(()));
                    }
                    Ok(None) => {}
                    Err(rejection) => {
                        self.refuse(rejection, cx, buf);
                        return Poll::Ready(Ok(()));
                    }
                }
            }
            self.held.extend_from_slice(buf.filled());
            buf.clear();
        }
    }

    /// A head is whole: how many of the `available` bytes belong to its request.
    fn begin(&mut self, head: &Whole, available: usize) -> usize {
        self.head = Head::default();
        self.lane.begin(head.body == BodyLength::Chunked);
        match head.body {
            BodyLength::Known(length) => head.end + self.take_of_body(length, available - head.end),
            BodyLength::Chunked => {
                self.input = Input::Chunks;
                available
            }
        }
    }

    /// Of `available` bytes those that belong to a body of which `length` is to come.
    fn take_of_body(&mut self, length: u64, available: usize) -> usize {
        let taken = usize::try_from(length).unwrap_or(usize::MAX).min(available);
        let left = length - taken as u64;
        self.input = if left == 0 { Input::Answer } else { Input::Body(left) };
        taken
    }

    fn poll_body(&mut self, left: u64, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        if self.held.is_empty() {
            let count = ready!(self.poll_socket(cx, buf))?;
            let taken = self.take_of_body(left, count);
            self.keep_back(taken, buf);
        } else {
            self.granted = self.take_of_body(left, self.held.len());
            self.hand_on(buf);
        }
        Poll::Ready(Ok(()))
    }

    /// hyper looks whether the client is still there. A next request waits, and so does the end: a client may close its
    /// half and listen on.
    fn poll_end(&mut self, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let mut open = !self.ended && self.held.len() < AHEAD;
        while open && let Poll::Ready(count) = self.poll_socket(cx, buf)? {
            self.keep_back(0, buf);
            self.ended = count == 0;
            open = !self.ended && self.held.len() < AHEAD;
        }
        if !open {
            self.lane.end();
        }
        if !open || !self.held.is_empty() {
            // Nobody wakes hyper for what has come already.
            self.lane.park();
        }
        Poll::Pending
    }

    fn refuse(&mut self, rejection: Rejection, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) {
        self.lane.refuse(rejection);
        self.stand_in(cx, buf);
    }

    fn stand_in(&mut self, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) {
        self.tell_origin(cx, buf);
        self.lane.begin(true);
        self.input = Input::Refused;
        self.held = BytesMut::from(STAND_IN);
        self.granted = STAND_IN.len();
        buf.clear();
        self.hand_on(buf);
    }

    /// Finds the page that a refused head comes from, in what has come by now: a page of ours may read why. Nobody waits
    /// for the rest.
    fn tell_origin(&mut self, cx: &mut Context<'_>, buf: &ReadBuf<'_>) {
        if self.held.is_empty() {
            self.held.extend_from_slice(buf.filled());
        }
        let mut scratch = [0; 4096];
        while self.held.len() < AHEAD && !head::is_whole(&self.held) {
            let mut more = ReadBuf::new(&mut scratch);
            match self.poll_socket(cx, &mut more) {
                Poll::Ready(Ok(1..)) => self.held.extend_from_slice(more.filled()),
                _ => break,
            }
        }
        if let Some(origin) = head::origin(&self.held) {
            self.lane.tell_origin(origin);
        }
    }

    /// Whether the client may still be sending what nobody will read.
    fn is_cut_short(&self) -> bool {
        match self.input {
            Input::Head | Input::Answer => !self.held.is_empty(),
            Input::Body(_) | Input::Chunks | Input::Refused => true,
        }
    }

    /// Tells the lane when a write begins to wait, and when it is over.
    fn watch<T>(&mut self, written: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if written.is_pending() != self.stalled {
            self.stalled = written.is_pending();
            self.lane.stall(self.stalled);
        }
        written
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncRead for Wire<S> {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let wire = self.get_mut();
        if buf.remaining() == 0 {
            return Poll::Ready(Ok(()));
        }
        if wire.granted > 0 {
            wire.hand_on(buf);
            return Poll::Ready(Ok(()));
        }
        if matches!(wire.input, Input::Answer) && !wire.lane.is_answering() {
            wire.input = Input::Head;
        }
        match wire.input {
            Input::Head if wire.lane.is_refused() => {
                wire.stand_in(cx, buf);
                Poll::Ready(Ok(()))
            }
            Input::Head => wire.poll_head(cx, buf),
            Input::Body(left) => wire.poll_body(left, cx, buf),
            Input::Chunks => wire.poll_socket(cx, buf).map_ok(drop),
            Input::Answer => wire.poll_end(cx, buf),
            // The response is under way and closes the connection; there is nothing to read for anybody.
            Input::Refused => Poll::Pending,
        }
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Wire<S> {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        let wire = self.get_mut();
        let written = Pin::new(&mut wire.socket).poll_write(cx, buf);
        wire.watch(written)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let wire = self.get_mut();
        let written = Pin::new(&mut wire.socket).poll_write_vectored(cx, bufs);
        wire.watch(written)
    }

    fn is_write_vectored(&self) -> bool {
        self.socket.is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().socket).poll_flush(cx)
    }

    /// Closes. A client in the middle of a request that was refused is read from for a while yet, or it would find its
    /// connection reset before it has read why.
    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let wire = self.get_mut();
        ready!(Pin::new(&mut wire.socket).poll_shutdown(cx))?;
        if !wire.is_cut_short() {
            return Poll::Ready(Ok(()));
        }
        wire.lane.linger();
        let mut scratch = [0; 4096];
        while wire.patience > 0 {
            let count = ready!(wire.poll_socket(cx, &mut ReadBuf::new(&mut scratch)))?;
            if count == 0 {
                break;
            }
            wire.patience = wire.patience.saturating_sub(count);
        }
        Poll::Ready(Ok(()))
    }
}

impl<S> Drop for Wire<S> {
    fn drop(&mut self) {
        if self.lane.is_killed() {
            (self.forget_unread)(&self.socket);
        }
    }
}
