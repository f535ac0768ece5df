//! The body of an event stream: it reads a queue itself, without a task or a channel of its own.

use std::{
    convert::Infallible,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
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
    session::{
        Outbox, Session,
        outbox::{Live, Next, Ticket},
        replay::{Event, EventId, Trail},
    },
};

/// A stream of messages to one client.
pub(super) struct EventStream {
    queue: Queue,
    /// Which reader of the queue it is, where there are others before and after it.
    ticket: Option<Ticket>,
    /// Where its events are kept, where it can be resumed.
    trail: Option<Following>,
    /// The call whose answer ends the stream.
    call: Option<JoinHandle<Option<Outcome>>>,
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

/// A trail that a stream follows.
pub(super) struct Following {
    pub(super) trail: Trail,
    /// The number that its client has read, until it has caught up.
    pub(super) read: Option<u64>,
    /// Whether the client understands that it is to come back.
    pub(super) polls: bool,
}

/// A message on its way, with its name where it has one.
struct Said {
    id: Option<EventId>,
    message: Text,
}

enum Text {
    Own(Vec<u8>),
    Kept(Bytes),
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
            ticket: None,
            trail: None,
            call: None,
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

    /// Reads as the one that has that ticket, and keeps what it reads where there is a trail.
    pub(super) fn following(mut self, ticket: Ticket, trail: Option<Following>) -> Self {
        self.ticket = Some(ticket);
        self.trail = trail;
        self
    }

    /// Ends with the answer of that call.
    pub(super) fn until_done(mut self, call: JoinHandle<Option<Outcome>>) -> Self {
        self.call = Some(call);
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

    /// The next thing to say; none where nothing follows.
    fn poll_said(&mut self, cx: &mut Context<'_>) -> Poll<Option<Said>> {
        let (Some(ticket), Some(following)) = (self.ticket, &mut self.trail) else {
            return self.queue.outbox().poll_next(cx).map(|message| message.map(Said::from));
        };
        let outbox = self.queue.outbox();
        loop {
            let next = match following.read {
                None => ready!(outbox.poll_event(ticket, cx)),
                Some(number) => match outbox.go_live(ticket, number) {
                    Live::Now => {
                        following.read = None;
                        continue;
                    }
                    Live::Behind => match following.trail.first_after(number) {
                        Some(event) => {
                            following.read = Some(event.id.number());
                            Next::Said(event)
                        }
                        // It was too old just now.
                        None => continue,
                    },
                    Live::Over => Next::Over,
                    Live::HungUp => Next::HungUp,
                },
            };
            return Poll::Ready(match next {
                Next::Said(event) => Some(event.into()),
                Next::Over => None,
                Next::HungUp => {
                    self.done = true;
                    if following.polls {
                        self.next[0] = sse::RETRY;
                    }
                    None
                }
            });
        }
    }

    /// What is there to say without waiting.
    fn said_already(&mut self, cx: &mut Context<'_>) -> Option<Said> {
        if self.trail.is_none() {
            return self.queue.outbox().take().map(Said::from);
        }
        match self.poll_said(cx) {
            Poll::Ready(said) => {
                self.done = said.is_none();
                said
            }
            Poll::Pending => None,
        }
    }

    /// Puts a message on its way, and those behind it as long as they are small.
    fn gather(&mut self, mut said: Said, cx: &mut Context<'_>) {
        let mut events = BytesMut::new();
        loop {
            if let Some(id) = said.id {
                sse::write_id(&mut events, id);
            }
            if let Text::Own(message) = &mut said.message {
                jsonrpc::flatten(message, 0);
            }
            if said.message.bytes().len() > Self::SMALL {
                events.extend_from_slice(sse::MESSAGE);
                self.next = [events.freeze(), said.message.into_bytes(), Bytes::from_static(sse::END)];
                return;
            }
            sse::write_message(&mut events, said.message.bytes());
            if events.len() > Self::SMALL {
                break;
            }
            match self.said_already(cx) {
                Some(another) => said = another,
                None => break,
            }
        }
        // What stands there comes after these.
        let last = std::mem::take(&mut self.next[0]);
        self.next = [events.freeze(), last, Bytes::new()];
    }

    /// Looks whether the call is over; its answer then follows what it said before.
    fn poll_call(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let Some(call) = &mut self.call else { return Poll::Pending };
        let Poll::Ready(outcome) = Pin::new(call).poll(cx) else { return Poll::Pending };
        self.call = None;
        self.queue.outbox().finish(outcome.ok().flatten().map(|outcome| outcome.answer));
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
            if stream.done {
                return Poll::Ready(None);
            }
            match stream.poll_said(cx) {
                Poll::Ready(Some(said)) => stream.gather(said, cx),
                Poll::Ready(None) => stream.done = true,
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

impl Drop for EventStream {
    fn drop(&mut self) {
        if let Some(ticket) = self.ticket {
            self.queue.outbox().detach(ticket);
        }
    }
}

impl From<Vec<u8>> for Said {
    fn from(message: Vec<u8>) -> Self {
        Self { id: None, message: Text::Own(message) }
    }
}

impl From<Event> for Said {
    fn from(event: Event) -> Self {
        Self { id: Some(event.id), message: Text::Kept(event.message) }
    }
}

impl Text {
    fn bytes(&self) -> &[u8] {
        match self {
            Self::Own(bytes) => bytes,
            Self::Kept(bytes) => bytes,
        }
    }

    fn into_bytes(self) -> Bytes {
        match self {
            Self::Own(bytes) => bytes.into(),
            Self::Kept(bytes) => bytes,
        }
    }
}

/// A time of day as one of the clock that timers go by; the far future stays within its range.
fn until(time: SystemTime) -> Instant {
    const FAR: Duration = Duration::from_secs(30 * 365 * 24 * 60 * 60);
    Instant::now() + time.duration_since(SystemTime::now()).unwrap_or_default().min(FAR)
}
