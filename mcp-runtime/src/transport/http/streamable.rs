//! Streamable HTTP: one path for every message, each answered where it came; the 2025 versions with sessions, 2026-07-28
//! without.

use std::{
    future::poll_fn,
    pin::Pin,
    sync::{Arc, OnceLock},
    task::{Context, Poll},
};

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Method, Response, StatusCode, request::Parts};
use tokio::task::{JoinError, JoinHandle};

use super::{
    McpEndpoint,
    admission::Gate,
    body::{self, ReplyBody, RequestBody},
    connection::{Carried, Lane},
    event_stream::{EventStream, Following, Held, Queue},
    headers::{Accepted, expect_json, one_line},
    rejection::{Rejection, json, json_of},
    sessions::{Client, Door, Due, SessionId, Sessions},
    sse::{KEEP_ALIVE, priming_event},
    streams::{StreamPlace, Streams},
};
use crate::{
    limits::Limits,
    principal::Principal,
    protocol::ProtocolVersion,
    server::{
        dispatch::{Caller, Dispatcher, Fault, Outcome, Pending, Received},
        list::Page,
        message::{Belongs, Binding, Message},
        mirrored::Line,
    },
    session::{
        Outbox, Overflow, Reply, Session,
        replay::{EventId, Found, Speaker, Trail},
    },
};

/// The header that names a session.
const SESSION_ID: HeaderName = HeaderName::from_static("mcp-session-id");

/// The header that names the event which a client read last.
const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");

/// No id of a session or an event is longer, whoever gave it.
const MAX_ID_BYTES: usize = 128;

/// The endpoint of Streamable HTTP.
pub(super) struct Streamable {
    dispatcher: Arc<Dispatcher>,
    limits: Limits,
    /// Whether the versions that may have sessions have them.
    has_sessions: bool,
    /// Whether streams of sessions can be resumed.
    resumes: bool,
    sessions: Arc<Sessions>,
    streams: Arc<Streams>,
}

/// One request, all that is known of it before its body.
pub(super) struct Visit<'a> {
    pub(super) head: &'a Parts,
    /// `MCP-Protocol-Version`.
    pub(super) version: Line<'a>,
    pub(super) principal: Option<&'a Arc<Principal>>,
    pub(super) gate: &'a Gate,
    pub(super) lane: &'a Arc<Lane>,
}

impl<'a> Visit<'a> {
    fn binding(&self) -> Binding<'a> {
        Binding::Http { version: self.version, headers: &self.head.headers }
    }

    /// Refuses a version that is none. Another than the session's is let pass: the session's holds.
    fn expect_version(&self) -> Result<(), Rejection> {
        match self.version {
            Line::Absent => Ok(()),
            Line::Says(said) if ProtocolVersion::parse(said).is_some() => Ok(()),
            Line::Says(_) | Line::Garbled => Err(Rejection::UnknownVersion),
        }
    }
}

impl Streamable {
    pub(super) fn new(
        dispatcher: Arc<Dispatcher>,
        limits: Limits,
        endpoint: &McpEndpoint,
        sessions: Arc<Sessions>,
        streams: Arc<Streams>,
    ) -> Self {
        let (has_sessions, resumes) = (endpoint.sessions, endpoint.resumability);
        Self { dispatcher, limits, has_sessions, resumes, sessions, streams }
    }

    /// Answers one request to the endpoint, whatever its method.
    pub(super) async fn answer(&self, visit: &Visit<'_>, body: RequestBody) -> Result<Response<ReplyBody>, Rejection> {
        match visit.head.method {
            Method::POST => self.take(visit, body).await,
            Method::GET if self.has_sessions => self.open(visit, &body),
            Method::DELETE if self.has_sessions => self.end(visit),
            _ if self.has_sessions => Err(Rejection::OnlyEndpointMethods),
            _ => Err(Rejection::OnlyPost),
        }
    }

    /// Takes one message.
    async fn take(&self, visit: &Visit<'_>, body: RequestBody) -> Result<Response<ReplyBody>, Rejection> {
        let headers = &visit.head.headers;
        if body.declares_too_much(&self.limits) {
            return Err(Rejection::LargeBody);
        }
        expect_json(headers)?;
        let accepted = Accepted::of(headers);
        if !accepted.json && !accepted.events {
            return Err(Rejection::NothingAcceptable);
        }
        let bytes = body::read(body, &self.limits).await?;
        let pending = {
            let message = match self.dispatcher.read(&bytes, visit.binding()) {
                Ok(message) => message,
                Err(malformed) => {
                    let mut refusal = Vec::new();
                    malformed.write(&mut refusal);
                    return Ok(json(StatusCode::BAD_REQUEST, refusal));
                }
            };
            match self.begin(visit, &message, accepted) {
                Ok(Begun::Over(response)) => return Ok(response),
                Ok(Begun::Pending(pending)) => pending,
                Err(rejection) => return Ok(rejection.answer(message.id())),
            }
        };
        // Boxed, so that what takes its time takes no room where it does not.
        Ok(Box::pin(self.finish(visit, pending, accepted)).await)
    }

