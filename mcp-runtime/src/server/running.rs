//! A function at work: polled in place as far as it goes, and a future for somebody to drive where it waits.

use std::{
    fmt,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
    task::{Context as TaskContext, Poll, Waker},
    time::{Duration, Instant},
};

use serde_json::value::RawValue;

use super::{
    answer::Answer,
    context::{Context, Scene},
    deadline::{Deadlines, Ended},
    dispatch::{Dispatcher, Fault, Outcome, Received, Refusal, Request},
    nearest::excerpt,
    outcome::{Later, Step},
    round::Round,
    seal::Bond,
    tasks::{self, Task},
};
use crate::{
    principal::Principal,
    protocol::{
        CallToolResult, RpcError,
        input::InputRequiredResult,
        jsonrpc::{Id, write_error},
    },
    session::{Call, Session},
};

impl Dispatcher {
    /// Takes a call as far as it goes without waiting; what is left over becomes a future.
    pub(super) fn advance<R: Answer>(
        self: &Arc<Self>,
        step: Step<R>,
        scene: &Scene<'_>,
        request: &Request<'_>,
        timeout: Option<Duration>,
        polish: impl FnOnce(&mut R) + Clone + Send + 'static,
        out: &mut Vec<u8>,
    ) -> Result<Received, Refusal> {
        let (id, version) = (request.id, scene.version);
        let mut later = match self.begin(step, scene, request, polish.clone(), out)? {
            Begun::Over(received) => return Ok(received),
            Begun::Later(later) => later,
        };
        let context = scene.taken().filter(|context| context.round().is_some());
        let returning = context.map(|context| Returning::new(context, request));
        let under_way = UnderWay::begin(scene, id)?;
        let deadlines = Deadlines::new(Work::of(request).to_string(), timeout, &self.limits);
        let dispatcher = Arc::clone(self);
        let id = id.as_str().to_owned();
        Ok(Received::Pending(Box::pin(async move {
            let context = returning.as_ref().map(|returning| &returning.context);
            let asks = async {
                match context.and_then(Context::round) {
                    Some(round) => round.asks().await,
                    None => std::future::pending().await,
                }
            };
            let ended = deadlines.watch(&under_way.call, &mut later, asks).await?;
            // What a handler asks is known as long as it waits for the answer.
            let question = match (&ended, &returning) {
                (Ended::Left, Some(returning)) => Some(returning.question(&dispatcher)),
                _ => None,
            };
            match &question {
                Some(_) => leave(later, &under_way.call),
                None => let_go(later),
            }
            under_way.call.finish();
            drop(under_way);
            let (id, frame) = (Id::of(&id), &dispatcher.frame);
            let mut answer = Vec::new();
            let written = match (question, ended) {
                (Some(question), _) => question.map(|question| frame.write_question(&mut answer, id, &question)),
                (None, Ended::Done(result)) => concluded(result, context).map(|mut result| {
                    polish(&mut result);
                    frame.write(&mut answer, id, version, &mut result);
                }),
                (None, Ended::Left) => Err(RpcError::internal("the handler was left")),
            };
            let fault = written.err().and_then(|error| {
                write_error(&mut answer, Some(id), &error, version);
                Fault::of(&error, version)
            });
            Some(Outcome { answer, fault })
        })))
    }

    /// Takes a call that may become a task as far as it goes without waiting; what is left over goes on as one. A client
    /// that asked for a task gets one in any case.
    pub(super) fn advance_as_task(
        self: &Arc<Self>,
        task: &Arc<Task>,
        step: Step<CallToolResult>,
        scene: &Scene<'_>,
        request: &Request<'_>,
        timeout: Option<Duration>,
        out: &mut Vec<u8>,
    ) -> Result<Received, Refusal> {
        let later = if task.is_core() {
            match step {
                Step::Described => return Err(RpcError::internal("the handler did not run").into()),
                Step::Done(result) => Box::pin(std::future::ready(result)),
                Step::Later(later) => later,
                Step::Blocking(run) => self.on_thread(run, request)?,
            }
        } else {
            match self.begin(step, scene, request, |_| (), out)? {
                Begun::Over(received) => return Ok(received),
                Begun::Later(later) => later,
            }
        };
        let deadlines = Deadlines::new(Work::of(request).to_string(), timeout, &self.limits);
        // As it is at its beginning, whatever it does meanwhile.
        tasks::requests::write_created(out, &self.frame, request.id, task);
        self.tasks.run(task, later, scene.hand_over(), deadlines, scene.taken().cloned());
        Ok(Received::Answered)
    }

