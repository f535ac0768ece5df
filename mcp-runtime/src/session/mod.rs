//! Who is connected (floor 1): the state of one session, and what is under way in it.

mod held;
pub(crate) mod outbox;
#[cfg(feature = "http")]
pub(crate) mod replay;
mod requests;

use std::{
    any::Any,
    collections::HashMap,
    sync::{
        Arc, Mutex, MutexGuard, OnceLock, PoisonError,
        atomic::{AtomicBool, AtomicU8, AtomicUsize, Ordering},
    },
};

pub(crate) use held::{Held, HeldCall};
pub(crate) use outbox::{Outbox, Overflow, Reply};
use requests::Requests;
pub(crate) use requests::{NoRequest, OpenRequest};
use tokio::time::Instant;

use crate::{
    principal::OwnerKey,
    protocol::{ClientCapabilities, Implementation, LoggingLevel, ProtocolVersion},
};

/// One client's session: from its connection to its end.
#[derive(Debug)]
pub(crate) struct Session {
    /// What goes to the client outside of an answer.
    pub(crate) outbox: Outbox,
    /// The principal that opened it, where the listener authenticates: nobody else may use it.
    #[cfg_attr(not(feature = "http"), expect(dead_code, reason = "only a listener has strangers"))]
    owner: Option<OwnerKey>,
    agreed: OnceLock<Agreed>,
    /// `LoggingLevel` as a number: the mildest that is sent.
    level: AtomicU8,
    calls: Mutex<HashMap<String, Arc<Call>>>,
    /// How many those are, for the common case of none.
    under_way: AtomicUsize,
    /// How many of them last for as long as the client likes.
    lasting: AtomicUsize,
    /// What is dropped with the session: its place among those who hear of changes.
    membership: OnceLock<Box<dyn Any + Send + Sync>>,
    /// There is no stream on which anything could be said to it outside of an answer.
    deaf: AtomicBool,
    /// What this server has asked the client.
    requests: Requests,
    closed: AtomicBool,
    /// Woken when it closes.
    ending: tokio::sync::Notify,
    /// Calls that the transport holds back, until others end.
    pub(crate) held: Held,
}

/// What `initialize` settled.
#[derive(Debug)]
pub(crate) struct Agreed {
    pub(crate) version: ProtocolVersion,
    pub(crate) client_info: Option<Implementation>,
    pub(crate) capabilities: ClientCapabilities,
}

impl Session {
    pub(crate) fn new(outbox: Outbox, owner: Option<OwnerKey>) -> Arc<Self> {
        Arc::new(Self {
            outbox,
            owner,
            agreed: OnceLock::new(),
            level: AtomicU8::new(LoggingLevel::Info as u8),
            calls: Mutex::default(),
            under_way: AtomicUsize::new(0),
            lasting: AtomicUsize::new(0),
            membership: OnceLock::new(),
            deaf: AtomicBool::new(false),
            requests: Requests::default(),
            closed: AtomicBool::new(false),
            ending: tokio::sync::Notify::new(),
            held: Held::default(),
        })
    }

    #[cfg(feature = "http")]
    pub(crate) fn owner(&self) -> Option<&OwnerKey> {
        self.owner.as_ref()
    }

    /// Whether the session is that principal's.
    #[cfg(feature = "http")]
    pub(crate) fn belongs_to(&self, owner: Option<&OwnerKey>) -> bool {
        self.owner.as_ref() == owner
    }

    /// Settles the version and the client; false where that was done before.
    pub(crate) fn agree(&self, agreed: Agreed) -> bool {
        self.agreed.set(agreed).is_ok()
    }

    /// Takes a client at its word that says its version without a handshake; one that says none speaks the oldest that
    /// Streamable HTTP has.
    #[cfg(feature = "http")]
    pub(crate) fn assume(&self, version: Option<&str>) {
        let version = version.and_then(ProtocolVersion::parse).filter(|version| !version.is_stateless());
        let version = version.unwrap_or(ProtocolVersion::WITHOUT_HEADER);
        self.agree(Agreed { version, client_info: None, capabilities: ClientCapabilities::default() });
    }

    pub(crate) fn agreed(&self) -> Option<&Agreed> {
        self.agreed.get()
    }

    /// The version agreed on; before that, the newest that a handshake gives.
    pub(crate) fn version(&self) -> ProtocolVersion {
        self.agreed.get().map_or(ProtocolVersion::LATEST_WITH_HANDSHAKE, |agreed| agreed.version)
    }

    pub(crate) fn set_level(&self, level: LoggingLevel) {
        self.level.store(level as u8, Ordering::Relaxed);
    }

    pub(crate) fn logs(&self, level: LoggingLevel) -> bool {
        level as u8 >= self.level.load(Ordering::Relaxed)
    }

    /// Makes the session's place among those who hear of changes, unless it has one; it is dropped with the session.
    pub(crate) fn stay_member(&self, place: impl FnOnce() -> Box<dyn Any + Send + Sync>) {
        self.membership.get_or_init(place);
    }

    /// Notes that nothing can be said to the client outside of an answer.
    #[cfg(feature = "http")]
    pub(crate) fn deafen(&self) {
        self.deaf.store(true, Ordering::Relaxed);
    }

    /// Whether the client can be told something outside of an answer.
    pub(crate) fn hears(&self) -> bool {
        !self.deaf.load(Ordering::Relaxed)
    }

    /// Notes a call that is under way; false where one of this id already is.
    pub(crate) fn begin(&self, id: &str, call: &Arc<Call>) -> bool {
        let mut calls = self.calls();
        if calls.contains_key(id) {
            return false;
        }
        calls.insert(id.to_owned(), Arc::clone(call));
        if call.lasts {
            self.lasting.fetch_add(1, Ordering::SeqCst);
        }
        self.under_way.store(calls.len(), Ordering::SeqCst);
        drop(calls);
        // Whoever closes the session either sees this call, or is seen here.
        if self.closed.load(Ordering::SeqCst) {
            call.cancel();
        }
        true
    }

