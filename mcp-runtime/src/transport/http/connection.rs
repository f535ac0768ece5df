//! One connection: hyper driven under the clocks that hyper lacks, and cut when a clock runs out.

use std::{
    future::Future,
    pin::{Pin, pin},
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
    task::{Context, Poll},
    time::Duration,
};

use http::{HeaderValue, Request};
use hyper::{body::Incoming, server::conn::http1};
use hyper_util::rt::TokioIo;
use tokio::{
    io::{AsyncRead, AsyncWrite},
    time::{Instant, Sleep, sleep_until},
};

use super::{
    body::RequestBody,
    doors::Doors,
    head::HeadLimits,
    rejection::Rejection,
    relay::Relay,
    stop::{Stage, Stop},
    wire::Wire,
};
use crate::{
    auth::LastCredential,
    limits::Limits,
    session::{Outbox, Session, outbox::Ticket},
};

/// Serves one connection until it ends; `_place` is given back then. `forget_unread` is called before a socket is closed
/// whose client does not read.
pub(super) async fn serve<S: AsyncRead + AsyncWrite + Unpin>(
    socket: S,
    forget_unread: fn(&S),
    doors: Arc<Doors>,
    stop: Arc<Stop>,
    relay: Option<Arc<Relay>>,
    _place: impl Send,
) {
    let limits = doors.limits();
    let http = http(limits);
    let clocks = Clocks { idle: limits.idle_connection, head: limits.header_read, stalled: limits.stalled_write };
    let head_limits = HeadLimits::new(limits);
    let lane = Arc::new(Lane::default());
    let wire = Wire::new(socket, forget_unread, Arc::clone(&lane), head_limits);
    let service = {
        let lane = Arc::clone(&lane);
        // Boxed: hyper keeps room for it as long as the connection lives, and a stream lives long.
        hyper::service::service_fn(move |request: Request<Incoming>| {
            let (head, body) = request.into_parts();
            Box::pin(Arc::clone(&doors).answer(Arc::clone(&lane), head, RequestBody::Wire(body)))
        })
    };
    let mut connection = pin!(http.serve_connection(TokioIo::new(wire), service));
    let mut clock = pin!(sleep_until(Instant::now()));
    let mut stopping = pin!(stop.end_of(Stage::Serving));
    let mut seen = None;
    std::future::poll_fn(|cx| {
        if let Some(relay) = &relay {
            relay.request();
        }
        loop {
            let stage = stop.stage();
            if seen != Some(stage) {
                seen = Some(stage);
                // Registered once a stage, not with every poll: the lock behind it is shared by all connections.
                stopping.set(stop.end_of(stage));
                let _ = stopping.as_mut().poll(cx);
                match stage {
                    Stage::Serving => {}
                    Stage::Draining => connection.as_mut().graceful_shutdown(),
                    Stage::Cut => return Poll::Ready(()),
                }
                continue;
            }
            if connection.as_mut().poll(cx).is_ready() {
                return Poll::Ready(());
            }
            match lane.next(&clocks, cx) {
                Next::Read => continue,
                Next::Cut => return Poll::Ready(()),
                Next::Wait(None) => return Poll::Pending,
                Next::Wait(Some(deadline)) => {
                    if !passes(clock.as_mut(), deadline, cx) {
                        return Poll::Pending;
                    }
                    match lane.expire() {
                        Expired::Cut => return Poll::Ready(()),
                        Expired::Refused => continue,
                    }
                }
            }
        }
    })
    .await;
}

/// hyper's own limits lie beyond ours: what is over ours is refused with a body.
fn http(limits: &Limits) -> http1::Builder {
    /// Queued for writing at most, and set aside for reading at most unless heads may be larger.
    const BUFFER: usize = 64 * 1024;
    let mut http = http1::Builder::new();
    http.max_buf_size(HeadLimits::new(limits).whole().max(BUFFER)).header_read_timeout(None);
    // Up to a hundred headers hyper parses without allocating.
    match limits.max_headers {
        Some(..=100) => {}
        Some(most) => drop(http.max_headers(most)),
        None => drop(http.max_headers(4096)),
    }
    http
}

