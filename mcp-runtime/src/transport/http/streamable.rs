//! Streamable HTTP: one path for every message, each answered where it came; the 2025 versions with sessions, 2026-07-28
//! without.

use std::{
    future::poll_fn,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use http::{HeaderName, HeaderValue, Method, Response, StatusCode, request::Parts};
use hyper::body::Incoming;
use tokio::task::JoinHandle;

use super::{
    admission::Gate,
    body::{self, ReplyBody},
    connection::{Carried, Lane},
    event_stream::{EventStream, Held, Queue},
    headers::{Accepted, expect_json, one_line},
    rejection::{Rejection, json},
    sessions::{Client, Door, Due, SessionId, Sessions},
    streams::{StreamPlace, Streams},
};
use crate::{
    limits::Limits,
    principal::Principal,
    server::{
        dispatch::{Caller, Dispatcher, Fault, Outcome, Pending, Received},
        message::{Belongs, Binding, Message},
    },
    session::{Outbox, Overflow, Reply, Session},
};

/// The header that names a session.
const SESSION_ID: HeaderName = HeaderName::from_static("mcp-session-id");

/// The endpoint of Streamable HTTP.
pub(super) struct Streamable {
    dispatcher: Arc<Dispatcher>,
    limits: Limits,
    /// Whether the versions that may have sessions have them.
    has_sessions: bool,
    sessions: Arc<Sessions>,
    streams: Arc<Streams>,
}

/// One request, all that is known of it before its body.
pub(super) struct Visit<'a> {
    pub(super) head: &'a Parts,
    pub(super) principal: Option<&'a Arc<Principal>>,
    pub(super) gate: &'a Gate,
    pub(super) lane: &'a Arc<Lane>,
}

impl Streamable {
    pub(super) fn new(
        dispatcher: Arc<Dispatcher>,
        limits: Limits,
        has_sessions: bool,
        sessions: Arc<Sessions>,
        streams: Arc<Streams>,
    ) -> Self {
        Self { dispatcher, limits, has_sessions, sessions, streams }
    }

    /// Answers one request to the endpoint, whatever its method.
    pub(super) async fn answer(&self, visit: &Visit<'_>, body: Incoming) -> Result<Response<ReplyBody>, Rejection> {
        match visit.head.method {
            Method::POST => self.take(visit, body).await,
            Method::GET if self.has_sessions => self.open(visit, &body),
            Method::DELETE if self.has_sessions => self.end(visit),
            _ if self.has_sessions => Err(Rejection::OnlyEndpointMethods),
            _ => Err(Rejection::OnlyPost),
        }
    }

