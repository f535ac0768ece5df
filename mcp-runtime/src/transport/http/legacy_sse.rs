//! HTTP+SSE, the transport of 2024-11-05: one event stream to the client, and a path for what the client says.

use std::{
    collections::HashMap,
    convert::Infallible,
    pin::Pin,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    task::{Context, Poll},
    time::{Duration, SystemTime},
};

use bytes::{Bytes, BytesMut};
use http::{HeaderMap, HeaderValue, Response, StatusCode, header, request::Parts};
use http_body::{Body, Frame};
use hyper::body::Incoming;
use tokio::time::{Instant, Sleep, sleep_until};

use super::{
    admission::Gate,
    body::{self, ReplyBody},
    headers::{accepts, expect_json},
    rejection::{Rejection, json},
    sse,
};
use crate::{
    limits::Limits,
    principal::{OwnerKey, Principal},
    protocol::jsonrpc,
    server::dispatch::{Caller, Dispatcher, Received},
    session::{Outbox, Overflow, Session},
};

/// The clients of this transport, and where their messages go.
pub(super) struct LegacySse {
    dispatcher: Arc<Dispatcher>,
    limits: Limits,
    /// The path of messages as clients see it.
    message_uri: String,
    clients: Arc<Clients>,
}

/// The clients with an open stream.
#[derive(Default)]
pub(crate) struct Clients(Mutex<Table>);

#[derive(Default)]
struct Table {
    open: HashMap<SessionId, Arc<Client>>,
    /// How many of them each principal has.
    of_owner: HashMap<OwnerKey, usize>,
    /// None is taken any more.
    closed: bool,
}

/// 128 bits that nobody guesses.
type SessionId = u128;

struct Client {
    session: Arc<Session>,
    /// The stream's credential stood in the query.
    by_query: bool,
    used: Mutex<Instant>,
    /// Messages whose answers are not queued yet.
    due: AtomicUsize,
    /// The stream ends with the last answer that is due.
    ending: AtomicBool,
}

impl LegacySse {
    pub(super) fn new(dispatcher: Arc<Dispatcher>, limits: Limits, message_uri: String) -> Self {
        Self { dispatcher, limits, message_uri, clients: Arc::default() }
    }

    pub(super) fn clients(&self) -> &Arc<Clients> {
        &self.clients
    }

    /// Opens a stream, and with it a session.
    ///
    /// It belongs to `principal`, and ends with that principal's credential. `credential` is the pair of the query that
    /// carried it, which the session's messages will carry, too.
    pub(super) fn open(
        &self,
        headers: &HeaderMap,
        principal: Option<&Principal>,
        credential: Option<&str>,
    ) -> Result<(Arc<Session>, Response<EventStream>), Rejection> {
        if !accepts(headers, "text", "event-stream") {
            return Err(Rejection::NotAcceptable);
        }
        let owner = principal.map(|principal| principal.owner().clone());
        let session = Session::new(Outbox::new(Overflow::Close, &self.limits), owner);
        let id = self.clients.add(&session, credential.is_some(), &self.limits)?;
        let place = Place { clients: Arc::clone(&self.clients), id, session: Arc::clone(&session) };
        let credential = credential.map(|pair| format!("&{pair}")).unwrap_or_default();
        let endpoint = sse::endpoint_event(&format!("{}?sessionId={id:032x}{credential}", self.message_uri));
        let ends = principal.and_then(Principal::expires_at).map(until);
        let mut response = Response::new(EventStream::new(place, endpoint, ends, &self.limits));
        for (name, value) in [
            (header::CONTENT_TYPE, "text/event-stream"),
            (header::CACHE_CONTROL, "no-cache, no-store, no-transform"),
            (header::HeaderName::from_static("x-accel-buffering"), "no"),
        ] {
            response.headers_mut().insert(name, HeaderValue::from_static(value));
        }
        Ok((session, response))
    }