/// Whether the deadline is over; where it is not, the task is woken when it will be.
fn passes(mut clock: Pin<&mut Sleep>, deadline: Instant, cx: &mut Context<'_>) -> bool {
    // A clock that rings too early is set anew when it rings: cheaper than with every request.
    if clock.deadline() > deadline {
        clock.as_mut().reset(deadline);
    }
    while clock.as_mut().poll(cx).is_ready() {
        if Instant::now() >= deadline {
            return true;
        }
        clock.as_mut().reset(deadline);
    }
    false
}

/// How long a connection may be in each state.
struct Clocks {
    idle: Option<Duration>,
    head: Option<Duration>,
    stalled: Option<Duration>,
}

/// How long a client that was refused may go on sending.
const LINGER: Duration = Duration::from_secs(2);

/// What the parts of one connection know of each other. All of them run in one task, so nobody waits for a lock.
pub(super) struct Lane {
    state: Mutex<State>,
    credential: LastCredential,
}

struct State {
    phase: Phase,
    /// Since when a write waits.
    stalled: Option<Instant>,
    /// The head that hyper sees stands in for one that was refused.
    refusal: Option<Rejection>,
    /// The page that it came from.
    origin: Option<Box<HeaderValue>>,
    /// The next response is the last.
    last: bool,
    /// A next request has come, and waits.
    parked: bool,
    /// Nothing more is read from the client until its answer is over.
    ended: bool,
    killed: bool,
    /// Whose event stream this connection carries.
    carried: Option<Carried>,
}

/// What a connection carries to its client, who must not go away unnoticed.
pub(super) enum Carried {
    /// What a session has to say by itself.
    Session(Weak<Session>, Option<Ticket>),
    /// What one call has to say.
    Queue(Weak<Outbox>, Option<Ticket>),
}

impl Carried {
    /// Whether there is still something to carry; ready once its reader was too slow.
    fn poll_overflow(&self, cx: &mut Context<'_>) -> Option<Poll<()>> {
        match self {
            Self::Session(session, ticket) => {
                session.upgrade().map(|session| session.outbox.poll_overflow(*ticket, cx))
            }
            Self::Queue(queue, ticket) => queue.upgrade().map(|queue| queue.poll_overflow(*ticket, cx)),
        }
    }
}

#[derive(Clone, Copy)]
enum Phase {
    /// Between requests.
    Idle(Instant),
    /// In a request's head.
    Head(Instant),
    /// From the end of a head to the end of its response.
    Answering,
    /// Closed, and read from a while yet.
    Lingering(Instant),
}

enum Next {
    /// There is something to read that nobody will wake for.
    Read,
    Cut,
    Wait(Option<Instant>),
}

enum Expired {
    Cut,
    Refused,
}

impl Default for Lane {
    fn default() -> Self {
        let state = State {
            phase: Phase::Idle(Instant::now()),
            stalled: None,
            refusal: None,
            origin: None,
            last: false,
            parked: false,
            ended: false,
            killed: false,
            carried: None,
        };
        Self { state: Mutex::new(state), credential: LastCredential::default() }
    }
}

impl Lane {
    /// The first bytes of a head are there.
    pub(super) fn begin_head(&self) {
        let mut state = self.lock();
        if let Phase::Idle(_) = state.phase {
            state.phase = Phase::Head(Instant::now());
        }
    }

    /// A head is whole; `last` where no request may follow it.
    pub(super) fn begin(&self, last: bool) {
        let mut state = self.lock();
        state.phase = Phase::Answering;
        state.last |= last;
    }

