//! Questions of a task: its handler waits here, and is not begun anew.

use std::sync::Arc;

use serde_json::{Value, json, value::RawValue};

use super::{Stream, Task};
use crate::{
    protocol::{RawJson, input::InputRequest, tasks::RELATED_TASK},
    server::{
        ask::{AskError, exchange},
        context::Context,
        round::Keyed,
    },
};

/// How often a question is asked whose answers do not fit.
const MOST_TIMES: usize = 16;

/// Waits for an answer by `tasks/update` (2026-07-28). One that does not fit is asked for again, under another key.
pub(in crate::server) async fn by_update<T>(
    context: &Context,
    task: &Task,
    own_key: Option<&str>,
    mut question: Keyed,
    read: impl Fn(&RawValue) -> Result<T, String>,
) -> Result<T, AskError> {
    let call = context.call();
    let _waiting = call.wait();
    let mut times = 0;
    loop {
        let mut open = task.ask(question.name(), question.request()).ok_or(AskError::TooMany)?;
        let answer = tokio::select! {
            answer = open.answer() => answer.ok_or(AskError::Gone)?,
            () = call.cancelled() => return Err(AskError::Gone),
        };
        times += 1;
        match (read(&answer), context.round()) {
            (Ok(answer), _) => return Ok(answer),
            (Err(reason), Some(round)) if times < MOST_TIMES => {
                tracing::debug!(reason, "asked again, since the answer does not fit");
                question = round.key(own_key, question.request().clone());
            }
            (Err(reason), _) => return Err(AskError::Unfit(reason)),
        }
    }
}

/// Asks whoever waits for the result by `tasks/result` (2025-11-25), now or later.
pub(in crate::server) async fn by_result(
    context: &Context,
    task: &Task,
    request: &InputRequest,
) -> Result<Box<RawValue>, AskError> {
    let call = context.call();
    let _waiting = call.wait();
    let _open = task.ask("", request).ok_or(AskError::TooMany)?;
    let request = related(request, task);
    loop {
        let stream = tokio::select! {
            stream = task.heard() => stream,
            () = call.cancelled() => return Err(AskError::Gone),
        };
        let asked = async {
            match exchange(call, &stream.session, stream.outbox(), &request).await {
                // It went away before it could answer; another may come.
                Err(AskError::Gone) => std::future::pending().await,
                answer => answer,
            }
        };
        tokio::select! {
            biased;
            answer = asked => return answer,
            () = call.cancelled() => return Err(AskError::Gone),
            () = left(task, &stream) => {}
        }
    }
}

/// Resolves once that stream is not where the question belongs any more. Whoever has heard it and lost the connection may
/// answer yet, until somebody else can be asked.
async fn left(task: &Task, stream: &Arc<Stream>) {
    task.unheard_at(stream).await;
    if stream.outbox().is_closed() {
        task.heard().await;
    }
}

/// The request, saying to which task it belongs.
fn related(request: &InputRequest, task: &Task) -> InputRequest {
    let params = request.params.as_ref().and_then(|params| params.parse().ok());
    let mut params: Value = params.unwrap_or_else(|| json!({}));
    params["_meta"][RELATED_TASK] = related_task(task);
    InputRequest { method: request.method, params: Some(RawJson::from(params)) }
}

/// What a message says of the task that it belongs to.
pub(in crate::server) fn related_task(task: &Task) -> Value {
    json!({ "taskId": task.name() })
}
