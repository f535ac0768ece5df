//! The one dispatcher: from the bytes of a message to its method, and back to the bytes of its answer.
//!
//! A call is parsed borrowed here; `calls` finds its function and decodes the arguments from the raw text; `running` polls
//! it in place and writes the result once. Only a function that waits then becomes a future for somebody to drive.

use std::{
    borrow::Cow,
    future::Future,
    pin::Pin,
    sync::{Arc, OnceLock},
};

use serde::Deserialize;
use serde_json::value::RawValue;

use super::{
    answer::Frame,
    blocking::BlockingPool,
    lifecycle,
    list::Page,
    live::Live,
    message::{Binding, Body, Content, Message, Single},
    nearest::excerpt,
    params::{self, Params},
    registry::{List, Registry},
    seal::Seal,
    stateless::Era,
    subscriptions,
    tasks::Tasks,
};
use crate::{
    limits::Limits,
    principal::Principal,
    protocol::{
        ErrorCode, ProtocolVersion, RpcError,
        jsonrpc::{Id, Malformed, write_error, write_raw_result, write_result},
        method::Method,
    },
    session::{Reply, Session},
};

/// A server's functions with all that calling them needs.
#[derive(Debug)]
pub(crate) struct Dispatcher {
    live: Arc<Live>,
    pub(super) frame: Arc<Frame>,
    pub(super) limits: Limits,
    pub(super) blocking: BlockingPool,
    pub(super) seal: Seal,
    pub(super) tasks: Arc<Tasks>,
}

/// Whose message it is: the session's, sent by a principal where the listener authenticates.
#[derive(Clone, Copy)]
pub(crate) struct Caller<'a> {
    pub(crate) session: &'a Arc<Session>,
    pub(crate) principal: Option<&'a Arc<Principal>>,
    /// The reply of this message alone; without one all that a call says goes to the session's queue.
    pub(crate) reply: Option<&'a Reply<'a>>,
    pub(crate) binding: Binding<'a>,
    /// Where the page of a list is put that ends the answer, and is not copied; without it the page is in the buffer.
    pub(crate) page: Option<&'a OnceLock<Page>>,
}

impl<'a> Caller<'a> {
    /// The caller at the other end of a pipe, who is not authenticated.
    pub(crate) fn unknown(session: &'a Arc<Session>) -> Self {
        Self { session, principal: None, reply: None, binding: Binding::Pipe, page: None }
    }

    /// Refuses a principal that lacks one of the scopes, and over HTTP whoever is nobody. At the other end of a pipe is who
    /// started the server.
    pub(super) fn must_have(self, scopes: &'static [&'static str]) -> Result<(), Refusal> {
        let is_given = |scope: &&str| match self.principal {
            Some(principal) => principal.has_scope(scope),
            None => matches!(self.binding, Binding::Pipe),
        };
        if scopes.iter().all(is_given) { Ok(()) } else { Err(Refusal::Scopes(scopes)) }
    }
}

/// A request on its way: who asks, under which id, in which version, for what, and of what there is to be had.
pub(super) struct Request<'a> {
    pub(super) caller: Caller<'a>,
    pub(super) id: Id<'a>,
    pub(super) version: ProtocolVersion,
    pub(super) method: &'a str,
    pub(super) params: &'a Params<'a>,
    pub(super) raw: Option<&'a RawValue>,
    pub(super) registry: &'a Registry,
}

/// Why a request gets no result.
pub(super) enum Refusal {
    Error(RpcError),
    /// More was asked for than one of the limits allows.
    Limit(Fault, RpcError),
    /// The principal lacks one of these.
    Scopes(&'static [&'static str]),
}

impl From<RpcError> for Refusal {
    fn from(error: RpcError) -> Self {
        Self::Error(error)
    }
}

/// What became of a message.
pub(crate) enum Received {
    /// The answer stands in the buffer.
    Answered,
    /// There is nothing to answer.
    Accepted,
    /// The handler is not done: drive this, then send what it gives.
    Pending(Pending),
    /// Nothing was done; the refusal stands in the buffer.
    Refused(#[cfg_attr(not(feature = "http"), expect(dead_code, reason = "only a listener has statuses"))] Fault),
    /// The principal lacks one of these scopes; the refusal stands in the buffer.
    Forbidden(
        #[cfg_attr(not(feature = "http"), expect(dead_code, reason = "only a listener tells which"))]
        &'static [&'static str],
    ),
    /// As many calls are under way as may be, and nothing was done for the one of this id; the refusal stands in the
    /// buffer, for a transport that cannot hold the message back until one ends.
    Busy(String),
}