    /// The response is over.
    fn answered(&self) {
        let mut state = self.lock();
        state.phase = Phase::Idle(Instant::now());
        state.ended = false;
        state.carried = None;
    }

    pub(super) fn is_answering(&self) -> bool {
        matches!(self.lock().phase, Phase::Answering)
    }

    pub(super) fn is_last(&self) -> bool {
        self.lock().last
    }

    pub(super) fn refuse(&self, rejection: Rejection) {
        self.lock().refusal = Some(rejection);
    }

    pub(super) fn is_refused(&self) -> bool {
        self.lock().refusal.is_some()
    }

    pub(super) fn refusal(&self) -> Option<Rejection> {
        self.lock().refusal
    }

    /// Which page a refused head comes from.
    pub(super) fn tell_origin(&self, origin: HeaderValue) {
        self.lock().origin = Some(Box::new(origin));
    }

    pub(super) fn take_origin(&self) -> Option<HeaderValue> {
        self.lock().origin.take().map(|origin| *origin)
    }

    /// A next request is there before its time.
    pub(super) fn park(&self) {
        self.lock().parked = true;
    }

    /// The client has closed its half of the connection, or sends more than is read ahead.
    pub(super) fn end(&self) {
        self.lock().ended = true;
    }

    pub(super) fn stall(&self, stalled: bool) {
        self.lock().stalled = stalled.then(Instant::now);
    }

    pub(super) fn linger(&self) {
        let mut state = self.lock();
        if !matches!(state.phase, Phase::Lingering(_)) {
            state.phase = Phase::Lingering(Instant::now());
        }
    }

    pub(super) fn is_killed(&self) -> bool {
        self.lock().killed
    }

    /// From now on the connection ends when the queue that it carries overflows, even while a write is stuck, and when
    /// the client closes its half.
    pub(super) fn carry(&self, carried: Carried) {
        self.lock().carried = Some(carried);
    }

    /// The credential that was admitted last.
    pub(super) fn credential(&self) -> &LastCredential {
        &self.credential
    }

    fn next(&self, clocks: &Clocks, cx: &mut Context<'_>) -> Next {
        let mut state = self.lock();
        if state.parked && !matches!(state.phase, Phase::Answering) {
            state.parked = false;
            return Next::Read;
        }
        if (state.ended || state.stalled.is_some())
            && let Some(overflow) = state.carried.as_ref().and_then(|carried| carried.poll_overflow(cx))
        {
            // Whoever opened a stream and closes its half has gone; the end of another could not be seen any more.
            if state.ended {
                return Next::Cut;
            }
            if overflow.is_ready() {
                state.killed = true;
                return Next::Cut;
            }
        }
        let stalled = deadline(state.stalled, clocks.stalled);
        let phase = match state.phase {
            Phase::Idle(since) => deadline(Some(since), clocks.idle),
            Phase::Head(since) => deadline(Some(since), clocks.head),
            Phase::Answering => None,
            Phase::Lingering(since) => deadline(Some(since), Some(LINGER)),
        };
        Next::Wait(match (stalled, phase) {
            (Some(stalled), Some(phase)) => Some(stalled.min(phase)),
            (stalled, phase) => stalled.or(phase),
        })
    }

    fn expire(&self) -> Expired {
        let mut state = self.lock();
        if matches!(state.phase, Phase::Head(_)) && state.stalled.is_none() {
            state.refusal = Some(Rejection::SlowHead);
            return Expired::Refused;
        }
        state.killed = state.stalled.is_some();
        Expired::Cut
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn deadline(since: Option<Instant>, most: Option<Duration>) -> Option<Instant> {
    since?.checked_add(most?)
}

/// A request that is being answered, until this is dropped.
pub(super) struct Answering(Arc<Lane>);

impl Answering {
    pub(super) fn new(lane: Arc<Lane>) -> Self {
        Self(lane)
    }
}

impl Drop for Answering {
    fn drop(&mut self) {
        self.0.answered();
    }
}