    /// Takes one message. Its answer goes to the stream; what is no message is refused here.
    pub(super) async fn receive(
        &self,
        head: &Parts,
        body: Incoming,
        principal: Option<&Arc<Principal>>,
        gate: &Gate,
    ) -> Result<Response<ReplyBody>, Rejection> {
        if body::declares_too_much(&body, &self.limits) {
            return Err(Rejection::LargeBody);
        }
        expect_json(&head.headers)?;
        let id = session_id(head.uri.query().unwrap_or_default())?;
        let owner = principal.map(|principal| principal.owner());
        let own = |client: &Arc<Client>| client.session.belongs_to(owner);
        // To anybody else the session does not exist.
        let client = id.and_then(|id| self.clients.find(id)).filter(own).ok_or(Rejection::UnknownSession)?;
        let message = body::read(body, &self.limits).await?;
        let forbid = |scopes: &[&str], answer| match principal {
            Some(principal) => gate.forbid(scopes, principal, head.uri.path(), answer),
            None => json(StatusCode::FORBIDDEN, answer),
        };
        Ok(self.dispatch(&client, principal, &message, forbid))
    }

    /// Whether what is posted there may carry its credential in the query, as its stream did.
    pub(super) fn takes_credential_by_query(&self, head: &Parts) -> bool {
        let id = session_id(head.uri.query().unwrap_or_default()).ok().flatten();
        id.and_then(|id| self.clients.find(id)).is_some_and(|client| client.by_query)
    }

    fn dispatch(
        &self,
        client: &Arc<Client>,
        principal: Option<&Arc<Principal>>,
        message: &[u8],
        forbid: impl FnOnce(&[&str], Vec<u8>) -> Response<ReplyBody>,
    ) -> Response<ReplyBody> {
        client.touch();
        let due = Due::new(client);
        let mut answer = Vec::new();
        let caller = Caller { session: &client.session, principal };
        match self.dispatcher.receive(caller, message, &mut answer) {
            Received::Answered => due.deliver(answer),
            Received::Accepted => {}
            Received::Pending(call) => {
                tokio::spawn(async move {
                    if let Some(answer) = call.await {
                        due.deliver(answer);
                    }
                });
            }
            Received::Forbidden(scopes) => return forbid(scopes, answer),
            Received::Refused => return json(StatusCode::BAD_REQUEST, answer),
            Received::Busy => return Rejection::TooManyRequests.with_body(answer),
        }
        let mut accepted = Response::new(ReplyBody::default());
        *accepted.status_mut() = StatusCode::ACCEPTED;
        accepted
    }
}

/// A time of day as one of the clock that timers go by; the far future stays within its range.
fn until(time: SystemTime) -> Instant {
    const FAR: Duration = Duration::from_secs(30 * 365 * 24 * 60 * 60);
    Instant::now() + time.duration_since(SystemTime::now()).unwrap_or_default().min(FAR)
}

/// The one `sessionId` of a query; none where it cannot be one of ours.
fn session_id(query: &str) -> Result<Option<SessionId>, Rejection> {
    let mut ids = query.split('&').filter_map(|pair| match pair.split_once('=') {
        Some(("sessionId", id)) => Some(id),
        _ => None,
    });
    let (Some(id), None) = (ids.next(), ids.next()) else {
        return Err(Rejection::NoSessionId);
    };
    if id.is_empty() {
        return Err(Rejection::NoSessionId);
    }
    let ours = id.len() == 32 && id.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    Ok(SessionId::from_str_radix(id, 16).ok().filter(|_| ours))
}

