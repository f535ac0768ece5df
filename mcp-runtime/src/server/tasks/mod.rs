//! Calls that go on after they were answered: who they belong to, how many there may be, how long they are kept.
//!
//! One engine for two forms on the wire: the extension of 2026-07-28, and that of the core of 2025-11-25.

pub(super) mod asking;
pub(super) mod requests;
mod task;

use std::{
    collections::HashMap,
    fmt,
    hash::{Hash, Hasher},
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
    time::Duration,
};

pub(super) use task::{Stream, Task};
use tokio::time::sleep_until;

use super::{
    changes::Bus,
    context::Context,
    deadline::{Deadlines, Ended},
    dispatch::Caller,
    outcome::Later,
    running::concluded,
};
use crate::{
    limits::Limits,
    principal::OwnerKey,
    protocol::{CallToolResult, ProtocolVersion, RpcError},
    session::{Call, Session},
};

/// The tasks of a server: those that run, and those whose results are kept.
pub(crate) struct Tasks {
    most: Option<usize>,
    most_of_one: Option<usize>,
    ttl: Option<Duration>,
    most_ttl: Option<Duration>,
    /// Where changes of tasks are told.
    bus: Arc<Bus>,
    kept: Mutex<Kept>,
}

#[derive(Default)]
struct Kept {
    tasks: HashMap<TaskId, Arc<Task>>,
    /// The places that are taken: by these, and by calls that may become tasks yet.
    places: HashMap<Owner, usize>,
    taken: usize,
    /// The number of the latest task.
    last: u64,
}

/// 128 bits that nobody can guess.
type TaskId = u128;

/// A client that asks for less gets so much.
const LEAST_TTL: Duration = Duration::from_secs(1);

/// Whom a task belongs to: it does not exist for anybody else.
#[derive(Clone, Debug)]
pub(super) enum Owner {
    Principal(OwnerKey),
    /// Nobody is authenticated; the session tells clients apart.
    Session(Weak<Session>),
    /// Nobody is authenticated and there is no session: whoever knows its id.
    Bearer,
}

impl Owner {
    fn of(caller: Caller<'_>, version: ProtocolVersion) -> Self {
        match caller.principal {
            Some(principal) => Self::Principal(principal.owner().clone()),
            None if !version.is_stateless() && caller.session.hears() => Self::Session(Arc::downgrade(caller.session)),
            None => Self::Bearer,
        }
    }

    fn session(&self) -> Option<Arc<Session>> {
        match self {
            Self::Session(session) => session.upgrade(),
            Self::Principal(_) | Self::Bearer => None,
        }
    }
}

impl PartialEq for Owner {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Principal(one), Self::Principal(other)) => one == other,
            (Self::Session(one), Self::Session(other)) => one.ptr_eq(other),
            (Self::Bearer, Self::Bearer) => true,
            _ => false,
        }
    }
}

impl Eq for Owner {}

impl Hash for Owner {
    fn hash<H: Hasher>(&self, state: &mut H) {
        match self {
            Self::Principal(key) => key.hash(state),
            // The address is nobody else's while there is a `Weak` to it.
            Self::Session(session) => session.as_ptr().hash(state),
            Self::Bearer => {}
        }
    }
}

/// A task's place among those that may be, until it is dropped.
#[derive(Debug)]
struct Place {
    tasks: Weak<Tasks>,
    owner: Owner,
}

impl Drop for Place {
    fn drop(&mut self) {
        let Some(tasks) = self.tasks.upgrade() else { return };
        let mut kept = tasks.kept();
        kept.taken = kept.taken.saturating_sub(1);
        if let Some(taken) = kept.places.get_mut(&self.owner) {
            *taken -= 1;
            if *taken == 0 {
                kept.places.remove(&self.owner);
            }
        }
    }
}

impl Tasks {
    pub(super) fn new(bus: Arc<Bus>, limits: &Limits) -> Arc<Self> {
        Arc::new(Self {
            most: limits.max_tasks,
            most_of_one: limits.max_tasks_per_principal,
            ttl: limits.task_ttl,
            most_ttl: limits.max_task_ttl,
            bus,
            kept: Mutex::default(),
        })
    }

