//! The one dispatcher: from the bytes of a message to the bytes of its answer.
//!
//! A call is parsed borrowed, its arguments are decoded from the raw text, its handler is polled in place, and its
//! result is written once. Only a handler that is pending then becomes a future for somebody to drive.

use std::{
    borrow::Cow,
    future::Future,
    panic::{AssertUnwindSafe, catch_unwind},
    pin::Pin,
    sync::Arc,
    task::{Context as TaskContext, Poll, Waker},
    time::Duration,
};

use serde::Deserialize;
use serde_json::value::RawValue;

use super::{
    answer::{Answer, Frame},
    arguments::{Mode, PromptCall, PromptRun, ResourceCall, ResourceRun, ToolCall, ToolRun, texts},
    blocking::BlockingPool,
    completion,
    context::{Context, Scene, States},
    deadline::{Deadlines, Ended},
    lifecycle,
    live::Live,
    message::{Binding, Body, Content, Message, Single},
    nearest::{excerpt, nearest},
    outcome::{Later, Step, resource_not_found},
    params::{self, Params},
    registry::{List, Registry},
    round::{Answers, Round},
    seal::{Bond, Seal},
    stateless::Era,
    subscriptions,
    tasks::{self, Task, Tasks},
};
use crate::{
    limits::Limits,
    principal::Principal,
    protocol::{
        Caching, CallToolResult, ErrorCode, GetPromptResult, ProtocolVersion, ReadResourceResult, RpcError,
        input::InputRequiredResult,
        jsonrpc::{Id, Malformed, write_error, write_raw_result, write_result},
        method::Method,
    },
    session::{Call, Reply, Session},
};

/// A server's functions with all that calling them needs.
#[derive(Debug)]
pub(crate) struct Dispatcher {
    live: Arc<Live>,
    frame: Arc<Frame>,
    limits: Limits,
    blocking: BlockingPool,
    seal: Seal,
    tasks: Arc<Tasks>,
}

/// Whose message it is: the session's, sent by a principal where the listener authenticates.
#[derive(Clone, Copy)]
pub(crate) struct Caller<'a> {
    pub(crate) session: &'a Arc<Session>,
    pub(crate) principal: Option<&'a Arc<Principal>>,
    /// The reply of this message alone; without one all that a call says goes to the session's queue.
    pub(crate) reply: Option<&'a Reply<'a>>,
    pub(crate) binding: Binding<'a>,
}

impl<'a> Caller<'a> {
    /// The caller at the other end of a pipe, who is not authenticated.
    pub(crate) fn unknown(session: &'a Arc<Session>) -> Self {
        Self { session, principal: None, reply: None, binding: Binding::Pipe }
    }

    /// Refuses a principal that lacks one of the scopes. Where nobody is authenticated there are none to lack.
    pub(super) fn must_have(self, scopes: &'static [&'static str]) -> Result<(), Refusal> {
        match self.principal {
            Some(principal) if !scopes.iter().all(|scope| principal.has_scope(scope)) => Err(Refusal::Scopes(scopes)),
            _ => Ok(()),
        }
    }
}

/// A request on its way: who asks, under which id, in which version, for what, and of what there is to be had.
pub(super) struct Request<'a> {
    pub(super) caller: Caller<'a>,
    pub(super) id: Id<'a>,
    pub(super) version: ProtocolVersion,
    method: &'a str,
    pub(super) params: &'a Params<'a>,
    pub(super) raw: Option<&'a RawValue>,
    pub(super) registry: &'a Registry,
}

/// Why a request gets no result.
pub(super) enum Refusal {
    Error(RpcError),
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
    /// As many calls are under way as may be, and nothing was done; the refusal stands in the buffer, for a transport
    /// that cannot hold the message back until one ends.
    Busy,
}