    /// Takes a message as far as it goes without waiting.
    fn begin(&self, visit: &Visit<'_>, message: &Message<'_>, accepted: Accepted) -> Result<Begun, Rejection> {
        let belongs = message.belongs();
        let headers = &visit.head.headers;
        let client = match belongs {
            Belongs::Nowhere => None,
            Belongs::Opens if headers.contains_key(SESSION_ID) => return Err(Rejection::OpenedAlready),
            Belongs::ToSession if self.has_sessions => Some(self.client(visit)?),
            Belongs::Opens | Belongs::ToSession => None,
        };
        let session =
            client.as_ref().map_or_else(|| self.passing(visit, belongs), |client| Arc::clone(&client.session));
        if belongs == Belongs::ToSession {
            visit.expect_version()?;
        }
        if let Some(client) = &client {
            client.touch();
            client.confirm();
        }
        let due = client.as_ref().map(Due::new);
        let place = match message.listens() {
            true if !accepted.events => return Err(Rejection::NotAcceptable),
            true => Some(self.place(visit)?),
            false => None,
        };
        let is_alone = belongs == Belongs::Nowhere;
        let is_passing = client.is_none() && !is_alone;
        let resumable = client.filter(|_| self.resumes && accepted.events);
        let overflow = match resumable {
            // What can be said on a stream alone goes nowhere, and nothing is asked there.
            _ if !accepted.events => Overflow::Discard,
            Some(_) => Overflow::Keep,
            None => Overflow::Close,
        };
        let reply = Reply::new(overflow, &self.limits);
        let page = OnceLock::new();
        let caller = Caller {
            session: &session,
            principal: visit.principal,
            reply: Some(&reply),
            binding: visit.binding(),
            page: Some(&page),
        };
        let mut answer = Vec::new();
        let response = match self.dispatcher.take(caller, message, &mut answer) {
            Received::Accepted => accept(),
            Received::Answered => {
                let answer = (answer, page.into_inner());
                let mut response = self.reply(visit, answer, reply.taken(), resumable.as_ref(), accepted);
                if belongs == Belongs::Opens && self.has_sessions && session.agreed().is_some() {
                    let (id, _) = self.sessions.add(&session, Door::Header, &self.limits)?;
                    response.headers_mut().insert(SESSION_ID, header_of(id));
                }
                response
            }
            Received::Pending(call) => {
                let queue = Arc::clone(reply.queue());
                let ends_with_connection = is_alone || message.waits();
                let end = match (is_alone, is_passing) {
                    // Whoever closes the connection gives the call up: by no other way could he cancel it.
                    (true, _) => Some(Box::new(Abandon(session)) as Box<dyn Held>),
                    // In the versions before that is no cancellation.
                    (_, true) => Some(Box::new(self.departure(session)) as Box<dyn Held>),
                    (false, false) => None,
                };
                let waiting = Waiting { call, queue, end, due, place, resumable, ends_with_connection };
                return Ok(Begun::Pending(waiting));
            }
            Received::Refused(fault) => refusal(Some(fault), answer),
            Received::Forbidden(scopes) => match visit.principal {
                Some(principal) => visit.gate.forbid(scopes, principal, visit.head.uri.path(), answer),
                None => json(StatusCode::FORBIDDEN, answer),
            },
            Received::Busy(_) => Rejection::TooManyRequests.with_body(answer),
        };
        Ok(Begun::Over(response))
    }

    /// The response of a call that was done at once: an event stream only where it said something before, or where the
    /// client takes nothing else.
    fn reply(
        &self,
        visit: &Visit<'_>,
        (mut answer, page): (Vec<u8>, Option<Page>),
        queue: Option<&Arc<Outbox>>,
        resumable: Option<&Arc<Client>>,
        accepted: Accepted,
    ) -> Response<ReplyBody> {
        let queue = match queue.filter(|queue| queue.has_spoken()) {
            Some(queue) => Arc::clone(queue),
            None if accepted.json => return json_of(StatusCode::OK, ReplyBody::full(answer.into()).followed_by(page)),
            None => Arc::new(Outbox::new(Overflow::Close, &self.limits)),
        };
        answer.extend_from_slice(page.as_deref().unwrap_or_default());
        queue.finish(Some(answer));
        self.stream(visit, queue, Vec::new(), resumable).response().map(ReplyBody::stream)
    }