    /// Runs a call as the task that it has become; from here on it can be asked for.
    pub(super) fn run(
        self: &Arc<Self>,
        task: &Arc<Task>,
        mut later: Later<CallToolResult>,
        call: Arc<Call>,
        deadlines: Deadlines,
        context: Option<Context>,
    ) {
        task.begin(Arc::clone(&call));
        self.kept().tasks.insert(task.id(), Arc::clone(task));
        let tasks = Arc::downgrade(self);
        let task = Arc::clone(task);
        // Held until its end, which is heard of then.
        let session = task.owner().session();
        tokio::spawn(async move {
            let id = task.id();
            let expiry = {
                let run = async {
                    match deadlines.watch(&call, &mut later, std::future::pending()).await {
                        Some(Ended::Done(result)) => task.settle(concluded(result, context.as_ref())),
                        Some(Ended::Left) | None => task.cancel(),
                    }
                    call.finish();
                    // What a handler holds may panic when it is dropped.
                    drop(catch_unwind(AssertUnwindSafe(|| drop(later))));
                    drop(context);
                };
                let mut run = std::pin::pin!(run);
                tokio::select! {
                    biased;
                    () = &mut run => {}
                    // Nobody can ask for it any more.
                    () = end_of(session.as_deref()) => {
                        task.cancel();
                        run.await;
                    }
                }
                task.expiry()
            };
            // From here on nothing but the server itself keeps it.
            drop(task);
            let expired = async {
                match expiry {
                    Some(expiry) => sleep_until(expiry).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                () = expired => {}
                () = end_of(session.as_deref()) => {}
            }
            if let Some(tasks) = tasks.upgrade() {
                let forgotten = tasks.kept().tasks.remove(&id);
                // Its place is given back behind the lock.
                drop(forgotten);
            }
        });
    }

    /// A task of that owner that was asked for in that form.
    fn find(&self, id: &str, owner: &Owner, is_core: bool) -> Option<Arc<Task>> {
        let id = task::parse(id)?;
        let task = self.kept().tasks.get(&id).cloned();
        task.filter(|task| task.owner() == owner && task.is_core() == is_core)
    }

    /// All of an owner, oldest first.
    fn all_of(&self, owner: &Owner) -> Vec<Arc<Task>> {
        let mut tasks: Vec<_> =
            self.kept().tasks.values().filter(|task| task.is_core() && task.owner() == owner).cloned().collect();
        tasks.sort_unstable_by_key(|task| task.number());
        tasks
    }

    /// Takes a place, before the call that may become a task is begun.
    ///
    /// # Errors
    /// -32603 where as many as may be are kept already.
    fn take_place(self: &Arc<Self>, owner: &Owner) -> Result<(Place, u64), RpcError> {
        let mut kept = self.kept();
        let full = |most| RpcError::internal(format!("{most} tasks run or are kept already; try again later"));
        if let Some(most) = self.most.filter(|most| kept.taken >= *most) {
            tracing::warn!(most, "there are as many tasks as `maxTasks`");
            return Err(full(most));
        }
        let taken = kept.places.entry(owner.clone()).or_default();
        let bounded = *owner != Owner::Bearer;
        if let Some(most) = self.most_of_one.filter(|most| bounded && *taken >= *most) {
            return Err(full(most));
        }
        *taken += 1;
        kept.taken += 1;
        kept.last += 1;
        Ok((Place { tasks: Arc::downgrade(self), owner: owner.clone() }, kept.last))
    }

    /// How long a task is kept whose client asks for so long.
    fn ttl(&self, asked: Option<Duration>) -> Option<Duration> {
        match asked {
            Some(asked) => Some(asked.max(LEAST_TTL).min(self.most_ttl.unwrap_or(Duration::MAX))),
            None => self.ttl,
        }
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The server has ended, and with it what runs in it.
impl Drop for Tasks {
    fn drop(&mut self) {
        let tasks = std::mem::take(&mut self.kept().tasks);
        for task in tasks.into_values() {
            task.cancel();
        }
    }
}

impl fmt::Debug for Tasks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tasks").field("kept", &self.kept().tasks.len()).finish_non_exhaustive()
    }
}

/// Resolves when the session has ended, where there is one.
async fn end_of(session: Option<&Session>) {
    match session {
        Some(session) => session.ended().await,
        None => std::future::pending().await,
    }
}
