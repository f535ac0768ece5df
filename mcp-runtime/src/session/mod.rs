//! Who is connected (floor 1): the state of one session, and what is under way in it.

pub(crate) mod outbox;

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, MutexGuard, OnceLock, PoisonError, RwLock,
        atomic::{AtomicBool, AtomicU8, AtomicUsize, Ordering},
    },
};

pub(crate) use outbox::{Outbox, Overflow};

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
    owner: Option<OwnerKey>,
    agreed: OnceLock<Agreed>,
    /// `LoggingLevel` as a number: the mildest that is sent.
    level: AtomicU8,
    calls: Mutex<HashMap<String, Arc<Call>>>,
    /// How many those are, for the common case of none.
    under_way: AtomicUsize,
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
        })
    }

    pub(crate) fn owner(&self) -> Option<&OwnerKey> {
        self.owner.as_ref()
    }

    /// Whether the session is that principal's.
    pub(crate) fn belongs_to(&self, owner: Option<&OwnerKey>) -> bool {
        self.owner.as_ref() == owner
    }

    /// Settles the version and the client; false where that was done before.
    pub(crate) fn agree(&self, agreed: Agreed) -> bool {
        self.agreed.set(agreed).is_ok()
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

    /// Notes a call that is under way; false where one of this id already is.
    pub(crate) fn begin(&self, id: &str, call: &Arc<Call>) -> bool {
        let mut calls = self.calls();
        if calls.contains_key(id) {
            return false;
        }
        calls.insert(id.to_owned(), Arc::clone(call));
        self.under_way.store(calls.len(), Ordering::SeqCst);
        true
    }

    pub(crate) fn end(&self, id: &str) {
        let mut calls = self.calls();
        calls.remove(id);
        self.under_way.store(calls.len(), Ordering::SeqCst);
    }

    /// Tells the call of that id, if it is under way, that nobody waits for it any more.
    pub(crate) fn cancel(&self, id: &str) {
        let call = self.calls().get(id).cloned();
        if let Some(call) = call {
            call.cancel();
        }
    }

    /// Cancels all that is under way, and takes no message any more.
    pub(crate) fn close(&self) {
        self.outbox.close();
        self.cancel_all();
    }

    pub(crate) fn cancel_all(&self) {
        let calls: Vec<_> = self.calls().values().cloned().collect();
        for call in calls {
            call.cancel();
        }
    }

    pub(crate) fn calls_under_way(&self) -> usize {
        self.under_way.load(Ordering::SeqCst)
    }

    pub(crate) fn is_under_way(&self, id: &str) -> bool {
        self.calls_under_way() > 0 && self.calls().contains_key(id)
    }

    fn calls(&self) -> MutexGuard<'_, HashMap<String, Arc<Call>>> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One call that is under way: whether it is still wanted, and how far it is.
#[derive(Debug, Default)]
pub(crate) struct Call {
    cancelled: AtomicBool,
    /// The handler watches for cancellation, so it is let finish by itself.
    heeding: AtomicBool,
    finished: AtomicBool,
    cancellation: tokio::sync::Notify,
    /// Raised by each progress report; the deadline starts anew.
    pub(crate) progressed: tokio::sync::Notify,
    progress: RwLock<Option<f64>>,
}

impl Call {
    pub(crate) fn cancel(&self) {
        self.cancelled.store(true, Ordering::SeqCst);
        self.cancellation.notify_waiters();
    }

    pub(crate) fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::SeqCst)
    }

    /// Resolves when the call is cancelled; at once where it was.
    pub(crate) async fn cancelled(&self) {
        let mut notified = std::pin::pin!(self.cancellation.notified());
        notified.as_mut().enable();
        if !self.is_cancelled() {
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
    }

    /// Whether anybody still listens to what it reports.
    pub(crate) fn is_open(&self) -> bool {
        !self.finished.load(Ordering::SeqCst) && !self.is_cancelled()
    }

    /// Takes the next value of progress; false unless it is greater than the last.
    pub(crate) fn advance(&self, progress: f64) -> bool {
        let mut last = self.progress.write().unwrap_or_else(PoisonError::into_inner);
        if !progress.is_finite() || last.is_some_and(|last| progress <= last) {
            return false;
        }
        *last = Some(progress);
        true
    }
}
