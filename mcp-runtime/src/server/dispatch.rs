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

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::{
    arguments::{Mode, PromptCall, PromptRun, ResourceCall, ResourceRun, ToolCall, ToolRun, texts},
    blocking::BlockingPool,
    context::Scene,
    deadline::Deadlines,
    lifecycle,
    nearest::{excerpt, nearest},
    outcome::{Completer, Later, Step, resource_not_found},
    params,
    registry::{List, Registry},
};
use crate::{
    limits::Limits,
    principal::Principal,
    protocol::{
        CompleteResult, Completion, ErrorCode, GetPromptResult, LoggingLevel, RpcError,
        adapt::Lower,
        jsonrpc::{Envelope, Id, Kind, Malformed, write_error, write_raw_result, write_result},
        method::Method,
    },
    session::{Call, Session},
};

/// A server's functions with all that calling them needs.
#[derive(Debug)]
pub(crate) struct Dispatcher {
    registry: Registry,
    limits: Limits,
    blocking: BlockingPool,
}

/// Whose message it is: the session's, sent by a principal where the listener authenticates.
#[derive(Clone, Copy)]
pub(crate) struct Caller<'a> {
    pub(crate) session: &'a Arc<Session>,
    pub(crate) principal: Option<&'a Arc<Principal>>,
}

impl<'a> Caller<'a> {
    /// The caller on a transport that authenticates nobody.
    pub(crate) fn unknown(session: &'a Arc<Session>) -> Self {
        Self { session, principal: None }
    }

    /// Refuses a principal that lacks one of the scopes. Where nobody is authenticated there are none to lack.
    fn must_have(self, scopes: &'static [&'static str]) -> Result<(), Refusal> {
        match self.principal {
            Some(principal) if !scopes.iter().all(|scope| principal.has_scope(scope)) => Err(Refusal::Scopes(scopes)),
            _ => Ok(()),
        }
    }
}

/// Why a request gets no result.
enum Refusal {
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
    /// It is no message; the refusal stands in the buffer.
    Refused,
    /// The principal lacks one of these scopes; the refusal stands in the buffer.
    Forbidden(
        #[cfg_attr(not(feature = "http"), expect(dead_code, reason = "only a listener tells which"))]
        &'static [&'static str],
    ),
    /// As many calls are under way as may be, and nothing was done; the refusal stands in the buffer, for a transport
    /// that cannot hold the message back until one ends.
    Busy,
}

/// The answer to a call that is under way; none where nobody waits for it any more.
pub(crate) type Pending = Pin<Box<dyn Future<Output = Option<Vec<u8>>> + Send>>;

impl Dispatcher {
    pub(crate) fn new(registry: Registry, limits: Limits) -> Arc<Self> {
        let blocking = BlockingPool::new(&limits);
        Arc::new(Self { registry, limits, blocking })
    }

