//! The body of an event stream: it reads a queue itself, without a task or a channel of its own.

use std::{
    convert::Infallible,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::{Duration, SystemTime},
};

use bytes::{Bytes, BytesMut};
use http::{HeaderValue, Response, header};
use http_body::{Body, Frame};
use tokio::{
    task::JoinHandle,
    time::{Instant, Sleep, sleep_until},
};

use super::{sessions::Due, sse, streams::StreamPlace};
use crate::{
    limits::Limits,
    principal::Principal,
    protocol::jsonrpc,
    server::dispatch::Outcome,
    session::{Outbox, Session},
};

/// A stream of messages to one client.
pub(super) struct EventStream {
    queue: Queue,
    /// The call whose answer ends the stream.
    call: Option<JoinHandle<Option<Outcome>>>,
    /// That answer, once it is there; it follows what was said before it.
    answer: Option<Vec<u8>>,
    /// Nothing follows what is in `next`.
    done: bool,
    /// What goes out before the queue is looked at again.
    next: [Bytes; 3],
    keep_alive: Option<Duration>,
    /// When something was sent last.
    spoke: Instant,
    /// When the session ends unless it was initialized.
    unused: Option<Instant>,
    /// When the credential that opened it expires.
    ends: Option<Instant>,
    clock: Pin<Box<Sleep>>,
    /// What ends with the stream.
    _held: Vec<Box<dyn Held>>,
}

/// What the stream reads.
pub(super) enum Queue {
    /// What a session has to say by itself.
    OfSession(Arc<Session>),
    /// What one call has to say.
    OfReply(Arc<Outbox>),
}

/// What ends with a stream: dropping it is all that is done with it.
pub(super) trait Held: Send {}

impl Held for Due {}
impl Held for StreamPlace {}

impl EventStream {
    /// Messages up to this size are copied together, larger ones go out as they are.
    const SMALL: usize = 16 * 1024;

    pub(super) fn new(queue: Queue, held: Vec<Box<dyn Held>>, limits: &Limits) -> Self {
        let now = Instant::now();
        Self {
            queue,
            call: None,
            answer: None,
            done: false,
            next: Default::default(),
            keep_alive: limits.keep_alive,
            spoke: now,
            ends: None,
            unused: None,
            clock: Box::pin(sleep_until(now)),
            _held: held,
        }
    }

    /// Says this before anything else.
    pub(super) fn beginning(mut self, event: Bytes) -> Self {
        self.next[0] = event;
        self
    }

    /// Says this message before what is queued.
    pub(super) fn continuing(mut self, message: Vec<u8>) -> Self {
        self.gather(message);
        self
    }

    /// Ends with the answer of that call.
    pub(super) fn until_done(mut self, call: JoinHandle<Option<Outcome>>) -> Self {
        self.call = Some(call);
        self
    }

    /// Ends with that answer, or without one.
    pub(super) fn until_said(mut self, answer: Option<Vec<u8>>) -> Self {
        self.done = answer.is_none();
        self.answer = answer;
        self
    }

    /// Ends unless the session has a version by then.
    pub(super) fn unless_used(mut self, limits: &Limits) -> Self {
        self.unused = limits.session_unused.and_then(|time| self.spoke.checked_add(time));
        self
    }

    /// Ends with the credential of whoever opened it.
    pub(super) fn while_valid(mut self, principal: Option<&Principal>) -> Self {
        self.ends = principal.and_then(Principal::expires_at).map(until);
        self
    }

    pub(super) fn response(self) -> Response<Self> {
        let mut response = Response::new(self);
        for (name, value) in [
            (header::CONTENT_TYPE, "text/event-stream"),
            (header::CACHE_CONTROL, "no-cache, no-store, no-transform"),
            (header::HeaderName::from_static("x-accel-buffering"), "no"),
        ] {
            response.headers_mut().insert(name, HeaderValue::from_static(value));
        }
        response
    }

