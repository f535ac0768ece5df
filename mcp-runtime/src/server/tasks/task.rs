//! One task: how far it is, what it asks, what came of it.

use std::{
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError},
    time::{Duration, SystemTime},
};

use serde::Serialize;
use serde_json::{Map, Value, value::RawValue};
use tokio::{
    sync::{Notify, oneshot},
    time::Instant,
};

use super::{Owner, Place, TaskId, Tasks};
use crate::{
    protocol::{
        self, CallToolResult, ProtocolVersion, RawJson, RpcError,
        adapt::{Lower, error_object},
        input::InputRequest,
        tasks::{DetailedTask, TaskStatus, timestamp},
    },
    server::seal::random,
    session::{Call, Outbox, Session},
};

/// How often a client had best ask.
const POLL_INTERVAL_MS: u64 = 1000;

/// How long a result is kept at least, where the task is kept for so long at all.
const AFTER_ITS_END: Duration = Duration::from_secs(5 * 60);

/// Questions of one task that wait, at the most.
const MOST_QUESTIONS: usize = 64;

/// A call that has become a task, or may yet.
#[derive(Debug)]
pub(in crate::server) struct Task {
    id: TaskId,
    number: u64,
    owner: Owner,
    /// It was asked for in the words of 2025-11-25.
    core: bool,
    created: SystemTime,
    born: Instant,
    /// Set once it has begun.
    call: OnceLock<Arc<Call>>,
    state: Mutex<State>,
    changed: Notify,
    place: Place,
}

#[derive(Debug)]
struct State {
    /// Never `InputRequired`: that is told by the questions.
    status: TaskStatus,
    message: Option<String>,
    updated: SystemTime,
    ttl: Option<Duration>,
    outcome: Option<Result<CallToolResult, RpcError>>,
    questions: Vec<Question>,
    last_question: u64,
    /// How often its status or its questions have changed.
    turns: u64,
    /// Where clients wait for the result (2025-11-25): the latest hears what belongs to the task.
    streams: Vec<Arc<Stream>>,
}

#[derive(Debug)]
struct Question {
    number: u64,
    key: String,
    request: InputRequest,
    answer: oneshot::Sender<Box<RawValue>>,
}

/// A question that waits, until this is dropped.
#[derive(Debug)]
pub(super) struct OpenQuestion<'a> {
    task: &'a Task,
    number: u64,
    answer: oneshot::Receiver<Box<RawValue>>,
}

/// What a client hears that waits for a result.
#[derive(Debug)]
pub(in crate::server) struct Stream {
    pub(in crate::server) session: Arc<Session>,
    /// The queue of its request's own reply, where it has one.
    pub(super) reply: Option<Arc<Outbox>>,
}

impl Stream {
    pub(in crate::server) fn outbox(&self) -> &Outbox {
        self.reply.as_deref().unwrap_or(&self.session.outbox)
    }
}

/// A stream's place at a task, until it is dropped.
#[derive(Debug)]
pub(super) struct Attached {
    task: Arc<Task>,
    stream: Arc<Stream>,
}

impl Task {
    /// A call that may become a task. It has its place already.
    ///
    /// # Errors
    /// -32603 where there is no place, or no randomness.
    pub(super) fn new(
        tasks: &Arc<Tasks>,
        owner: Owner,
        core: bool,
        asked_ttl: Option<Duration>,
    ) -> Result<Arc<Self>, RpcError> {
        let (place, number) = tasks.take_place(&owner)?;
        let id = random().map_err(|error| {
            tracing::error!(%error, "there is no randomness");
            RpcError::internal("the task could not be named")
        })?;
        let now = SystemTime::now();
        Ok(Arc::new(Self {
            id: TaskId::from_be_bytes(id),
            number,
            owner,
            core,
            created: now,
            born: Instant::now(),
            call: OnceLock::new(),
            state: Mutex::new(State {
                status: TaskStatus::Working,
                message: None,
                updated: now,
                ttl: tasks.ttl(asked_ttl),
                outcome: None,
                questions: Vec::new(),
                last_question: 0,
                turns: 0,
                streams: Vec::new(),
            }),
            changed: Notify::new(),
            place,
        }))
    }

    pub(super) fn id(&self) -> TaskId {
        self.id
    }

    /// The id as it stands on the wire.
    pub(in crate::server) fn name(&self) -> String {
        format!("{:032x}", self.id)
    }

    pub(super) fn number(&self) -> u64 {
        self.number
    }

    pub(super) fn owner(&self) -> &Owner {
        &self.owner
    }