    /// Waits until the call is over or says something; what becomes of it then is known.
    async fn finish(&self, visit: &Visit<'_>, waiting: Waiting, accepted: Accepted) -> Response<ReplyBody> {
        let Waiting { call, queue, end, due, place, resumable, ends_with_connection } = waiting;
        let mut held: Vec<Box<dyn Held>> = Vec::new();
        held.extend(due.map(|due| Box::new(due) as Box<dyn Held>));
        held.extend(place.map(|place| Box::new(place) as Box<dyn Held>));
        if ends_with_connection {
            // Nobody could get the answer by another way.
            visit.lane.carry(Carried::Queue(Arc::downgrade(&queue), None));
        }
        held.extend(end);
        // Until there is a stream, there is none to come back to.
        let unheard = Unheard(Some(Arc::clone(&queue)));
        let mut call = tokio::spawn(call);
        let over = match accepted {
            Accepted { json: true, events: true } => poll_fn(|cx| poll_first(&queue, &mut call, cx)).await,
            Accepted { events: true, .. } => None,
            Accepted { .. } => Some((&mut call).await.ok().flatten()),
        };
        match resumable {
            Some(_) => unheard.forget(),
            None => held.push(Box::new(unheard)),
        }
        let outcome = match over {
            None => {
                let stream = self.stream(visit, Arc::clone(&queue), held, resumable.as_ref());
                let stream = match resumable {
                    // The answer comes, whoever is there to read it.
                    Some(_) => {
                        tokio::spawn(async move { queue.finish(answer_of(call.await)) });
                        stream
                    }
                    None => stream.until_done(call),
                };
                return stream.response().map(ReplyBody::stream);
            }
            Some(Some(outcome)) if !queue.has_spoken() => return refusal(outcome.fault, outcome.answer),
            Some(outcome) => outcome,
        };
        // A stream on which nothing will be said is nothing to come back to.
        let resumable = resumable.filter(|_| queue.has_spoken());
        queue.finish(outcome.map(|outcome| outcome.answer));
        self.stream(visit, queue, held, resumable.as_ref()).response().map(ReplyBody::stream)
    }

    /// The stream of what one call says.
    fn stream(
        &self,
        visit: &Visit<'_>,
        queue: Arc<Outbox>,
        held: Vec<Box<dyn Held>>,
        resumable: Option<&Arc<Client>>,
    ) -> EventStream {
        let trail = resumable.map(|client| (client, client.replay(&self.limits).begin(&queue)));
        let stream = EventStream::new(Queue::OfReply(Arc::clone(&queue)), held, &self.limits)
            .while_valid(visit.principal.map(|principal| &**principal));
        let mut carrying = None;
        let stream = match trail {
            None => stream,
            Some((client, trail)) => {
                let (polls, first) = prime(client, &trail);
                let following = Following { trail: trail.clone(), read: None, polls };
                carrying = queue.attach(Some(trail));
                match carrying {
                    Some(ticket) => stream.beginning(first.unwrap_or_default()).following(ticket, Some(following)),
                    // Nobody else can have it yet.
                    None => stream,
                }
            }
        };
        visit.lane.carry(Carried::Queue(Arc::downgrade(&queue), carrying));
        stream
    }

    /// Opens the stream of what a session has to say by itself.
    fn open(&self, visit: &Visit<'_>, body: &RequestBody) -> Result<Response<ReplyBody>, Rejection> {
        let headers = &visit.head.headers;
        if !Accepted::of(headers).events {
            return Err(Rejection::NotAcceptable);
        }
        // Behind a body that nobody reads the end of the client could not be seen.
        if !body.is_over() {
            return Err(Rejection::UnexpectedBody);
        }
        if headers.get_all(LAST_EVENT_ID).iter().any(|id| id.len() > MAX_ID_BYTES) {
            return Err(Rejection::LongEventId);
        }
        let client = self.client(visit)?;
        visit.expect_version()?;
        client.touch();
        client.confirm();
        let found = match headers.contains_key(LAST_EVENT_ID) && self.resumes {
            true => Some(self.last_event(&client, headers)?),
            false => None,
        };
        let place = self.place(visit)?;
        let held: Vec<Box<dyn Held>> = vec![Box::new(Due::new(&client)), Box::new(place)];
        let stream = match found {
            Some((found, number)) => self.resume(visit, &client, found, number, held),
            None => self.listen(visit, &client, held)?,
        };
        let stream = stream.while_valid(visit.principal.map(|principal| &**principal));
        Ok(stream.response().map(ReplyBody::stream))
    }