    /// Takes one message.
    async fn take(&self, visit: &Visit<'_>, body: Incoming) -> Result<Response<ReplyBody>, Rejection> {
        let headers = &visit.head.headers;
        if body::declares_too_much(&body, &self.limits) {
            return Err(Rejection::LargeBody);
        }
        expect_json(headers)?;
        let accepted = Accepted::of(headers);
        if !accepted.json && !accepted.events {
            return Err(Rejection::NothingAcceptable);
        }
        let bytes = body::read(body, &self.limits).await?;
        let pending = {
            let message = match self.dispatcher.read(&bytes, Binding::Http(headers)) {
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
        Ok(self.finish(visit, pending, accepted).await)
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
        let due = client.as_ref().map(|client| {
            client.touch();
            client.confirm();
            Due::new(client)
        });
        let place = match message.listens() {
            true if !accepted.events => return Err(Rejection::NotAcceptable),
            true => Some(self.streams.open(visit.principal.map(|principal| principal.owner()), &self.limits)?),
            false => None,
        };
        let reply = Reply::new(&self.limits);
        let caller = Caller {
            session: &session,
            principal: visit.principal,
            reply: Some(&reply),
            binding: Binding::Http(headers),
        };
        let mut answer = Vec::new();
        let response = match self.dispatcher.take(caller, message, &mut answer) {
            Received::Accepted => accept(),
            Received::Answered => {
                let mut response = self.reply(visit, answer, reply.taken(), accepted);
                if belongs == Belongs::Opens && self.has_sessions && session.agreed().is_some() {
                    let (id, _) = self.sessions.add(&session, Door::Header, &self.limits)?;
                    response.headers_mut().insert(SESSION_ID, header_of(id));
                }
                response
            }
            Received::Pending(call) => {
                let queue = Arc::clone(reply.queue());
                let is_stateless = belongs == Belongs::Nowhere;
                return Ok(Begun::Pending(Waiting { call, queue, session, due, place, is_stateless }));
            }
            Received::Refused(fault) => refusal(Some(fault), answer),
            Received::Forbidden(scopes) => match visit.principal {
                Some(principal) => visit.gate.forbid(scopes, principal, visit.head.uri.path(), answer),
                None => json(StatusCode::FORBIDDEN, answer),
            },
            Received::Busy => Rejection::TooManyRequests.with_body(answer),
        };
        Ok(Begun::Over(response))
    }

    /// The response of a call that was done at once: an event stream only where it said something before, or where the
    /// client takes nothing else.
    fn reply(
        &self,
        visit: &Visit<'_>,
        answer: Vec<u8>,
        queue: Option<&Arc<Outbox>>,
        accepted: Accepted,
    ) -> Response<ReplyBody> {
        let said = queue.and_then(|queue| Some((Arc::clone(queue), queue.take()?)));
        if said.is_none() && accepted.json {
            return json(StatusCode::OK, answer);
        }
        let (queue, first) = match said {
            Some((queue, first)) => (queue, Some(first)),
            None => (Arc::new(Outbox::new(Overflow::Close, &self.limits)), None),
        };
        let stream = self.stream(visit, queue, Vec::new()).until_said(Some(answer));
        let stream = match first {
            Some(first) => stream.continuing(first),
            None => stream,
        };
        stream.response().map(ReplyBody::stream)
    }

    /// Waits until the call is over or says something; what becomes of it then is known.
    async fn finish(&self, visit: &Visit<'_>, waiting: Waiting, accepted: Accepted) -> Response<ReplyBody> {
        let Waiting { call, queue, session, due, place, is_stateless } = waiting;
        let mut held: Vec<Box<dyn Held>> = Vec::new();
        held.extend(due.map(|due| Box::new(due) as Box<dyn Held>));
        held.extend(place.map(|place| Box::new(place) as Box<dyn Held>));
        if is_stateless {
            // Whoever closes the connection gives the call up.
            visit.lane.carry(Carried::Queue(Arc::downgrade(&queue)));
            held.push(Box::new(Abandon(session)));
        }
        let mut call = tokio::spawn(call);
        let (first, over) =
            if accepted.json { poll_fn(|cx| poll_first(&queue, &mut call, cx)).await } else { (None, None) };
        let over = match (&first, over) {
            (None, Some(Some(outcome))) => return refusal(outcome.fault, outcome.answer),
            (_, over) => over,
        };
        visit.lane.carry(Carried::Queue(Arc::downgrade(&queue)));
        let stream = self.stream(visit, queue, held);
        let stream = match over {
            None => stream.until_done(call),
            Some(outcome) => stream.until_said(outcome.map(|outcome| outcome.answer)),
        };
        let stream = match first {
            Some(first) => stream.continuing(first),
            None => stream,
        };
        stream.response().map(ReplyBody::stream)
    }

    fn stream(&self, visit: &Visit<'_>, queue: Arc<Outbox>, held: Vec<Box<dyn Held>>) -> EventStream {
        EventStream::new(Queue::OfReply(queue), held, &self.limits)
            .while_valid(visit.principal.map(|principal| &**principal))
    }

    /// Opens the stream of what a session has to say by itself.
    fn open(&self, visit: &Visit<'_>, body: &Incoming) -> Result<Response<ReplyBody>, Rejection> {
        let headers = &visit.head.headers;
        if !Accepted::of(headers).events {
            return Err(Rejection::NotAcceptable);
        }
        // Behind a body that nobody reads the end of the client could not be seen.
        if !http_body::Body::is_end_stream(body) {
            return Err(Rejection::UnexpectedBody);
        }
        let client = self.client(visit)?;
        client.touch();
        client.confirm();
        let owner = visit.principal.map(|principal| principal.owner());
        let place = self.streams.open(owner, &self.limits)?;
        if !client.session.outbox.attach() {
            return Err(Rejection::OneStreamOnly);
        }
        let session = Arc::clone(&client.session);
        visit.lane.carry(Carried::Session(Arc::downgrade(&session)));
        let reader = Reader(Arc::clone(&session));
        let held: Vec<Box<dyn Held>> = vec![Box::new(reader), Box::new(Due::new(&client)), Box::new(place)];
        let stream = EventStream::new(Queue::OfSession(session), held, &self.limits)
            .beginning(super::sse::KEEP_ALIVE)
            .while_valid(visit.principal.map(|principal| &**principal));
        Ok(stream.response().map(ReplyBody::stream))
    }

    /// Ends a session, at its client's wish.
    fn end(&self, visit: &Visit<'_>) -> Result<Response<ReplyBody>, Rejection> {
        let id = session_id(visit)?;
        self.client(visit)?;
        if let Some(id) = id {
            self.sessions.remove(id);
        }
        let mut response = Response::new(ReplyBody::default());
        *response.status_mut() = StatusCode::NO_CONTENT;
        Ok(response)
    }

    /// The session that a request names; to anybody but its owner it does not exist.
    fn client(&self, visit: &Visit<'_>) -> Result<Arc<Client>, Rejection> {
        let owner = visit.principal.map(|principal| principal.owner());
        let own = |client: &Arc<Client>| client.is_named_by_header() && client.session.belongs_to(owner);
        session_id(visit)?.and_then(|id| self.sessions.find(id)).filter(own).ok_or(Rejection::UnknownSession)
    }

    /// A session for one message: one that has none, or opens one.
    fn passing(&self, visit: &Visit<'_>, belongs: Belongs) -> Arc<Session> {
        let owner = visit.principal.map(|principal| principal.owner().clone());
        let session = Session::new(Outbox::new(Overflow::Discard, &self.limits), owner);
        if !self.has_sessions {
            session.deafen();
        }
        if belongs == Belongs::ToSession {
            session.assume(visit.head.headers.get("mcp-protocol-version").and_then(|value| value.to_str().ok()));
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
    session: Arc<Session>,
    due: Option<Due>,
    /// Its place among the streams, where it is one from the beginning.
    place: Option<StreamPlace>,
    is_stateless: bool,
}

/// What a call does first: it says something, or is over, or both.
type First = (Option<Vec<u8>>, Option<Option<Outcome>>);

fn poll_first(queue: &Outbox, call: &mut JoinHandle<Option<Outcome>>, cx: &mut Context<'_>) -> Poll<First> {
    if let Poll::Ready(Some(message)) = queue.poll_next(cx) {
        return Poll::Ready((Some(message), None));
    }
    let Poll::Ready(outcome) = Pin::new(call).poll(cx) else { return Poll::Pending };
    // It may have said something just before its end.
    Poll::Ready((queue.take(), Some(outcome.ok().flatten())))
}

/// The one `Mcp-Session-Id` of a request; none where it cannot be one of ours.
fn session_id(visit: &Visit<'_>) -> Result<Option<SessionId>, Rejection> {
    let id = one_line(&visit.head.headers, &SESSION_ID).map_err(|_| Rejection::NoSessionHeader)?;
    let id = id.filter(|id| !id.is_empty()).ok_or(Rejection::NoSessionHeader)?;
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
        Some(Fault::Malformed) => StatusCode::BAD_REQUEST,
        Some(Fault::UnknownMethod) => StatusCode::NOT_FOUND,
    };
    json(status, answer)
}

/// Gives up all that is under way in a session of one message, once that is dropped.
pub(super) struct Abandon(Arc<Session>);

impl Held for Abandon {}

impl Drop for Abandon {
    fn drop(&mut self) {
        self.0.cancel_all();
    }
}

/// Reads a session's own stream, until it is dropped.
pub(super) struct Reader(Arc<Session>);

impl Held for Reader {}

impl Drop for Reader {
    fn drop(&mut self) {
        self.0.outbox.detach();
    }
}