    /// Puts a queued message on its way, and those behind it as long as they are small.
    fn gather(&mut self, mut message: Vec<u8>) {
        let mut events = BytesMut::new();
        loop {
            jsonrpc::flatten(&mut message, 0);
            if message.len() > Self::SMALL {
                events.extend_from_slice(sse::MESSAGE);
                self.next = [events.freeze(), message.into(), Bytes::from_static(sse::END)];
                return;
            }
            sse::write_message(&mut events, &message);
            if events.len() > Self::SMALL {
                break;
            }
            match self.queue.outbox().take() {
                Some(another) => message = another,
                None => break,
            }
        }
        self.next[0] = events.freeze();
    }

    /// Looks whether the call is over; its answer then follows what it said before.
    fn poll_call(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let Some(call) = &mut self.call else { return Poll::Pending };
        let Poll::Ready(outcome) = Pin::new(call).poll(cx) else { return Poll::Pending };
        self.call = None;
        self.answer = outcome.ok().flatten().map(|outcome| outcome.answer);
        self.done = self.answer.is_none();
        Poll::Ready(())
    }

    /// Waits for the next tick; gives what is to be said then, or nothing more where the stream is to end.
    fn poll_clock(&mut self, cx: &mut Context<'_>) -> Poll<Option<Bytes>> {
        loop {
            if self.unused.is_some() && self.queue.is_agreed() {
                self.unused = None;
            }
            let keep_alive = self.keep_alive.and_then(|time| self.spoke.checked_add(time));
            let Some(tick) = [keep_alive, self.unused, self.ends].into_iter().flatten().min() else {
                return Poll::Pending;
            };
            let now = Instant::now();
            if [self.unused, self.ends].into_iter().flatten().any(|end| now >= end) {
                return Poll::Ready(None);
            }
            if keep_alive.is_some_and(|keep_alive| now >= keep_alive) {
                return Poll::Ready(Some(sse::KEEP_ALIVE));
            }
            // A clock that rings too early is set anew then: cheaper than with every message.
            if self.clock.deadline() > tick || self.clock.is_elapsed() || self.clock.deadline() <= now {
                self.clock.as_mut().reset(tick);
            }
            if self.clock.as_mut().poll(cx).is_pending() {
                return Poll::Pending;
            }
        }
    }
}

impl Queue {
    pub(super) fn outbox(&self) -> &Outbox {
        match self {
            Self::OfSession(session) => &session.outbox,
            Self::OfReply(outbox) => outbox,
        }
    }

    fn is_agreed(&self) -> bool {
        match self {
            Self::OfSession(session) => session.agreed().is_some(),
            Self::OfReply(_) => true,
        }
    }
}

impl Body for EventStream {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let stream = self.get_mut();
        loop {
            if let Some(bytes) = stream.next.iter_mut().find(|bytes| !bytes.is_empty()) {
                stream.spoke = Instant::now();
                return Poll::Ready(Some(Ok(Frame::data(std::mem::take(bytes)))));
            }
            if stream.answer.is_some() || stream.done {
                match (stream.queue.outbox().take(), stream.answer.take()) {
                    (Some(message), answer) => {
                        stream.answer = answer;
                        stream.gather(message);
                    }
                    (None, Some(answer)) => {
                        stream.done = true;
                        stream.gather(answer);
                    }
                    (None, None) => return Poll::Ready(None),
                }
                continue;
            }
            match stream.queue.outbox().poll_next(cx) {
                Poll::Ready(Some(message)) => stream.gather(message),
                Poll::Ready(None) => return Poll::Ready(None),
                Poll::Pending => {
                    if stream.poll_call(cx).is_ready() {
                        continue;
                    }
                    match stream.poll_clock(cx) {
                        Poll::Ready(Some(comment)) => stream.next[0] = comment,
                        Poll::Ready(None) => return Poll::Ready(None),
                        Poll::Pending => return Poll::Pending,
                    }
                }
            }
        }
    }
}

/// A time of day as one of the clock that timers go by; the far future stays within its range.
fn until(time: SystemTime) -> Instant {
    const FAR: Duration = Duration::from_secs(30 * 365 * 24 * 60 * 60);
    Instant::now() + time.duration_since(SystemTime::now()).unwrap_or_default().min(FAR)
}