    pub(in crate::server) fn is_core(&self) -> bool {
        self.core
    }

    /// Says that the call goes on as a task.
    pub(super) fn begin(&self, call: Arc<Call>) {
        // It begins once.
        let _ = self.call.set(call);
    }

    /// Whether the call goes on as a task; before that it is one like any other.
    pub(in crate::server) fn is_begun(&self) -> bool {
        self.call.get().is_some()
    }

    /// Says how far it is, for people.
    pub(in crate::server) fn say(&self, message: String) {
        self.change(|state| {
            state.message = Some(message);
            state.updated = SystemTime::now();
        });
    }

    /// Takes the handler's result; one that was cancelled stays so.
    pub(super) fn settle(&self, result: Result<CallToolResult, RpcError>) {
        let status = match &result {
            Err(_) => TaskStatus::Failed,
            // What a tool says of its failure is a result only where the core does not ask for more.
            Ok(result) if result.is_error && self.core => TaskStatus::Failed,
            Ok(_) => TaskStatus::Completed,
        };
        let message = result.as_ref().err().map(|error| error.message.clone());
        self.end(status, message, Some(result));
    }

    /// Ends it without a result, and tells its handler.
    pub(super) fn cancel(&self) {
        self.end(TaskStatus::Cancelled, None, None);
        if let Some(call) = self.call.get() {
            call.cancel();
        }
    }

    /// Cancels it; false where it has ended already.
    pub(super) fn cancel_running(&self) -> bool {
        let is_running = !self.state().status.is_terminal();
        if is_running {
            self.cancel();
        }
        is_running && self.state().status == TaskStatus::Cancelled
    }

    /// Resolves once it has ended.
    pub(super) async fn ended(&self) {
        self.until(|state| state.status.is_terminal().then_some(())).await;
    }

    pub(super) fn has_ended(&self) -> bool {
        self.state().status.is_terminal()
    }

    /// When it is forgotten, now that it has ended.
    pub(super) fn expiry(&self) -> Option<Instant> {
        self.born.checked_add(self.state().ttl?)
    }

    /// What is told of it.
    pub(super) fn told(&self) -> protocol::tasks::Task {
        self.told_by(&self.state())
    }

    /// What is told of it when it is made, whatever it does already.
    pub(super) fn told_first(&self) -> protocol::tasks::Task {
        protocol::tasks::Task { status: TaskStatus::Working, ..self.told() }
    }

    /// What is told of it, with what its status brings.
    pub(super) fn told_in_full(&self, version: ProtocolVersion) -> DetailedTask {
        let state = self.state();
        let (result, error) = match &state.outcome {
            Some(Ok(result)) => (Some(complete(result, version)), None),
            Some(Err(error)) => (None, Some(error_object(error, version))),
            None => (None, None),
        };
        let questions = state.questions.iter().map(|question| (question.key.clone(), question.request.clone()));
        DetailedTask { task: self.told_by(&state), input_requests: questions.collect(), result, error }
    }

    /// What came of it; none where it was cancelled, or has not ended.
    pub(super) fn outcome(&self) -> Option<Result<CallToolResult, RpcError>> {
        self.state().outcome.clone()
    }