    pub(crate) fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Takes one message of a session; an answer that is there at once is appended to `out`.
    pub(crate) fn receive(self: &Arc<Self>, caller: Caller<'_>, message: &[u8], out: &mut Vec<u8>) -> Received {
        let refuse = |out: &mut Vec<u8>, malformed: Malformed<'_>| {
            write_error(out, malformed.id, &malformed.error, caller.session.version());
            Received::Refused
        };
        let Ok(text) = std::str::from_utf8(message) else {
            return refuse(out, Malformed::parse_error("the message is not UTF-8"));
        };
        if let Some(depth) = self.limits.max_json_depth
            && depth < 128
            && nests_deeper(text, depth)
        {
            return refuse(out, Malformed::invalid_request("the message is nested too deeply"));
        }
        if text.trim_ascii_start().starts_with('[') {
            return self.receive_batch(caller, text, out);
        }
        match Envelope::parse(text) {
            Ok(envelope) => self.handle(caller, &envelope, out),
            Err(malformed) => refuse(out, malformed),
        }
    }

    /// Takes an array of messages, where the session's version has such.
    fn receive_batch(self: &Arc<Self>, caller: Caller<'_>, text: &str, out: &mut Vec<u8>) -> Received {
        let refuse = |out: &mut Vec<u8>, malformed: Malformed<'_>| {
            write_error(out, malformed.id, &malformed.error, caller.session.version());
            Received::Refused
        };
        let messages: Vec<&RawValue> = match serde_json::from_str(text) {
            Ok(messages) => messages,
            Err(_) => return refuse(out, Malformed::parse_error("the message is not valid JSON")),
        };
        if !caller.session.agreed().is_some_and(|agreed| agreed.version.has_batching()) {
            return refuse(out, Malformed::invalid_request("batches exist in version 2025-03-26 only"));
        }
        if messages.is_empty() {
            return refuse(out, Malformed::invalid_request("a batch holds at least one message"));
        }
        if let Some(most) = self.limits.max_batch
            && messages.len() > most
        {
            return refuse(out, Malformed::invalid_request(&format!("a batch holds at most {most} messages")));
        }
        let mut answers = Vec::new();
        let mut pending = Vec::new();
        for message in messages {
            let mut answer = Vec::new();
            let received = match Envelope::parse(message.get()) {
                Ok(envelope) => self.handle(caller, &envelope, &mut answer),
                Err(malformed) => refuse(&mut answer, malformed),
            };
            match received {
                Received::Answered | Received::Refused | Received::Busy | Received::Forbidden(_) => {
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
                answers.extend(task.await.ok().flatten());
            }
            (!answers.is_empty()).then(|| array(&answers))
        }))
    }

    fn handle(self: &Arc<Self>, caller: Caller<'_>, envelope: &Envelope<'_>, out: &mut Vec<u8>) -> Received {
        let Kind::Call { method, params } = &envelope.kind else {
            tracing::debug!("an answer to no request of this server, or a malformed notification, was dropped");
            return Received::Accepted;
        };
        let Some(id) = envelope.id else {
            if Method::parse(method) == Some(Method::Cancelled) {
                cancel(caller.session, *params);
            }
            return Received::Accepted;
        };
        match self.request(caller, id, method, *params, out) {
            Ok(received) => received,
            Err(Refusal::Error(error)) => {
                write_error(out, Some(id), &error, caller.session.version());
                Received::Answered
            }
            Err(Refusal::Scopes(scopes)) => {
                let message = format!("this takes the scopes {}", scopes.join(" "));
                write_error(out, Some(id), &RpcError::invalid_request(message), caller.session.version());
                Received::Forbidden(scopes)
            }
        }
    }

    fn request(
        self: &Arc<Self>,
        caller: Caller<'_>,
        id: Id<'_>,
        method: &str,
        params: Option<&RawValue>,
        out: &mut Vec<u8>,
    ) -> Result<Received, Refusal> {
        let found = Method::parse(method).filter(|method| method.is_request());
        let Some(found) = found else {
            let message = format!("there is no method `{}`", excerpt(method));
            return Err(RpcError::new(ErrorCode::MethodNotFound, message).into());
        };
        if caller.session.agreed().is_none() && !matches!(found, Method::Initialize | Method::Ping) {
            return Err(RpcError::invalid_request("`initialize` comes first").into());
        }
        if caller.session.is_under_way(id.as_str()) {
            return Err(RpcError::invalid_request("a request of this id is under way").into());
        }
        if caller.session.was_cancelled_early(id.as_str()) {
            return Ok(Received::Accepted);
        }
        let calls_a_handler =
            matches!(found, Method::CallTool | Method::ReadResource | Method::GetPrompt | Method::Complete);
        if calls_a_handler
            && let Some(most) = self.limits.max_requests_per_session
            && caller.session.calls_under_way() >= most
        {
            let refusal = RpcError::internal(format!("{most} requests are under way; wait for one to end"));
            write_error(out, Some(id), &refusal, caller.session.version());
            return Ok(Received::Busy);
        }
        match found {
            Method::CallTool => return self.call_tool(caller, id, params, out),
            Method::ReadResource => return self.read_resource(caller, id, params, out),
            Method::GetPrompt => return self.get_prompt(caller, id, params, out),
            Method::Complete => return self.complete(caller, id, params, out),
            Method::ListTools => self.list(List::Tools, caller.session, id, params, out)?,
            Method::ListResources => self.list(List::Resources, caller.session, id, params, out)?,
            Method::ListResourceTemplates => self.list(List::ResourceTemplates, caller.session, id, params, out)?,
            Method::ListPrompts => self.list(List::Prompts, caller.session, id, params, out)?,
            Method::Initialize => {
                let result = lifecycle::initialize(&self.registry, caller.session, params)?;
                write_result(out, id, &result);
            }
            Method::SetLevel => {
                set_level(caller.session, params)?;
                write_raw_result(out, id, b"{}");
            }
            Method::Ping => write_raw_result(out, id, b"{}"),
            Method::Initialized | Method::Cancelled => return Ok(Received::Accepted),
        }
        Ok(Received::Answered)
    }

    fn list(
        &self,
        list: List,
        session: &Session,
        id: Id<'_>,
        params: Option<&RawValue>,
        out: &mut Vec<u8>,
    ) -> Result<(), RpcError> {
        #[derive(Default, Deserialize)]
        struct Params<'a> {
            #[serde(borrow, default)]
            cursor: Option<Cow<'a, str>>,
        }
        if !self.registry.has(list) {
            let message = format!(
                "this server has no {}",
                match list {
                    List::Tools => "tools",
                    List::Resources | List::ResourceTemplates => "resources",
                    List::Prompts => "prompts",
                }
            );
            return Err(RpcError::new(ErrorCode::MethodNotFound, message));
        }
        let params: Params<'_> = params.map_or(Ok(Params::default()), params::read)?;
        let page = self.registry.pages(list, session.version()).page(params.cursor.as_deref())?;
        write_raw_result(out, id, page);
        Ok(())
    }

    fn call_tool(
        self: &Arc<Self>,
        caller: Caller<'_>,
        id: Id<'_>,
        params: Option<&RawValue>,
        out: &mut Vec<u8>,
    ) -> Result<Received, Refusal> {
        #[derive(Deserialize)]
        struct Params<'a> {
            #[serde(borrow)]
            name: Cow<'a, str>,
            #[serde(borrow, default)]
            arguments: Option<&'a RawValue>,
            #[serde(borrow, default, rename = "_meta")]
            meta: Option<&'a RawValue>,
        }
        let params: Params<'_> = params::required(params, "params.name")?;
        let Some(tool) = self.registry.tool(&params.name) else {
            return Err(unknown("tool", &params.name, self.registry.tool_names()).into());
        };
        caller.must_have(tool.scopes)?;
        // An absent `arguments` and a null one are an empty object.
        let arguments = params.arguments.filter(|raw| raw.get() != "null");
        if arguments.is_some_and(|raw| !raw.get().starts_with('{')) {
            return Err(RpcError::invalid_params("`params.arguments` must be an object").into());
        }
        let scene = Scene::new(caller, &tool.states, params.meta, params::progress_token(params.meta)?);
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
        Ok(self.advance(step, &scene, id, tool.timeout, |_| (), out)?)
    }

    fn read_resource(
        self: &Arc<Self>,
        caller: Caller<'_>,
        id: Id<'_>,
        params: Option<&RawValue>,
        out: &mut Vec<u8>,
    ) -> Result<Received, Refusal> {
        #[derive(Deserialize)]
        struct Params<'a> {
            #[serde(borrow)]
            uri: Cow<'a, str>,
            #[serde(borrow, default, rename = "_meta")]
            meta: Option<&'a RawValue>,
        }
        let params: Params<'_> = params::required(params, "params.uri")?;
        let found = match self.registry.resource(&params.uri) {
            Some(resource) => Some((resource, Vec::new())),
            None => self.registry.template(&params.uri),
        };
        let Some((resource, variables)) = found else {
            let mut error = resource_not_found(&params.uri);
            if let Some(near) = nearest(&params.uri, self.registry.resource_uris()) {
                error.message.push_str(&format!("; did you mean `{near}`?"));
            }
            return Err(error.into());
        };
        caller.must_have(resource.spec.scopes)?;
        let scene = Scene::new(caller, &resource.states, params.meta, params::progress_token(params.meta)?);
        let step = guarded(|| {
            resource.function.call(ResourceCall(Mode::Run(ResourceRun {
                uri: &params.uri,
                mime_type: resource.spec.mime_type,
                variables: &variables,
                scene: &scene,
            })))
        });
        Ok(self.advance(step, &scene, id, None, |_| (), out)?)
    }

    fn get_prompt(
        self: &Arc<Self>,
        caller: Caller<'_>,
        id: Id<'_>,
        params: Option<&RawValue>,
        out: &mut Vec<u8>,
    ) -> Result<Received, Refusal> {
        #[derive(Deserialize)]
        struct Params<'a> {
            #[serde(borrow)]
            name: Cow<'a, str>,
            #[serde(borrow, default)]
            arguments: Option<&'a RawValue>,
            #[serde(borrow, default, rename = "_meta")]
            meta: Option<&'a RawValue>,
        }
        let params: Params<'_> = params::required(params, "params.name")?;
        let Some(prompt) = self.registry.prompt(&params.name) else {
            return Err(unknown("prompt", &params.name, self.registry.prompt_names()).into());
        };
        caller.must_have(prompt.scopes)?;
        let (arguments, problems) = texts(params.arguments)?;
        let scene = Scene::new(caller, &prompt.states, params.meta, params::progress_token(params.meta)?);
        let step = guarded(|| {
            prompt.function.call(PromptCall(Mode::Run(PromptRun {
                name: &params.name,
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
        Ok(self.advance(step, &scene, id, None, describe, out)?)
    }

    fn complete(
        self: &Arc<Self>,
        caller: Caller<'_>,
        id: Id<'_>,
        params: Option<&RawValue>,
        out: &mut Vec<u8>,
    ) -> Result<Received, Refusal> {
        #[derive(Deserialize)]
        struct Params {
            #[serde(rename = "ref")]
            reference: Reference,
            argument: Argument,
        }
        #[derive(Deserialize)]
        #[serde(tag = "type")]
        enum Reference {
            #[serde(rename = "ref/prompt")]
            Prompt { name: String },
            #[serde(rename = "ref/resource")]
            Resource { uri: String },
        }
        #[derive(Deserialize)]
        struct Argument {
            name: String,
            value: String,
        }
        if !self.registry.has_completions() {
            return Err(RpcError::new(ErrorCode::MethodNotFound, "this server completes no arguments").into());
        }
        let params: Params = params::required(params, "params.ref")?;
        let name = params.argument.name.as_str();
        let (completers, known): (&[(&str, Completer)], bool) = match &params.reference {
            Reference::Prompt { name: prompt } => match self.registry.prompt(prompt) {
                Some(prompt) => {
                    let mut arguments = prompt.listed.arguments.iter().flatten();
                    (&prompt.completers, arguments.any(|argument| argument.name == name))
                }
                None => return Err(unknown("prompt", prompt, self.registry.prompt_names()).into()),
            },
            Reference::Resource { uri } => {
                match self.registry.template_of(uri).or_else(|| self.registry.template(uri).map(|(found, _)| found)) {
                    Some(template) => (&template.completers, template.spec.segments.iter().any(|it| it.is(name))),
                    None => return Err(unknown("resource template", uri, self.registry.resource_uris()).into()),
                }
            }
        };
        if !known {
            return Err(
                RpcError::invalid_params(format!("there is no argument `{}` to complete", excerpt(name))).into()
            );
        }
        let complete = completers.iter().find(|(completed, _)| *completed == name).map(|(_, complete)| *complete);
        let value = params.argument.value;
        let states = Arc::default();
        let scene = Scene::new(caller, &states, None, None);
        let step = guarded(|| {
            Step::Later(Box::pin(async move {
                let values = match complete {
                    Some(complete) => complete(value).await,
                    None => Vec::new(),
                };
                Ok(CompleteResult { completion: Completion::new(values) })
            }))
        });
        Ok(self.advance(step, &scene, id, None, |_| (), out)?)
    }

    /// Takes a call as far as it goes without waiting; what is left over becomes a future.
    fn advance<R: Lower + Serialize + Send + 'static>(
        self: &Arc<Self>,
        step: Step<R>,
        scene: &Scene<'_>,
        id: Id<'_>,
        timeout: Option<Duration>,
        polish: impl FnOnce(&mut R) + Send + 'static,
        out: &mut Vec<u8>,
    ) -> Result<Received, RpcError> {
        let version = scene.caller.session.version();
        let mut later = match step {
            Step::Described => return Err(RpcError::internal("the handler did not run")),
            Step::Done(result) => {
                let mut result = result?;
                polish(&mut result);
                result.lower(version);
                write_result(out, id, &result);
                return Ok(Received::Answered);
            }
            Step::Later(later) => later,
            Step::Blocking(run) => self.blocking.run(run)?,
        };
        if let Poll::Ready(result) = poll_guarded(&mut later, &mut TaskContext::from_waker(Waker::noop())) {
            let mut result = result?;
            polish(&mut result);
            result.lower(version);
            write_result(out, id, &result);
            return Ok(Received::Answered);
        }
        let under_way = UnderWay::begin(scene, id)?;
        let deadlines = Deadlines::new(timeout, &self.limits);
        let session = Arc::clone(scene.caller.session);
        let id = id.as_str().to_owned();
        Ok(Received::Pending(Box::pin(async move {
            let result = deadlines.watch(&under_way.call, later).await;
            under_way.call.finish();
            drop(under_way);
            let id = Id::of(&id);
            let mut out = Vec::new();
            match result? {
                Ok(mut result) => {
                    polish(&mut result);
                    result.lower(session.version());
                    write_result(&mut out, id, &result);
                }
                Err(error) => write_error(&mut out, Some(id), &error, session.version()),
            }
            Some(out)
        })))
    }
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
struct UnderWay {
    session: Arc<Session>,
    id: String,
    call: Arc<Call>,
}

impl UnderWay {
    fn begin(scene: &Scene<'_>, id: Id<'_>) -> Result<Self, RpcError> {
        let call = scene.hand_over();
        if !scene.caller.session.begin(id.as_str(), &call) {
            return Err(RpcError::invalid_request("a request of this id is under way"));
        }
        Ok(Self { session: Arc::clone(scene.caller.session), id: id.as_str().to_owned(), call })
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
    let level = LoggingLevel::parse(&params.level).ok_or_else(|| {
        let levels = LoggingLevel::ALL.map(LoggingLevel::as_str).join(", ");
        RpcError::invalid_params(format!("`params.level` must be one of {levels}"))
    })?;
    session.set_level(level);
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

fn unknown<'a>(kind: &str, name: &str, names: impl Iterator<Item = &'a str>) -> RpcError {
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

/// Whether arrays and objects stand deeper in each other than `depth`.
fn nests_deeper(text: &str, depth: usize) -> bool {
    let (mut now, mut in_string, mut escaped) = (0usize, false, false);
    for byte in text.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            _ if in_string => {}
            b'{' | b'[' => {
                now += 1;
                if now > depth {
                    return true;
                }
            }
            b'}' | b']' => now = now.saturating_sub(1),
            _ => {}
        }
    }
    false
}