    /// The stream of what a session says from now on.
    fn listen(
        &self,
        visit: &Visit<'_>,
        client: &Arc<Client>,
        held: Vec<Box<dyn Held>>,
    ) -> Result<EventStream, Rejection> {
        let session = &client.session;
        let trail = self.resumes.then(|| client.replay(&self.limits).own());
        let ticket = session.outbox.attach(trail.clone()).ok_or(Rejection::OneStreamOnly)?;
        let (following, first) = match trail {
            None => (None, KEEP_ALIVE),
            Some(trail) => {
                let (polls, first) = prime(client, &trail);
                (Some(Following { trail, read: None, polls }), first.unwrap_or(KEEP_ALIVE))
            }
        };
        visit.lane.carry(Carried::Session(Arc::downgrade(session), Some(ticket)));
        let stream = EventStream::new(Queue::OfSession(Arc::clone(session)), held, &self.limits);
        Ok(stream.beginning(first).following(ticket, following))
    }

    /// A stream that was cut: what was said since, and all that follows.
    fn resume(
        &self,
        visit: &Visit<'_>,
        client: &Arc<Client>,
        found: Found,
        number: u64,
        held: Vec<Box<dyn Held>>,
    ) -> EventStream {
        let (queue, ticket) = match found.speaker {
            Speaker::Session => {
                let ticket = client.session.outbox.take_over();
                visit.lane.carry(Carried::Session(Arc::downgrade(&client.session), Some(ticket)));
                (Queue::OfSession(Arc::clone(&client.session)), ticket)
            }
            Speaker::Call(queue) => {
                let ticket = queue.take_over();
                visit.lane.carry(Carried::Queue(Arc::downgrade(&queue), Some(ticket)));
                (Queue::OfReply(queue), ticket)
            }
        };
        let polls = client.session.version().has_polling();
        let following = Following { trail: found.trail, read: Some(number), polls };
        EventStream::new(queue, held, &self.limits).beginning(KEEP_ALIVE).following(ticket, Some(following))
    }

    /// The event that the client read last, and its stream.
    fn last_event(&self, client: &Client, headers: &HeaderMap) -> Result<(Found, u64), Rejection> {
        let text = one_line(headers, &LAST_EVENT_ID).ok().flatten().ok_or(Rejection::UnknownEvent)?;
        let id = EventId::parse(text).ok_or(Rejection::UnknownEvent)?;
        let found = client.replay(&self.limits).find(id).ok_or(Rejection::UnknownEvent)?;
        Ok((found, id.number()))
    }

    /// Ends a session, at its client's wish.
    fn end(&self, visit: &Visit<'_>) -> Result<Response<ReplyBody>, Rejection> {
        let id = session_id(visit)?;
        self.client(visit)?;
        visit.expect_version()?;
        if let Some(id) = id {
            self.sessions.remove(id);
        }
        let mut response = Response::new(ReplyBody::default());
        *response.status_mut() = StatusCode::NO_CONTENT;
        Ok(response)
    }

    /// A place for a stream that stays open, on a connection that will carry nothing else for long.
    fn place(&self, visit: &Visit<'_>) -> Result<StreamPlace, Rejection> {
        visit.lane.credential().forget();
        self.streams.open(visit.principal.map(|principal| principal.owner()), &self.limits)
    }

    /// The session that a request names; to anybody but its owner it does not exist.
    fn client(&self, visit: &Visit<'_>) -> Result<Arc<Client>, Rejection> {
        let owner = visit.principal.map(|principal| principal.owner());
        let own = |client: &Arc<Client>| client.is_named_by_header() && client.session.belongs_to(owner);
        session_id(visit)?.and_then(|id| self.sessions.find(id)).filter(own).ok_or(Rejection::UnknownSession)
    }

    /// What becomes of a call without a session when its client goes away.
    fn departure(&self, session: Arc<Session>) -> Departure {
        let most = (self.limits.max_sessions, self.limits.max_sessions_per_principal);
        Departure { session, sessions: Arc::clone(&self.sessions), most }
    }

    /// A session for one message: one that has none, or opens one.
    fn passing(&self, visit: &Visit<'_>, belongs: Belongs) -> Arc<Session> {
        let owner = visit.principal.map(|principal| principal.owner().clone());
        let session = Session::new(Outbox::new(Overflow::Discard, &self.limits), owner);
        if !self.has_sessions {
            session.deafen();
        }
        if belongs == Belongs::ToSession {
            session.assume(match visit.version {
                Line::Says(version) => Some(version),
                Line::Absent | Line::Garbled => None,
            });
        }
        session
    }
}