    /// Asks; none where too many questions wait already, or nobody can answer any more.
    pub(super) fn ask(&self, key: &str, request: &InputRequest) -> Option<OpenQuestion<'_>> {
        let (sender, answer) = oneshot::channel();
        let mut number = None;
        self.change(|state| {
            if state.questions.len() < MOST_QUESTIONS && !state.status.is_terminal() {
                state.last_question += 1;
                number = Some(state.last_question);
                let (key, request) = (key.to_owned(), request.clone());
                state.questions.push(Question { number: state.last_question, key, request, answer: sender });
                state.turn();
            }
        });
        Some(OpenQuestion { task: self, number: number?, answer })
    }

    /// Hands an answer to the question of that key; one that nobody waits for is ignored.
    pub(super) fn answer(&self, key: &str, answer: &RawValue) {
        self.change(|state| {
            if let Some(index) = state.questions.iter().position(|question| question.key == key) {
                let question = state.questions.remove(index);
                state.turn();
                // Whoever asked may have gone.
                let _ = question.answer.send(answer.to_owned());
            }
        });
    }

    /// Lets a client that waits for the result hear what belongs to it. The latest hears alone; when it goes, the one
    /// before it hears again.
    pub(super) fn attach(self: &Arc<Self>, stream: Stream) -> Attached {
        let stream = Arc::new(stream);
        self.change(|state| state.streams.push(Arc::clone(&stream)));
        Attached { task: Arc::clone(self), stream }
    }

    /// Where a client waits for the result, if one does.
    pub(in crate::server) fn heard_at(&self) -> Option<Arc<Stream>> {
        self.state().streams.last().cloned()
    }

    /// Resolves once a client waits for the result.
    pub(super) async fn heard(&self) -> Arc<Stream> {
        self.until(|state| state.streams.last().cloned()).await
    }

    /// Resolves once that is no more where a client waits.
    pub(super) async fn unheard_at(&self, stream: &Arc<Stream>) {
        let same = |now: &Arc<Stream>| Arc::ptr_eq(now, stream);
        self.until(|state| (!state.streams.last().is_some_and(same)).then_some(())).await;
    }

    fn told_by(&self, state: &State) -> protocol::tasks::Task {
        let millis = |ttl: Duration| u64::try_from(ttl.as_millis()).unwrap_or(u64::MAX);
        let waits = !state.questions.is_empty() && !state.status.is_terminal();
        protocol::tasks::Task {
            task_id: self.name(),
            status: if waits { TaskStatus::InputRequired } else { state.status },
            status_message: state.message.clone(),
            created_at: timestamp(self.created),
            last_updated_at: timestamp(state.updated),
            ttl_ms: state.ttl.map(millis),
            poll_interval_ms: POLL_INTERVAL_MS,
        }
    }

    fn end(&self, status: TaskStatus, message: Option<String>, outcome: Option<Result<CallToolResult, RpcError>>) {
        self.change(|state| {
            if state.status.is_terminal() {
                return;
            }
            state.status = status;
            state.message = message;
            state.outcome = outcome;
            state.turn();
            state.questions.clear();
            // Who has waited so long is not to find it gone.
            state.ttl = state.ttl.map(|ttl| ttl.max(self.born.elapsed() + ttl.min(AFTER_ITS_END)));
        });
    }

    fn change(&self, change: impl FnOnce(&mut State)) {
        let mut state = self.state();
        let before = state.turns;
        change(&mut state);
        let has_turned = state.turns != before;
        drop(state);
        self.changed.notify_waiters();
        if has_turned
            && !self.core
            && let Some(tasks) = self.place.tasks.upgrade()
        {
            tasks.bus.publish_task(&self.name(), || self.announced());
        }
    }

    /// What is told of it by itself (2026-07-28).
    fn announced(&self) -> Option<Map<String, Value>> {
        let newest = ProtocolVersion::STATELESS[0];
        let told = serde_json::to_value(self.told_in_full(newest)).ok()?;
        if let Value::Object(members) = told { Some(members) } else { None }
    }

    async fn until<T>(&self, look: impl Fn(&State) -> Option<T>) -> T {
        loop {
            let mut changed = std::pin::pin!(self.changed.notified());
            changed.as_mut().enable();
            if let Some(found) = look(&self.state()) {
                return found;
            }
            changed.await;
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Notes that its status or its questions have changed.
    fn turn(&mut self) {
        self.turns += 1;
        self.updated = SystemTime::now();
    }
}

impl OpenQuestion<'_> {
    /// The client's answer; none where there will be none.
    pub(super) async fn answer(&mut self) -> Option<Box<RawValue>> {
        (&mut self.answer).await.ok()
    }
}

impl Drop for OpenQuestion<'_> {
    fn drop(&mut self) {
        self.task.change(|state| {
            let before = state.questions.len();
            state.questions.retain(|question| question.number != self.number);
            if state.questions.len() < before {
                state.turn();
            }
        });
    }
}

impl Drop for Attached {
    fn drop(&mut self) {
        self.task.change(|state| state.streams.retain(|stream| !Arc::ptr_eq(stream, &self.stream)));
    }
}

/// An id as it stands on the wire, where it can be one of ours.
pub(super) fn parse(id: &str) -> Option<TaskId> {
    let ours = id.len() == 32 && id.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    TaskId::from_str_radix(id, 16).ok().filter(|_| ours)
}

/// A result as it would have been the answer of its call.
fn complete(result: &CallToolResult, version: ProtocolVersion) -> RawJson {
    #[derive(Serialize)]
    #[serde(rename_all = "camelCase")]
    struct Complete<'a> {
        result_type: &'static str,
        #[serde(flatten)]
        result: &'a CallToolResult,
    }
    let mut result = result.clone();
    result.lower(version);
    RawJson::new(&Complete { result_type: "complete", result: &result }).unwrap_or_else(|error| {
        tracing::error!(%error, "a handler's value is no JSON");
        serde_json::json!({ "resultType": "complete", "content": [], "isError": true }).into()
    })
}