/// What is wrong with a message that is refused, for a transport whose answers have a status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// It is no message, or contradicts itself.
    Malformed,
    /// There is no such method.
    UnknownMethod,
    /// It asks for more than may be asked for.
    TooMuch,
    /// The server has too much to do.
    Overloaded,
}

/// The answer to a call that is under way; none where nobody waits for it any more.
pub(crate) type Pending = Pin<Box<dyn Future<Output = Option<Outcome>> + Send>>;

/// An answer that took its time.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) answer: Vec<u8>,
    /// It is a refusal of what was asked for.
    #[cfg_attr(not(feature = "http"), expect(dead_code, reason = "only a listener has statuses"))]
    pub(crate) fault: Option<Fault>,
}

impl Fault {
    /// Where a refusal in that version is one of the message, rather than an answer.
    pub(super) fn of(error: &RpcError, version: ProtocolVersion) -> Option<Self> {
        match error.code {
            _ if !version.is_stateless() => None,
            ErrorCode::MethodNotFound => Some(Self::UnknownMethod),
            ErrorCode::InvalidRequest
            | ErrorCode::HeaderMismatch
            | ErrorCode::MissingClientCapability
            | ErrorCode::UnsupportedVersion => Some(Self::Malformed),
            _ => None,
        }
    }
}

impl Dispatcher {
    pub(crate) fn new(registry: Registry, limits: Limits, seal: Seal) -> Arc<Self> {
        let blocking = BlockingPool::new(&limits);
        let frame = Arc::clone(registry.frame());
        let live = Live::new(registry);
        let tasks = Tasks::new(Arc::clone(&live.bus), &limits);
        Arc::new(Self { live, frame, limits, blocking, seal, tasks })
    }

    /// What the server has, for whoever changes it.
    pub(crate) fn live(&self) -> &Arc<Live> {
        &self.live
    }

    /// Ends the subscriptions of a session in good order.
    pub(crate) fn end_subscriptions(&self, session: &Arc<Session>) {
        self.live.bus.end_of(session);
    }

    pub(crate) fn limits(&self) -> &Limits {
        &self.limits
    }

    /// The headers that repeat arguments of tools, for whom browsers must be told of them.
    #[cfg(feature = "http")]
    pub(crate) fn mirrored_headers(&self) -> Vec<String> {
        self.live.registry().mirrored_headers()
    }

    /// The names of all that takes scopes, for a listener on which nobody can have them.
    #[cfg(feature = "http")]
    pub(crate) fn names_with_scopes(&self) -> Vec<String> {
        self.live.registry().names_with_scopes().into_iter().map(str::to_owned).collect()
    }

