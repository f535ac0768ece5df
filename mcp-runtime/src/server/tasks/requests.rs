//! What clients ask of tasks: one for a call, and then how it is, that it end, what came of it.

use std::{borrow::Cow, collections::BTreeMap, sync::Arc, time::Duration};

use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use serde::Deserialize;
use serde_json::{json, value::RawValue};

use super::{Owner, Stream, Task, Tasks, asking::related_task};
use crate::{
    protocol::{
        CallToolResult, ErrorCode, ProtocolVersion, RpcError, TaskSupport,
        adapt::{Lower, core_task},
        jsonrpc::{Id, write_error, write_result},
        tasks::{CreateCoreTaskResult, EXTENSION, ListTasksResult, RELATED_TASK},
    },
    server::{
        answer::Frame,
        dispatch::{Outcome, Received, Refusal, Request},
        nearest::excerpt,
        params,
        running::UnderWay,
    },
    session::Call,
};

/// Tasks of one page of `tasks/list`.
const PAGE: usize = 100;

/// The task that a call of a tool may become; none where it is a call like any other.
///
/// # Errors
/// Where the tool wants a task and the client none, or the other way round, or there are too many.
pub(in crate::server) fn of_call(
    tasks: &Arc<Tasks>,
    support: Option<TaskSupport>,
    request: &Request<'_>,
) -> Result<Option<Arc<Task>>, RpcError> {
    let (version, wish) = (request.version, request.params.task);
    let demands = support == Some(TaskSupport::Required);
    let owner = || Owner::of(request.caller, version);
    if version.has_tasks_extension() {
        return match support {
            None => Ok(None),
            Some(_) if !declares(request) && demands => Err(missing()),
            Some(_) if !declares(request) => Ok(None),
            Some(_) => match Task::new(tasks, owner(), false, None) {
                Ok(task) => Ok(Some(task)),
                Err(error) if demands => Err(error),
                // It was not promised one.
                Err(_) => Ok(None),
            },
        };
    }
    let refused = |message| Err(RpcError::new(ErrorCode::MethodNotFound, message));
    match (support, wish) {
        (None, Some(_)) if version.has_core_tasks() && request.registry.has_tasks() => {
            refused("this tool does not run as a task; call it without `task`")
        }
        (Some(_), Some(wish)) if version.has_core_tasks() => Task::new(tasks, owner(), true, ttl(wish)?).map(Some),
        _ if demands && version.has_core_tasks() => refused("this tool runs as a task only; call it with `task`"),
        _ if demands => refused("this tool runs as a task only, and this version of the protocol has none"),
        _ => Ok(None),
    }
}

/// Writes that a call has become a task.
pub(in crate::server) fn write_created(out: &mut Vec<u8>, frame: &Frame, id: Id<'_>, task: &Task) {
    if task.is_core() {
        write_result(out, id, &CreateCoreTaskResult { task: core_task(task.told_first()) });
    } else {
        frame.write_task(out, id, &task.told_first());
    }
}

/// Answers `tasks/get`.
pub(in crate::server) fn get(
    tasks: &Tasks,
    frame: &Frame,
    request: &Request<'_>,
    out: &mut Vec<u8>,
) -> Result<(), RpcError> {
    let task = named(tasks, request)?;
    if task.is_core() {
        write_result(out, request.id, &core_task(task.told()));
    } else {
        frame.write_own(out, request.id, request.version, &task.told_in_full(request.version));
    }
    Ok(())
}

/// Answers `tasks/cancel`: by the task in 2025-11-25, where one that has ended is refused; later by nothing.
pub(in crate::server) fn cancel(
    tasks: &Tasks,
    frame: &Frame,
    request: &Request<'_>,
    out: &mut Vec<u8>,
) -> Result<(), RpcError> {
    let task = named(tasks, request)?;
    let has_ended = !task.cancel_running();
    if !task.is_core() {
        frame.write_own(out, request.id, request.version, &json!({}));
    } else if has_ended {
        return Err(RpcError::invalid_params("the task has ended already"));
    } else {
        write_result(out, request.id, &core_task(task.told()));
    }
    Ok(())
}

/// Answers `tasks/update` (2026-07-28): answers that nobody waits for are passed over.
pub(in crate::server) fn update(
    tasks: &Tasks,
    frame: &Frame,
    request: &Request<'_>,
    out: &mut Vec<u8>,
) -> Result<(), RpcError> {
    let task = named(tasks, request)?;
    let answers: BTreeMap<Cow<'_, str>, &RawValue> = match request.params.input_responses {
        Some(raw) if raw.get().starts_with('{') => params::read(raw)?,
        Some(_) => return Err(RpcError::invalid_params("`params.inputResponses` must be an object")),
        None => return Err(RpcError::invalid_params("`params.inputResponses` is missing")),
    };
    for (key, answer) in answers {
        task.answer(&key, answer);
    }
    frame.write_own(out, request.id, request.version, &json!({}));
    Ok(())
}

