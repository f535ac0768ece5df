//! HTTP+SSE, the transport of 2024-11-05: one event stream to the client, and a path for what the client says.

use std::sync::Arc;

use http::{HeaderMap, Response, StatusCode, request::Parts};

use super::{
    admission::Gate,
    body::{self, ReplyBody, RequestBody},
    event_stream::{EventStream, Held, Queue},
    headers::{accepts, expect_json},
    rejection::{Rejection, json},
    sessions::{Client, Door, Due, SessionId, Sessions},
    sse,
    streams::Streams,
};
use crate::{
    limits::Limits,
    principal::Principal,
    protocol::jsonrpc,
    server::{
        dispatch::{Caller, Dispatcher, Fault, Received},
        message::Binding,
    },
    session::{Outbox, Overflow, Session},
};

/// The clients of this transport, and where their messages go.
pub(super) struct LegacySse {
    dispatcher: Arc<Dispatcher>,
    limits: Limits,
    /// The path of messages as clients see it.
    message_uri: String,
    sessions: Arc<Sessions>,
    streams: Arc<Streams>,
}

impl LegacySse {
    pub(super) fn new(
        dispatcher: Arc<Dispatcher>,
        limits: Limits,
        message_uri: String,
        sessions: Arc<Sessions>,
        streams: Arc<Streams>,
    ) -> Self {
        Self { dispatcher, limits, message_uri, sessions, streams }
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
        let place = match self.streams.open(owner.as_ref(), &self.limits) {
            Err(Rejection::TooManyStreams) if self.sessions.make_room_for_stream() => {
                self.streams.open(owner.as_ref(), &self.limits)?
            }
            place => place?,
        };
        let session = Session::new(Outbox::new(Overflow::Close, &self.limits), owner);
        let door = Door::EventStream { by_query: credential.is_some(), _place: place };
        let (id, _) = self.sessions.add(&session, door, &self.limits)?;
        let place = Place { sessions: Arc::clone(&self.sessions), id };
        let credential = credential.map(|pair| format!("&{pair}")).unwrap_or_default();
        let endpoint = sse::endpoint_event(&format!("{}?sessionId={id:032x}{credential}", self.message_uri));
        let queue = Queue::OfSession(Arc::clone(&session));
        let stream = EventStream::new(queue, vec![Box::new(place)], &self.limits)
            .beginning(endpoint)
            .unless_used(&self.limits)
            .while_valid(principal);
        Ok((session, stream.response()))
    }

    /// Takes one message. Its answer goes to the stream; what is no message is refused here.
    pub(super) async fn receive(
        &self,
        head: &Parts,
        body: RequestBody,
        principal: Option<&Arc<Principal>>,
        gate: &Gate,
    ) -> Result<Response<ReplyBody>, Rejection> {
        if body.declares_too_much(&self.limits) {
            return Err(Rejection::LargeBody);
        }
        expect_json(&head.headers)?;
        let id = session_id(head.uri.query().unwrap_or_default())?;
        let owner = principal.map(|principal| principal.owner());
        let own = |client: &Arc<Client>| !client.is_named_by_header() && client.session.belongs_to(owner);
        // To anybody else the session does not exist.
        let client = id.and_then(|id| self.sessions.find(id)).filter(own).ok_or(Rejection::UnknownSession)?;
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
        id.and_then(|id| self.sessions.find(id))
            .is_some_and(|client| matches!(client.door, Door::EventStream { by_query: true, .. }))
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
        let session = &client.session;
        let caller = Caller { session, principal, reply: None, binding: Binding::HttpSse, page: None };
        match self.dispatcher.receive(caller, message, &mut answer) {
            Received::Answered => due.deliver(answer),
            Received::Accepted => {}
            Received::Pending(call) => {
                tokio::spawn(async move {
                    if let Some(outcome) = call.await {
                        due.deliver(outcome.answer);
                    }
                });
            }
            Received::Forbidden(scopes) => return forbid(scopes, answer),
            // What the message asked for is answered on the stream, as always.
            Received::Refused(Fault::TooMuch | Fault::Overloaded) => due.deliver(answer),
            Received::Refused(Fault::Malformed | Fault::UnknownMethod) => {
                // Whoever reads the answer to a POST may know no message without an id.
                jsonrpc::with_null_id(&mut answer);
                return json(StatusCode::BAD_REQUEST, answer);
            }
            Received::Busy(_) => return Rejection::TooManyRequests.with_body(answer),
        }
        let mut accepted = Response::new(ReplyBody::default());
        *accepted.status_mut() = StatusCode::ACCEPTED;
        accepted
    }
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

/// A client's place among the others, until its stream is dropped: with the stream the session ends.
pub(super) struct Place {
    sessions: Arc<Sessions>,
    id: SessionId,
}

impl Held for Place {}

impl Drop for Place {
    fn drop(&mut self) {
        self.sessions.remove(self.id);
    }
}

#[cfg(test)]
mod tests {
    use super::session_id;

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