    pub(crate) fn end(&self, id: &str) {
        let mut calls = self.calls();
        if calls.remove(id).is_some_and(|call| call.lasts) {
            self.lasting.fetch_sub(1, Ordering::SeqCst);
        }
        self.under_way.store(calls.len(), Ordering::SeqCst);
    }

    /// Tells the call of that id, if it is under way, that nobody waits for it any more; one that is held back is
    /// forgotten. An id that is neither means nothing, and may be used afterwards.
    pub(crate) fn cancel(&self, id: &str) {
        let call = self.calls().get(id).cloned();
        match call {
            Some(call) => call.cancel(),
            None => self.held.withdraw(id),
        }
    }

    /// Cancels all that is under way, and takes no message any more.
    pub(crate) fn close(&self) {
        self.closed.store(true, Ordering::SeqCst);
        self.outbox.close();
        self.cancel_all();
        self.ending.notify_waiters();
    }

    /// Resolves when the session is closed; at once where it was.
    pub(crate) async fn ended(&self) {
        let mut ending = std::pin::pin!(self.ending.notified());
        ending.as_mut().enable();
        if !self.closed.load(Ordering::SeqCst) {
            ending.await;
        }
    }

    pub(crate) fn cancel_all(&self) {
        let calls: Vec<_> = self.calls().values().cloned().collect();
        for call in calls {
            call.cancel();
        }
    }

    /// How many calls are under way that somebody waits for.
    pub(crate) fn calls_under_way(&self) -> usize {
        self.under_way.load(Ordering::SeqCst).saturating_sub(self.lasting.load(Ordering::SeqCst))
    }

    /// Whether a call of that id has begun, or is held back.
    pub(crate) fn is_under_way(&self, id: &str) -> bool {
        (self.under_way.load(Ordering::SeqCst) > 0 && self.calls().contains_key(id)) || self.held.has(id)
    }

    fn calls(&self) -> MutexGuard<'_, HashMap<String, Arc<Call>>> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How far a call is.
#[derive(Debug, Default)]
struct Progress {
    last: Option<f64>,
    touched: Option<Instant>,
}

/// One call that is under way: whether it is still wanted, and how far it is.
#[derive(Debug, Default)]
pub(crate) struct Call {
    cancelled: AtomicBool,
    /// The handler watches for cancellation, so it is let finish by itself.
    heeding: AtomicBool,
    finished: AtomicBool,
    /// Rings when it is cancelled, and when it is answered.
    ending: tokio::sync::Notify,
    /// How many questions of it wait for the client.
    waiting: AtomicUsize,
    progress: Mutex<Progress>,
    /// It lasts for as long as the client likes, and takes no place from others.
    lasts: bool,
}

impl Call {
    /// A call that has no end of its own.
    pub(crate) fn lasting() -> Self {
        Self { lasts: true, ..Self::default() }
    }

    pub(crate) fn cancel(&self) {
        self.cancelled.store(true, Ordering::SeqCst);
        self.ending.notify_waiters();
    }

    pub(crate) fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::SeqCst)
    }

    /// Resolves when the call is cancelled; at once where it was.
    pub(crate) async fn cancelled(&self) {
        self.until(Self::is_cancelled).await;
    }

    /// Resolves when nobody waits for the call any more: it is cancelled, or answered.
    pub(crate) async fn over(&self) {
        self.until(|call| !call.is_open()).await;
    }

    async fn until(&self, is_so: impl Fn(&Self) -> bool) {
        loop {
            let mut notified = std::pin::pin!(self.ending.notified());
            notified.as_mut().enable();
            if is_so(self) {
                return;
            }
            notified.await;
        }
    }

    pub(crate) fn heed(&self) {
        self.heeding.store(true, Ordering::SeqCst);
    }

    pub(crate) fn is_heeding(&self) -> bool {
        self.heeding.load(Ordering::SeqCst)
    }

    /// Marks the call as answered: what it still reports goes nowhere.
    pub(crate) fn finish(&self) {
        self.finished.store(true, Ordering::SeqCst);
        self.ending.notify_waiters();
    }

    /// Whether anybody still listens to what it reports.
    pub(crate) fn is_open(&self) -> bool {
        !self.finished.load(Ordering::SeqCst) && !self.is_cancelled()
    }

    /// Notes that the call gets on: its deadline starts anew.
    pub(crate) fn touch(&self) {
        self.progress().touched = Some(Instant::now());
    }

    /// Notes that the call waits for its client, until what this gives is dropped.
    pub(crate) fn wait(&self) -> Waiting<'_> {
        self.waiting.fetch_add(1, Ordering::SeqCst);
        Waiting(self)
    }

    pub(crate) fn is_waiting(&self) -> bool {
        self.waiting.load(Ordering::SeqCst) > 0
    }

    /// When it last said that it gets on.
    pub(crate) fn touched(&self) -> Option<Instant> {
        self.progress().touched
    }

    /// Takes the next value of progress; false unless it is greater than the last.
    pub(crate) fn advance(&self, progress: f64) -> bool {
        let last = &mut self.progress().last;
        if !progress.is_finite() || last.is_some_and(|last| progress <= last) {
            return false;
        }
        *last = Some(progress);
        true
    }

    fn progress(&self) -> MutexGuard<'_, Progress> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A call waits for its client.
#[derive(Debug)]
pub(crate) struct Waiting<'a>(&'a Call);

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.waiting.fetch_sub(1, Ordering::SeqCst);
        self.0.touch();
    }
}