/// Takes `tasks/result` (2025-11-25), which waits until there is one.
pub(in crate::server) fn result(tasks: &Tasks, request: &Request<'_>, out: &mut Vec<u8>) -> Result<Received, Refusal> {
    let task = named(tasks, request)?;
    let (caller, version) = (request.caller, request.version);
    if task.has_ended() {
        write_outcome(out, request.id, &task, version)?;
        return Ok(Received::Answered);
    }
    let under_way = UnderWay::take(caller.session, request.id, Arc::<Call>::default())?;
    let reply = caller.reply.map(|reply| Arc::clone(reply.queue()));
    // Whoever hears nothing but the result is not asked.
    let hears = reply.as_ref().is_none_or(|reply| !reply.is_deaf());
    let stream = || Stream { session: Arc::clone(caller.session), reply: reply.clone() };
    let attached = hears.then(|| task.attach(stream()));
    let id = request.id.as_str().to_owned();
    Ok(Received::Pending(Box::pin(async move {
        let unheard = async {
            match &reply {
                Some(reply) => reply.closed().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            () = under_way.call.cancelled() => return None,
            () = task.ended() => {}
            // A task may go on for long after: whoever waited keeps no place, and hides nobody who waits too.
            () = unheard => return None,
        }
        drop((attached, under_way));
        let (mut answer, id) = (Vec::new(), Id::of(&id));
        if let Err(error) = write_outcome(&mut answer, id, &task, version) {
            write_error(&mut answer, Some(id), &error, version);
        }
        Some(Outcome { answer, fault: None })
    })))
}

/// Answers `tasks/list` (2025-11-25).
pub(in crate::server) fn list(tasks: &Tasks, request: &Request<'_>, out: &mut Vec<u8>) -> Result<(), RpcError> {
    let owner = Owner::of(request.caller, request.version);
    if owner == Owner::Bearer {
        let message = "tasks are listed for a session, or for somebody who is authenticated";
        return Err(RpcError::new(ErrorCode::MethodNotFound, message));
    }
    let after = request.params.cursor()?.map(|cursor| number(&cursor)).transpose()?;
    let mut all = tasks.all_of(&owner);
    all.retain(|task| after.is_none_or(|after| task.number() > after));
    let next_cursor = (all.len() > PAGE).then(|| BASE64_URL_SAFE_NO_PAD.encode(all[PAGE - 1].number().to_be_bytes()));
    all.truncate(PAGE);
    let tasks = all.iter().map(|task| core_task(task.told())).collect();
    write_result(out, request.id, &ListTasksResult { tasks, next_cursor });
    Ok(())
}

/// Whether there is a task of that id which belongs to the caller.
pub(in crate::server) fn is_own(tasks: &Tasks, request: &Request<'_>, id: &str) -> bool {
    tasks.find(id, &Owner::of(request.caller, request.version), false).is_some()
}

/// Refuses a client that has not said that it can deal with tasks.
pub(in crate::server) fn must_declare(request: &Request<'_>) -> Result<(), RpcError> {
    if request.version.has_tasks_extension() && !declares(request) { Err(missing()) } else { Ok(()) }
}

/// Whether the request says that its client can deal with tasks (2026-07-28).
fn declares(request: &Request<'_>) -> bool {
    #[derive(Deserialize)]
    struct Offered<'a> {
        #[serde(borrow, default)]
        extensions: Option<BTreeMap<Cow<'a, str>, &'a RawValue>>,
    }
    let offered = request.params.meta.client_capabilities;
    let offered = offered.and_then(|raw| serde_json::from_str::<Offered<'_>>(raw.get()).ok());
    let settings = offered.and_then(|offered| offered.extensions?.remove(EXTENSION));
    settings.is_some_and(|settings| settings.get().starts_with('{'))
}

fn missing() -> RpcError {
    let required = json!({ "requiredCapabilities": { "extensions": { EXTENSION: {} } } });
    let message = format!("this needs a client that offers the extension {EXTENSION}");
    RpcError::new(ErrorCode::MissingClientCapability, message).with_data(required)
}

/// How long a client wants its task to be kept (2025-11-25).
fn ttl(wish: &RawValue) -> Result<Option<Duration>, RpcError> {
    #[derive(Deserialize)]
    struct Wish {
        #[serde(default)]
        ttl: Option<f64>,
    }
    let wish = if wish.get().starts_with('{') { serde_json::from_str::<Wish>(wish.get()).ok() } else { None };
    let wish = wish.ok_or_else(|| RpcError::invalid_params("`params.task` must be an object, its `ttl` a number"))?;
    let Some(ttl) = wish.ttl else { return Ok(None) };
    // What no clock can tell is as long as may be.
    if ttl < 0.0 {
        return Err(RpcError::invalid_params("`params.task.ttl` must be a number of milliseconds"));
    }
    Ok(Some(Duration::try_from_secs_f64(ttl / 1000.0).unwrap_or(Duration::MAX)))
}

/// The task that a request names; to anybody but its owner it does not exist.
fn named(tasks: &Tasks, request: &Request<'_>) -> Result<Arc<Task>, RpcError> {
    let id = request.params.task_id()?;
    let owner = Owner::of(request.caller, request.version);
    let found = tasks.find(&id, &owner, request.version.has_core_tasks());
    found.ok_or_else(|| {
        RpcError::invalid_params(format!("there is no task `{}`, or it was forgotten after its time", excerpt(&id)))
    })
}

/// Writes what came of a task, as the answer that its call would have had.
fn write_outcome(out: &mut Vec<u8>, id: Id<'_>, task: &Task, version: ProtocolVersion) -> Result<(), RpcError> {
    let outcome = task.outcome().unwrap_or_else(|| Err(RpcError::internal("the task was cancelled")));
    let mut result: CallToolResult = outcome?;
    result.lower(version);
    result.meta.get_or_insert_default().insert(RELATED_TASK.to_owned(), related_task(task));
    write_result(out, id, &result);
    Ok(())
}

/// Where a page begins: behind the task of that number.
fn number(cursor: &str) -> Result<u64, RpcError> {
    let bytes = BASE64_URL_SAFE_NO_PAD.decode(cursor).ok().and_then(|bytes| bytes.try_into().ok());
    bytes
        .map(u64::from_be_bytes)
        .ok_or_else(|| RpcError::invalid_params("`cursor` is not one that this list gave; begin again without one"))
}