    /// Takes a call as far as it goes without waiting.
    pub(super) fn begin<R: Answer>(
        &self,
        step: Step<R>,
        scene: &Scene<'_>,
        request: &Request<'_>,
        polish: impl FnOnce(&mut R),
        out: &mut Vec<u8>,
    ) -> Result<Begun<R>, Refusal> {
        let (id, frame) = (request.id, &self.frame);
        let (mut later, done) = match step {
            Step::Described => return Err(RpcError::internal("the handler did not run").into()),
            Step::Done(result) => (None, Poll::Ready(result)),
            Step::Later(later) => (Some(later), Poll::Pending),
            Step::Blocking(run) => (Some(self.on_thread(run, request)?), Poll::Pending),
        };
        let done = match &mut later {
            Some(later) => poll_guarded(&Work::of(request), later, &mut TaskContext::from_waker(Waker::noop())),
            None => done,
        };
        let context = scene.taken().filter(|context| context.round().is_some());
        if let Poll::Ready(result) = done {
            let mut result = concluded(result, context)?;
            polish(&mut result);
            frame.write(out, id, scene.version, &mut result);
            return Ok(Begun::Over(Received::Answered));
        }
        let Some(later) = later else { return Err(RpcError::internal("the handler did not run").into()) };
        if let Some(context) = context
            && let Some(round) = context.round()
            && round.has_questions()
        {
            let question = round.ask(&self.seal, &request.bond(), &self.limits);
            leave(later, context.call());
            frame.write_question(out, id, &question?);
            return Ok(Begun::Over(Received::Answered));
        }
        Ok(Begun::Later(later))
    }

    /// What a `blocking` function becomes.
    fn on_thread<R: Send + 'static>(
        &self,
        run: Box<dyn FnOnce() -> Result<R, RpcError> + Send>,
        request: &Request<'_>,
    ) -> Result<Later<R>, Refusal> {
        let later = self.blocking.run(Work::of(request).to_string(), run);
        later.map_err(|busy| Refusal::Limit(Fault::Overloaded, busy))
    }
}

/// How far a call came without waiting.
pub(super) enum Begun<R> {
    Over(Received),
    Later(Later<R>),
}

/// A call whose client answers by coming back, with what it takes to know it again.
struct Returning {
    context: Context,
    method: String,
    params: Option<Box<RawValue>>,
}

impl Returning {
    fn new(context: &Context, request: &Request<'_>) -> Self {
        let params = request.raw.map(ToOwned::to_owned);
        Self { context: context.clone(), method: request.method.to_owned(), params }
    }

    fn question(&self, dispatcher: &Dispatcher) -> Result<InputRequiredResult, RpcError> {
        let owner = self.context.principal().map(Principal::owner);
        let bond = Bond::new(owner, &self.method, self.params.as_deref());
        let round = self.context.round().ok_or_else(|| RpcError::internal("the call has no rounds"))?;
        round.ask(&dispatcher.seal, &bond, &dispatcher.limits)
    }
}

/// The result of a handler; where it failed for want of what its client does not offer, that is said instead.
pub(super) fn concluded<R: Answer>(result: Result<R, RpcError>, context: Option<&Context>) -> Result<R, RpcError> {
    let has_failed = result.as_ref().map_or(true, R::is_failure);
    match context.and_then(Context::round).filter(|_| has_failed).and_then(Round::missing) {
        Some(missing) => Err(missing),
        None => result,
    }
}