impl Clients {
    fn add(&self, session: &Arc<Session>, by_query: bool, limits: &Limits) -> Result<SessionId, Rejection> {
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes).map_err(|error| {
            tracing::error!(%error, "no random numbers for a session's id");
            Rejection::NoRandomness
        })?;
        let id = SessionId::from_ne_bytes(bytes);
        let client = Client {
            session: Arc::clone(session),
            by_query,
            used: Mutex::new(Instant::now()),
            due: AtomicUsize::new(0),
            ending: AtomicBool::new(false),
        };
        let least = |a: Option<usize>, b: Option<usize>| a.unwrap_or(usize::MAX).min(b.unwrap_or(usize::MAX));
        let most = least(limits.max_streams, limits.max_sessions);
        let most_of_one = least(limits.max_streams_per_principal, limits.max_sessions_per_principal);
        let mut table = self.lock();
        if table.closed {
            return Err(Rejection::Stopping);
        }
        if let Some(owner) = session.owner()
            && table.of_owner.get(owner).is_some_and(|open| *open >= most_of_one)
        {
            return Err(Rejection::TooManyOwnStreams);
        }
        if table.open.len() >= most && !table.make_room() {
            return Err(Rejection::TooManyStreams);
        }
        if let Some(owner) = session.owner() {
            *table.of_owner.entry(owner.clone()).or_default() += 1;
        }
        table.open.insert(id, Arc::new(client));
        Ok(id)
    }

    fn find(&self, id: SessionId) -> Option<Arc<Client>> {
        self.lock().open.get(&id).cloned()
    }

    fn remove(&self, id: SessionId) {
        let mut table = self.lock();
        table.remove(id);
        if table.open.len() * 4 < table.open.capacity() {
            table.open.shrink_to_fit();
        }
    }

    /// How many there are.
    pub(crate) fn count(&self) -> usize {
        self.lock().open.len()
    }

    /// Takes no client any more, and ends each stream once nothing is due on it.
    pub(super) fn close(&self) {
        let mut table = self.lock();
        table.closed = true;
        for client in table.open.values() {
            client.ending.store(true, Ordering::SeqCst);
            client.end_if_done();
        }
    }

    fn lock(&self) -> MutexGuard<'_, Table> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Table {
    /// Ends the session that was used least recently of those that are idle, so that whoever only opens streams locks
    /// nobody out; false where all are in use, or were a moment ago.
    fn make_room(&mut self) -> bool {
        const TIME_TO_GO_ON: Duration = Duration::from_secs(10);
        let idle = self.open.iter().map(|(id, client)| (*id, client, client.used())).filter(|(_, client, used)| {
            let busy = client.session.calls_under_way() > 0 || client.due.load(Ordering::SeqCst) > 0;
            !busy && used.elapsed() >= TIME_TO_GO_ON
        });
        let Some((id, ..)) = idle.min_by_key(|(_, _, used)| *used) else { return false };
        if let Some(client) = self.remove(id) {
            client.session.close();
        }
        true
    }

    fn remove(&mut self, id: SessionId) -> Option<Arc<Client>> {
        let client = self.open.remove(&id)?;
        if let Some(owner) = client.session.owner()
            && let Some(open) = self.of_owner.get_mut(owner)
        {
            *open -= 1;
            if *open == 0 {
                self.of_owner.remove(owner);
            }
        }
        Some(client)
    }
}

impl Client {
    /// When the last message came, or the stream was opened.
    fn used(&self) -> Instant {
        *self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn touch(&self) {
        *self.used.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
    }

    fn end_if_done(&self) {
        if self.ending.load(Ordering::SeqCst) && self.due.load(Ordering::SeqCst) == 0 {
            self.session.outbox.close();
        }
    }
}

/// A message that was taken, until its answer is queued or there is none.
struct Due(Arc<Client>);

impl Due {
    fn new(client: &Arc<Client>) -> Self {
        client.due.fetch_add(1, Ordering::SeqCst);
        Self(Arc::clone(client))
    }