/// How far a message came without waiting.
enum Begun {
    Over(Response<ReplyBody>),
    Pending(Waiting),
}

/// A call that is under way, and where it says what.
struct Waiting {
    call: Pending,
    queue: Arc<Outbox>,
    /// What becomes of it without its connection, where there is no session in which it would go on.
    end: Option<Box<dyn Held>>,
    due: Option<Due>,
    /// Its place among the streams, where it is one from the beginning.
    place: Option<StreamPlace>,
    /// The client, where it can come back to what the call says.
    resumable: Option<Arc<Client>>,
    /// Whoever closes the connection before anything is said there does not wait any more.
    ends_with_connection: bool,
}

/// How a call ends that has said nothing by then; none where it says something first.
type First = Option<Option<Outcome>>;

fn poll_first(queue: &Outbox, call: &mut JoinHandle<Option<Outcome>>, cx: &mut Context<'_>) -> Poll<First> {
    if queue.poll_spoken(cx).is_ready() {
        return Poll::Ready(None);
    }
    // It may have said something just before its end.
    Pin::new(call).poll(cx).map(|outcome| Some(outcome.ok().flatten()))
}

fn answer_of(outcome: Result<Option<Outcome>, JoinError>) -> Option<Vec<u8>> {
    outcome.ok().flatten().map(|outcome| outcome.answer)
}

/// Whether a client may be told to come back; then its stream has a first event by which it can.
fn prime(client: &Client, trail: &Trail) -> (bool, Option<Bytes>) {
    if !client.session.version().has_polling() {
        return (false, None);
    }
    (true, trail.prime().map(priming_event))
}

/// The one `Mcp-Session-Id` of a request; none where it cannot be one of ours.
fn session_id(visit: &Visit<'_>) -> Result<Option<SessionId>, Rejection> {
    let id = one_line(&visit.head.headers, &SESSION_ID).map_err(|_| Rejection::NoSessionHeader)?;
    let id = id.filter(|id| !id.is_empty()).ok_or(Rejection::NoSessionHeader)?;
    if id.len() > MAX_ID_BYTES {
        return Err(Rejection::LongSessionId);
    }
    let ours = id.len() == 32 && id.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    Ok(SessionId::from_str_radix(id, 16).ok().filter(|_| ours))
}

fn header_of(id: SessionId) -> HeaderValue {
    // Hexadecimal digits are what a header may hold.
    HeaderValue::try_from(format!("{id:032x}")).unwrap_or_else(|_| HeaderValue::from_static(""))
}

fn accept() -> Response<ReplyBody> {
    let mut accepted = Response::new(ReplyBody::default());
    *accepted.status_mut() = StatusCode::ACCEPTED;
    accepted
}

/// An answer with the status that its kind has.
fn refusal(fault: Option<Fault>, answer: Vec<u8>) -> Response<ReplyBody> {
    let status = match fault {
        None => StatusCode::OK,
        Some(Fault::Malformed | Fault::TooMuch) => StatusCode::BAD_REQUEST,
        Some(Fault::UnknownMethod) => StatusCode::NOT_FOUND,
        Some(Fault::Overloaded) => return Rejection::Overloaded.with_body(answer),
    };
    json(status, answer)
}

/// Lets a call know that nobody hears its reply any more, once this is dropped: else what it asks then would wait for an
/// answer for as long as there is a session.
struct Unheard(Option<Arc<Outbox>>);

impl Unheard {
    /// There is a stream, whose client can come back.
    fn forget(mut self) {
        self.0 = None;
    }
}

impl Held for Unheard {}

impl Drop for Unheard {
    fn drop(&mut self) {
        if let Some(queue) = &self.0 {
            queue.close();
        }
    }
}

/// Gives up all that is under way in a session of one message, once that is dropped.
pub(super) struct Abandon(Arc<Session>);

impl Held for Abandon {}

impl Drop for Abandon {
    fn drop(&mut self) {
        self.0.cancel_all();
    }
}

/// Lets what is under way in a session of one message go on once this is dropped, as long as there is room for it.
struct Departure {
    session: Arc<Session>,
    sessions: Arc<Sessions>,
    /// In all, and of one principal.
    most: (Option<usize>, Option<usize>),
}

impl Held for Departure {}

impl Drop for Departure {
    fn drop(&mut self) {
        if self.session.calls_under_way() > 0 && !self.sessions.keep_on(&self.session, self.most) {
            self.session.cancel_all();
        }
    }
}