/// What is wrong with a message that is refused, for a transport whose answers have a status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// It is no message, or contradicts itself.
    Malformed,
    /// There is no such method.
    UnknownMethod,
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
    fn of(error: &RpcError, version: ProtocolVersion) -> Option<Self> {
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

    /// Reads one message without acting on it.
    ///
    /// # Errors
    /// Where it is none.
    pub(crate) fn read<'m>(&self, message: &'m [u8], binding: Binding<'m>) -> Result<Message<'m>, Malformed<'m>> {
        Message::read(message, binding, &self.limits)
    }

    /// Takes one message of a session; an answer that is there at once is appended to `out`.
    pub(crate) fn receive(self: &Arc<Self>, caller: Caller<'_>, message: &[u8], out: &mut Vec<u8>) -> Received {
        match self.read(message, caller.binding) {
            Ok(message) => self.take(caller, &message, out),
            Err(malformed) => refuse(out, &malformed, caller.session.version()),
        }
    }

    /// Takes a message that was read.
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
            let received = match message {
                Ok(single) => self.handle(caller, &single, &mut answer),
                Err(malformed) => refuse(&mut answer, &malformed, version),
            };
            match received {
                Received::Answered | Received::Refused(_) | Received::Busy | Received::Forbidden(_) => {
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
            return Err(RpcError::invalid_request("`initialize` comes first").into());
        }
        if session.is_under_way(id.as_str()) {
            return Err(RpcError::invalid_request("a request of this id is under way").into());
        }
        if session.was_cancelled_early(id.as_str()) {
            return Ok(Received::Accepted);
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
            return Ok(Received::Busy);
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

    fn list(&self, list: List, request: &Request<'_>, out: &mut Vec<u8>) -> Result<(), RpcError> {
        request.must_offer(list)?;
        let cursor = request.params.cursor()?;
        let page = request.registry.pages(list, request.version).page(cursor.as_deref())?;
        write_raw_result(out, request.id, page);
        Ok(())
    }

    fn call_tool(self: &Arc<Self>, request: &Request<'_>, out: &mut Vec<u8>) -> Result<Received, Refusal> {
        request.must_offer(List::Tools)?;
        let params = request.params;
        let name = params.name()?;
        let Some(tool) = request.registry.tool(&name) else {
            return Err(unknown("tool", &name, request.registry.tool_names()).into());
        };
        request.caller.must_have(tool.scopes)?;
        // An absent `arguments` and a null one are an empty object.
        let arguments = params.arguments;
        if arguments.is_some_and(|raw| !raw.get().starts_with('{')) {
            return Err(RpcError::invalid_params("`params.arguments` must be an object").into());
        }
        if let Binding::Http(headers) = request.caller.binding
            && request.version.is_stateless()
        {
            for argument in &tool.mirrored {
                argument.check(arguments, headers)?;
            }
        }
        let mut scene = self.scene(request, &tool.states)?;
        let task = tasks::requests::of_call(&self.tasks, tool.task, request)?;
        scene.task.clone_from(&task);
        let step = guarded(|| {
            tool.function.call(ToolCall(Mode::Run(ToolRun {
                name: &tool.listed.name,
                arguments,
                properties: tool.properties.as_deref(),
                flattened: &tool.flattened,
                patterns: &tool.patterns,
                strict: tool.strict,
                scene: &scene,
            })))
        });
        match task {
            None => Ok(self.advance(step, &scene, request, tool.timeout, |_| (), out)?),
            Some(task) => Ok(self.advance_as_task(&task, step, &scene, request, tool.timeout, out)?),
        }
    }

    /// Takes a call that may become a task as far as it goes without waiting; what is left over goes on as one. A client
    /// that asked for a task gets one in any case.
    fn advance_as_task(
        self: &Arc<Self>,
        task: &Arc<Task>,
        step: Step<CallToolResult>,
        scene: &Scene<'_>,
        request: &Request<'_>,
        timeout: Option<Duration>,
        out: &mut Vec<u8>,
    ) -> Result<Received, RpcError> {
        let later = if task.is_core() {
            match step {
                Step::Described => return Err(RpcError::internal("the handler did not run")),
                Step::Done(result) => Box::pin(std::future::ready(result)),
                Step::Later(later) => later,
                Step::Blocking(run) => self.blocking.run(run)?,
            }
        } else {
            match self.begin(step, scene, request, |_| (), out)? {
                Begun::Over(received) => return Ok(received),
                Begun::Later(later) => later,
            }
        };
        let deadlines = Deadlines::new(timeout, &self.limits);
        // As it is at its beginning, whatever it does meanwhile.
        tasks::requests::write_created(out, &self.frame, request.id, task);
        self.tasks.run(task, later, scene.hand_over(), deadlines, scene.taken().cloned());
        Ok(Received::Answered)
    }

    /// Answers what concerns tasks.
    fn about_tasks(&self, method: Method, request: &Request<'_>, out: &mut Vec<u8>) -> Result<Received, Refusal> {
        use tasks::requests;

        if !request.registry.has_tasks() {
            return Err(RpcError::new(ErrorCode::MethodNotFound, "this server has no tasks").into());
        }
        requests::must_declare(request)?;
        let (tasks, frame) = (&*self.tasks, &*self.frame);
        match method {
            Method::TaskResult => return requests::result(tasks, request, out),
            Method::UpdateTask => requests::update(tasks, frame, request, out)?,
            Method::CancelTask => requests::cancel(tasks, frame, request, out)?,
            Method::ListTasks => requests::list(tasks, request, out)?,
            _ => requests::get(tasks, frame, request, out)?,
        }
        Ok(Received::Answered)
    }

    fn read_resource(self: &Arc<Self>, request: &Request<'_>, out: &mut Vec<u8>) -> Result<Received, Refusal> {
        request.must_offer(List::Resources)?;
        let uri = request.params.uri()?;
        let found = match request.registry.resource(&uri) {
            Some(resource) => Some((resource, Vec::new())),
            None => request.registry.template(&uri),
        };
        let Some((resource, variables)) = found else {
            let mut error = resource_not_found(&uri);
            if let Some(near) = nearest(&uri, request.registry.resource_uris()) {
                error.message.push_str(&format!("; did you mean `{near}`?"));
            }
            return Err(error.into());
        };
        request.caller.must_have(resource.spec.scopes)?;
        let scene = self.scene(request, &resource.states)?;
        let step = guarded(|| {
            resource.function.call(ResourceCall(Mode::Run(ResourceRun {
                uri: &uri,
                mime_type: resource.spec.mime_type,
                variables: &variables,
                scene: &scene,
            })))
        });
        let declared = match request.params.input_responses.or(request.params.request_state) {
            // What came of one client's answers is for nobody to keep.
            Some(_) => Caching::default(),
            None => request.registry.declared(resource.spec.ttl, resource.spec.public_cache),
        };
        let keep = move |result: &mut ReadResourceResult| {
            result.ttl_ms.get_or_insert(declared.ttl_ms);
            result.cache_scope.get_or_insert(declared.cache_scope);
        };
        Ok(self.advance(step, &scene, request, None, keep, out)?)
    }

    fn get_prompt(self: &Arc<Self>, request: &Request<'_>, out: &mut Vec<u8>) -> Result<Received, Refusal> {
        request.must_offer(List::Prompts)?;
        let name = request.params.name()?;
        let Some(prompt) = request.registry.prompt(&name) else {
            return Err(unknown("prompt", &name, request.registry.prompt_names()).into());
        };
        request.caller.must_have(prompt.scopes)?;
        let (arguments, problems) = texts(request.params.arguments)?;
        let scene = self.scene(request, &prompt.states)?;
        let step = guarded(|| {
            prompt.function.call(PromptCall(Mode::Run(PromptRun {
                name: &name,
                arguments: &arguments,
                problems,
                names: prompt.listed.arguments.as_deref().unwrap_or_default(),
                scene: &scene,
            })))
        });
        let listed = prompt.description;
        let describe = move |result: &mut GetPromptResult| {
            if result.description.is_none() {
                result.description = listed.map(str::to_owned);
            }
        };
        Ok(self.advance(step, &scene, request, None, describe, out)?)
    }

    fn complete(self: &Arc<Self>, request: &Request<'_>, out: &mut Vec<u8>) -> Result<Received, Refusal> {
        let step = completion::complete(request)?;
        let states = Arc::default();
        let scene = request.scene(&states)?;
        Ok(self.advance(step, &scene, request, None, |_| (), out)?)
    }

    /// What a handler may know of its request, with the answers of a client that comes back.
    fn scene<'a>(&self, request: &Request<'a>, states: &'a Arc<States>) -> Result<Scene<'a>, RpcError> {
        let scene = request.scene(states)?;
        if request.version.is_stateless() {
            let Params { request_state, input_responses, .. } = request.params;
            scene.answers.set(Answers::open(&self.seal, || request.bond(), *request_state, *input_responses)?);
        }
        Ok(scene)
    }

    /// Takes a call as far as it goes without waiting; what is left over becomes a future.
    fn advance<R: Answer>(
        self: &Arc<Self>,
        step: Step<R>,
        scene: &Scene<'_>,
        request: &Request<'_>,
        timeout: Option<Duration>,
        polish: impl FnOnce(&mut R) + Clone + Send + 'static,
        out: &mut Vec<u8>,
    ) -> Result<Received, RpcError> {
        let (id, version) = (request.id, scene.version);
        let mut later = match self.begin(step, scene, request, polish.clone(), out)? {
            Begun::Over(received) => return Ok(received),
            Begun::Later(later) => later,
        };
        let context = scene.taken().filter(|context| context.round().is_some());
        let returning = context.map(|context| Returning::new(context, request));
        let under_way = UnderWay::begin(scene, id)?;
        let deadlines = Deadlines::new(timeout, &self.limits);
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
            if question.is_some() {
                leave(later, &under_way.call);
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

    /// Takes a call as far as it goes without waiting.
    fn begin<R: Answer>(
        &self,
        step: Step<R>,
        scene: &Scene<'_>,
        request: &Request<'_>,
        polish: impl FnOnce(&mut R),
        out: &mut Vec<u8>,
    ) -> Result<Begun<R>, RpcError> {
        let (id, frame) = (request.id, &self.frame);
        let (mut later, done) = match step {
            Step::Described => return Err(RpcError::internal("the handler did not run")),
            Step::Done(result) => (None, Poll::Ready(result)),
            Step::Later(later) => (Some(later), Poll::Pending),
            Step::Blocking(run) => (Some(self.blocking.run(run)?), Poll::Pending),
        };
        let done = match &mut later {
            Some(later) => poll_guarded(later, &mut TaskContext::from_waker(Waker::noop())),
            None => done,
        };
        let context = scene.taken().filter(|context| context.round().is_some());
        if let Poll::Ready(result) = done {
            let mut result = concluded(result, context)?;
            polish(&mut result);
            frame.write(out, id, scene.version, &mut result);
            return Ok(Begun::Over(Received::Answered));
        }
        let Some(later) = later else { return Err(RpcError::internal("the handler did not run")) };
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
}

/// How far a call came without waiting.
enum Begun<R> {
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
    // What a handler holds may panic when it is dropped.
    drop(catch_unwind(AssertUnwindSafe(|| drop(later))));
}

impl<'a> Request<'a> {
    /// Refuses what concerns a capability that the server does not offer.
    fn must_offer(&self, list: List) -> Result<(), RpcError> {
        if self.registry.has(list) {
            return Ok(());
        }
        let things = match list {
            List::Tools => "tools",
            List::Resources | List::ResourceTemplates => "resources",
            List::Prompts => "prompts",
        };
        Err(RpcError::new(ErrorCode::MethodNotFound, format!("this server has no {things}")))
    }

    /// What the request's handler may know of it.
    fn scene(&self, states: &'a Arc<States>) -> Result<Scene<'a>, RpcError> {
        let mut scene = Scene::new(self.caller, self.version, states);
        scene.meta = self.params.raw_meta;
        scene.progress_token = self.params.meta.progress_token()?;
        if self.version.is_stateless() {
            scene.log_level = self.params.meta.log_level()?;
        }
        Ok(scene)
    }

    /// What the request is known by when its client comes back.
    fn bond(&self) -> Bond {
        Bond::new(self.caller.principal.map(|principal| principal.owner()), self.method, self.raw)
    }
}

/// Writes why a text is no message.
fn refuse(out: &mut Vec<u8>, malformed: &Malformed<'_>, version: ProtocolVersion) -> Received {
    write_error(out, malformed.id, &malformed.error, version);
    Received::Refused(Fault::Malformed)
}

/// Runs what a user wrote; a panic is an error of this call and of nothing else.
fn guarded<R>(call: impl FnOnce() -> Step<R>) -> Step<R> {
    catch_unwind(AssertUnwindSafe(call)).unwrap_or_else(|_| Step::Done(Err(panicked())))
}

pub(super) fn poll_guarded<R>(later: &mut Later<R>, cx: &mut TaskContext<'_>) -> Poll<Result<R, RpcError>> {
    catch_unwind(AssertUnwindSafe(|| later.as_mut().poll(cx))).unwrap_or_else(|_| Poll::Ready(Err(panicked())))
}

/// What a client is told of a panic: that the server failed. The panic hook has told the operator the rest.
pub(super) fn panicked() -> RpcError {
    RpcError::internal("the handler failed")
}

/// A call that has its place among those under way, until it is dropped.
pub(super) struct UnderWay {
    session: Arc<Session>,
    id: String,
    pub(super) call: Arc<Call>,
}

impl UnderWay {
    fn begin(scene: &Scene<'_>, id: Id<'_>) -> Result<Self, RpcError> {
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

pub(super) fn unknown<'a>(kind: &str, name: &str, names: impl Iterator<Item = &'a str>) -> RpcError {
    let mut message = format!("there is no {kind} `{}`", excerpt(name));
    if let Some(near) = nearest(name, names) {
        message.push_str(&format!("; did you mean `{near}`?"));
    }
    RpcError::invalid_params(message)
}

fn array(answers: &[Vec<u8>]) -> Vec<u8> {
    let mut array = vec![b'['];
    array.extend(answers.join(&b','));
    array.push(b']');
    array
}