    fn deliver(&self, answer: Vec<u8>) {
        // A stream that has ended takes nothing; there is nobody else to tell.
        drop(self.0.session.outbox.push(answer));
    }
}

impl Drop for Due {
    fn drop(&mut self) {
        self.0.due.fetch_sub(1, Ordering::SeqCst);
        self.0.end_if_done();
    }
}

/// A client's place among the others, until its stream is dropped: with the stream the session ends.
struct Place {
    clients: Arc<Clients>,
    id: SessionId,
    session: Arc<Session>,
}

impl Drop for Place {
    fn drop(&mut self) {
        self.clients.remove(self.id);
        self.session.close();
    }
}

/// The body of a stream: it reads the session's queue itself, without a task or a channel of its own.
pub(super) struct EventStream {
    place: Place,
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
}

impl EventStream {
    /// Messages up to this size are copied together, larger ones go out as they are.
    const SMALL: usize = 16 * 1024;

    fn new(place: Place, endpoint: Bytes, ends: Option<Instant>, limits: &Limits) -> Self {
        let now = Instant::now();
        Self {
            place,
            next: [endpoint, Bytes::new(), Bytes::new()],
            keep_alive: limits.keep_alive,
            spoke: now,
            ends,
            unused: limits.session_unused.and_then(|time| now.checked_add(time)),
            clock: Box::pin(sleep_until(now)),
        }
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
            match self.place.session.outbox.take() {
                Some(another) => message = another,
                None => break,
            }
        }
        self.next[0] = events.freeze();
    }

    /// Waits for the next tick; gives what is to be said then, or nothing more where the stream is to end.
    fn poll_clock(&mut self, cx: &mut Context<'_>) -> Poll<Option<Bytes>> {
        loop {
            if self.unused.is_some() && self.place.session.agreed().is_some() {
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
            match stream.place.session.outbox.poll_next(cx) {
                Poll::Ready(Some(message)) => stream.gather(message),
                Poll::Ready(None) => return Poll::Ready(None),
                Poll::Pending => match stream.poll_clock(cx) {
                    Poll::Ready(Some(comment)) => stream.next[0] = comment,
                    Poll::Ready(None) => {
                        stream.place.session.close();
                        return Poll::Ready(None);
                    }
                    Poll::Pending => return Poll::Pending,
                },
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{Clients, session_id};
    use crate::{
        limits::Limits,
        session::{Outbox, Overflow, Session},
    };

    #[tokio::test(start_paused = true)]
    async fn streams_that_only_wait_make_room_after_their_time() {
        let limits = Limits { max_streams: Some(2), ..Limits::default() };
        let clients = Clients::default();
        let open = || {
            let session = Session::new(Outbox::new(Overflow::Close, &limits), None);
            clients.add(&session, false, &limits).map(|_| session)
        };
        let oldest = open().unwrap();
        tokio::time::advance(Duration::from_secs(9)).await;
        let younger = open().unwrap();
        assert_eq!(open().err().unwrap().status(), 503);
        tokio::time::advance(Duration::from_secs(1)).await;
        open().unwrap();
        assert!(oldest.outbox.push(Vec::new()).is_err());
        younger.outbox.push(Vec::new()).unwrap();
        assert_eq!(open().err().unwrap().status(), 503);
        assert_eq!(clients.count(), 2);
    }

    #[test]
    fn a_query_has_one_session_id() {
        let id = "00000000000000000000000000000abc";
        let check = |query: &str, expected: Result<Option<u128>, u16>| {
            assert_eq!(session_id(query).map_err(|rejection| rejection.status().as_u16()), expected, "{query}");
        };
        check(&format!("sessionId={id}"), Ok(Some(0xabc)));
        check(&format!("a=b&sessionId={id}&c"), Ok(Some(0xabc)));
        check("sessionId=abc", Ok(None));
        check(&format!("sessionId={}", id.to_uppercase()), Ok(None));
        check("sessionId=+0000000000000000000000000000abc", Ok(None));
        for missing in ["", "sessionid=1", "sessionId", "sessionId=", "x=sessionId=1"] {
            check(missing, Err(400));
        }
        check(&format!("sessionId={id}&sessionId={id}"), Err(400));
    }
}