/// Leaves a handler where it waits, and tells what it has started.
fn leave<R>(later: Later<R>, call: &Call) {
    call.cancel();
    let_go(later);
}

/// Drops a handler: what it holds may panic then, and takes no answer with it.
fn let_go<R>(later: Later<R>) {
    drop(catch_unwind(AssertUnwindSafe(|| drop(later))));
}

/// Runs what a user wrote; a panic is an error of this call and of nothing else.
pub(super) fn guarded<R>(work: Work<'_>, call: impl FnOnce() -> Step<R>) -> Step<R> {
    tracing::debug!("{work}");
    catch_unwind(AssertUnwindSafe(call)).unwrap_or_else(|_| Step::Done(Err(panicked(&work))))
}

pub(super) fn poll_guarded<R>(
    work: &dyn fmt::Display,
    later: &mut Later<R>,
    cx: &mut TaskContext<'_>,
) -> Poll<Result<R, RpcError>> {
    catch_unwind(AssertUnwindSafe(|| later.as_mut().poll(cx))).unwrap_or_else(|_| Poll::Ready(Err(panicked(work))))
}

/// A thread at work for a call, until it is dropped; where that takes so long that others notice, the operator is told
/// whose fault it was.
pub(super) struct Held<W: fmt::Display> {
    work: W,
    since: Instant,
}

impl<W: fmt::Display> Held<W> {
    pub(super) fn by(work: W) -> Self {
        Self { work, since: Instant::now() }
    }
}

impl<W: fmt::Display> Drop for Held<W> {
    fn drop(&mut self) {
        const LONG: Duration = Duration::from_millis(100);
        let (work, took) = (&self.work, self.since.elapsed());
        if took >= LONG {
            tracing::warn!(
                "{work} held its thread for {} ms, and others may have waited: a function that computes, or waits \
                 without `.await`, wants `blocking` (`#[mcp_tool(blocking)]`) or `spawn_blocking`",
                took.as_millis()
            );
        }
    }
}

/// What a client is told of a panic: that the server failed. The panic hook has told the operator where, and this tells in
/// whose call.
pub(super) fn panicked(work: &dyn fmt::Display) -> RpcError {
    tracing::error!("the function panicked in {work}");
    RpcError::internal("the handler failed")
}

/// A function's call, for the operator: the method, and the name of a tool or a prompt. What else a client says is its own.
#[derive(Clone, Copy)]
pub(super) struct Work<'a> {
    method: &'a str,
    /// What the parameters call so: of a tool or a prompt a text as JSON, which has no line breaks.
    name: Option<&'a RawValue>,
}

impl<'a> Work<'a> {
    pub(super) fn of(request: &Request<'a>) -> Self {
        Self { method: request.method, name: request.params.name }
    }
}

impl fmt::Display for Work<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.method)?;
        let is_named = matches!(self.method, "tools/call" | "prompts/get");
        match self.name.filter(|name| is_named && name.get().starts_with('"')) {
            Some(name) => write!(f, " {}", excerpt(name.get())),
            None => Ok(()),
        }
    }
}

/// A call that has its place among those under way, until it is dropped.
pub(super) struct UnderWay {
    session: Arc<Session>,
    id: String,
    pub(super) call: Arc<Call>,
}

impl UnderWay {
    pub(super) fn begin(scene: &Scene<'_>, id: Id<'_>) -> Result<Self, RpcError> {
        Self::take(scene.caller.session, id, scene.hand_over())
    }

    /// A call that has no end of its own.
    pub(super) fn lasting(session: &Arc<Session>, id: Id<'_>) -> Result<Self, RpcError> {
        Self::take(session, id, Arc::new(Call::lasting()))
    }

    pub(super) fn take(session: &Arc<Session>, id: Id<'_>, call: Arc<Call>) -> Result<Self, RpcError> {
        if !session.begin(id.as_str(), &call) {
            return Err(RpcError::invalid_request("a request of this id is under way"));
        }
        Ok(Self { session: Arc::clone(session), id: id.as_str().to_owned(), call })
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        self.call.finish();
        self.session.end(&self.id);
    }
}