    /// Reads one message without acting on it.
    ///
    /// # Errors
    /// Where it is none.
    pub(crate) fn read<'m>(&self, message: &'m [u8], binding: Binding<'m>) -> Result<Message<'m>, Malformed<'m>> {
        Message::read(message, binding, &self.limits)
    }

    /// Whether a message asks what the server is, which no function has a part in.
    pub(crate) fn is_handshake(&self, message: &[u8]) -> bool {
        self.read(message, Binding::Pipe).is_ok_and(|message| message.is_handshake())
    }

    /// Takes one message of a session; an answer that is there at once is appended to `out`.
    pub(crate) fn receive(self: &Arc<Self>, caller: Caller<'_>, message: &[u8], out: &mut Vec<u8>) -> Received {
        match self.read(message, caller.binding) {
            Ok(message) => self.take(caller, &message, out),
            Err(malformed) => refuse(out, &malformed, caller.session.version()),
        }
    }

    /// Takes a message that was read; an answer that is there at once is appended to `out`, but for its page.
    pub(crate) fn take(self: &Arc<Self>, caller: Caller<'_>, message: &Message<'_>, out: &mut Vec<u8>) -> Received {
        match &message.0 {
            Content::Single(single) => self.handle(caller, single, out),
            Content::Batch(messages) => self.take_batch(caller, messages, out),
        }
    }

    /// Takes an array of messages, where the session's version has such.
    fn take_batch(self: &Arc<Self>, caller: Caller<'_>, messages: &[&RawValue], out: &mut Vec<u8>) -> Received {
        let version = caller.session.version();
        let most = self.limits.max_batch;
        let refusal = if !caller.session.agreed().is_some_and(|agreed| agreed.version.has_batching()) {
            Some("batches exist in version 2025-03-26 only".to_owned())
        } else if messages.is_empty() {
            Some("a batch holds at least one message".to_owned())
        } else {
            most.filter(|most| messages.len() > *most).map(|most| format!("a batch holds at most {most} messages"))
        };
        if let Some(refusal) = refusal {
            return refuse(out, &Malformed::invalid_request(&refusal), version);
        }
        let messages: Vec<_> = messages.iter().map(|message| Single::read(message.get(), caller.binding)).collect();
        if messages.iter().flatten().any(|single| !matches!(single.era, Era::Session)) {
            let refusal = Malformed::invalid_request("a batch holds no request that speaks for itself");
            return refuse(out, &refusal, version);
        }
        let mut answers = Vec::new();
        let mut pending = Vec::new();
        for message in messages {
            let mut answer = Vec::new();
            let caller = Caller { page: None, ..caller };
            let received = match message {
                Ok(single) => self.handle(caller, &single, &mut answer),
                Err(malformed) => refuse(&mut answer, &malformed, version),
            };
            match received {
                Received::Answered | Received::Refused(_) | Received::Busy(_) | Received::Forbidden(_) => {
                    answers.push(answer)
                }
                Received::Accepted => {}
                Received::Pending(call) => pending.push(call),
            }
        }
        if pending.is_empty() {
            if answers.is_empty() {
                return Received::Accepted;
            }
            out.extend(array(&answers));
            return Received::Answered;
        }
        Received::Pending(Box::pin(async move {
            // Each on a task of its own: they run side by side, as calls of their own would.
            let tasks: Vec<_> = pending.into_iter().map(tokio::spawn).collect();
            for task in tasks {
                answers.extend(task.await.ok().flatten().map(|outcome| outcome.answer));
            }
            (!answers.is_empty()).then(|| Outcome { answer: array(&answers), fault: None })
        }))
    }

    fn handle(self: &Arc<Self>, caller: Caller<'_>, single: &Single<'_>, out: &mut Vec<u8>) -> Received {
        let (method, raw, params) = match &single.body {
            Body::Call { method, raw, params } => (method, raw, params),
            Body::Answer(answer) => {
                if !single.id.is_some_and(|id| caller.session.take_answer(id.as_str(), *answer)) {
                    tracing::debug!("an answer to no request of this server was dropped");
                }
                return Received::Accepted;
            }
            Body::Ignored => {
                tracing::debug!("a malformed notification was dropped");
                return Received::Accepted;
            }
        };
        let Some(id) = single.id else {
            match Method::parse(method) {
                Some(Method::Cancelled) => cancel(caller.session, *raw),
                Some(Method::Initialized) => subscriptions::join(&self.live.bus, &self.live.registry(), caller.session),
                _ => {}
            }
            return Received::Accepted;
        };
        let (version, received) = match &single.era {
            Era::Session => {
                let version = caller.session.version();
                (version, self.request(caller, id, version, method, params, *raw, out))
            }
            Era::Own(version) => (*version, self.request(caller, id, *version, method, params, *raw, out)),
            Era::Refused(error) => {
                write_error(out, Some(id), error, caller.session.version());
                return Received::Refused(Fault::Malformed);
            }
        };
        match received {
            Ok(received) => received,
            Err(Refusal::Error(error)) => {
                write_error(out, Some(id), &error, version);
                Fault::of(&error, version).map_or(Received::Answered, Received::Refused)
            }
            Err(Refusal::Limit(fault, error)) => {
                write_error(out, Some(id), &error, version);
                Received::Refused(fault)
            }
            Err(Refusal::Scopes(scopes)) => {
                let message = format!("this takes the scopes {}", scopes.join(" "));
                write_error(out, Some(id), &RpcError::invalid_request(message), version);
                Received::Forbidden(scopes)
            }
        }
    }

    #[allow(clippy::too_many_arguments, reason = "a request in its parts, put together once it is known to be one")]
    fn request(
        self: &Arc<Self>,
        caller: Caller<'_>,
        id: Id<'_>,
        version: ProtocolVersion,
        method: &str,
        params: &Result<Params<'_>, RpcError>,
        raw: Option<&RawValue>,
        out: &mut Vec<u8>,
    ) -> Result<Received, Refusal> {
        let found = Method::parse(method).filter(|method| method.is_request() && method.exists_in(version));
        let Some(found) = found else {
            let message = format!("there is no method `{}`", excerpt(method));
            return Err(RpcError::new(ErrorCode::MethodNotFound, message).into());
        };
        let session = caller.session;
        if !version.is_stateless() && session.agreed().is_none() && !matches!(found, Method::Initialize | Method::Ping)
        {
            // It may have been meant to speak for itself: what keeps it from that helps more.
            params.as_ref().map_err(Clone::clone)?;
            return Err(RpcError::invalid_request("`initialize` comes first").into());
        }
        if session.is_under_way(id.as_str()) {
            return Err(RpcError::invalid_request("a request of this id is under way").into());
        }
        let may_last = matches!(
            found,
            Method::CallTool | Method::ReadResource | Method::GetPrompt | Method::Complete | Method::TaskResult
        );
        if may_last
            && let Some(most) = self.limits.max_requests_per_session
            && session.calls_under_way() >= most
        {
            let refusal = RpcError::internal(format!("{most} requests are under way; wait for one to end"));
            write_error(out, Some(id), &refusal, version);
            return Ok(Received::Busy(id.as_str().to_owned()));
        }
        let params = params.as_ref().map_err(Clone::clone)?;
        let registry = &**self.live.registry();
        let request = Request { caller, id, version, method, params, raw, registry };
        match found {
            Method::CallTool => return self.call_tool(&request, out),
            Method::ReadResource => return self.read_resource(&request, out),
            Method::GetPrompt => return self.get_prompt(&request, out),
            Method::Complete => return self.complete(&request, out),
            Method::ListTools => self.list(List::Tools, &request, out)?,
            Method::ListResources => self.list(List::Resources, &request, out)?,
            Method::ListResourceTemplates => self.list(List::ResourceTemplates, &request, out)?,
            Method::ListPrompts => self.list(List::Prompts, &request, out)?,
            Method::Initialize => {
                let result = lifecycle::initialize(registry, session, raw)?;
                write_result(out, id, &result);
            }
            Method::Discover => {
                request.check_meta()?;
                let result = lifecycle::discover(registry);
                self.frame.write_own(out, id, version, &result);
            }
            Method::SetLevel => {
                set_level(session, raw)?;
                write_raw_result(out, id, b"{}");
            }
            Method::Ping => write_raw_result(out, id, b"{}"),
            Method::Subscribe => {
                subscriptions::subscribe(&self.live.bus, &self.limits, &request)?;
                write_raw_result(out, id, b"{}");
            }
            Method::Unsubscribe => {
                subscriptions::unsubscribe(&self.live.bus, &request)?;
                write_raw_result(out, id, b"{}");
            }
            Method::Listen => {
                return subscriptions::listen(&self.live.bus, &self.tasks, &self.frame, &self.limits, &request);
            }
            Method::GetTask | Method::UpdateTask | Method::CancelTask | Method::TaskResult | Method::ListTasks => {
                return self.about_tasks(found, &request, out);
            }
            Method::Initialized | Method::Cancelled => return Ok(Received::Accepted),
        }
        Ok(Received::Answered)
    }
}

/// Writes why a text is no message.
fn refuse(out: &mut Vec<u8>, malformed: &Malformed<'_>, version: ProtocolVersion) -> Received {
    write_error(out, malformed.id, &malformed.error, version);
    Received::Refused(Fault::Malformed)
}

fn set_level(session: &Session, params: Option<&RawValue>) -> Result<(), RpcError> {
    #[derive(Deserialize)]
    struct Params<'a> {
        #[serde(borrow)]
        level: Cow<'a, str>,
    }
    let params: Params<'_> = params::required(params, "params.level")?;
    session.set_level(params::level("params.level", &params.level)?);
    Ok(())
}

fn cancel(session: &Session, params: Option<&RawValue>) {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Params<'a> {
        #[serde(borrow)]
        request_id: &'a RawValue,
    }
    // A malformed cancellation is ignored, as the standard wants.
    if let Some(params) = params.and_then(|raw| serde_json::from_str::<Params<'_>>(raw.get()).ok()) {
        session.cancel(params.request_id.get());
    }
}

fn array(answers: &[Vec<u8>]) -> Vec<u8> {
    let mut array = vec![b'['];
    array.extend(answers.join(&b','));
    array.push(b']');
    array
}
