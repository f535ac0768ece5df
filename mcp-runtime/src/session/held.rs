//! Calls that a transport holds back until others have ended.

use std::{
    collections::VecDeque,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
};

/// Calls, and their bytes, beyond which nothing more should be read.
const MOST_CALLS: usize = 1024;
const MOST_BYTES: usize = 4 * 1024 * 1024;

/// The calls that are held back, in the order of their coming.
#[derive(Debug, Default)]
pub(crate) struct Held {
    queue: Mutex<Queue>,
    /// How much there is, for the common case of nothing.
    calls: AtomicUsize,
    bytes: AtomicUsize,
}

/// A call that nothing was done for.
#[derive(Debug)]
pub(crate) struct HeldCall {
    /// As JSON.
    pub(crate) id: String,
    pub(crate) message: Vec<u8>,
}

#[derive(Debug, Default)]
struct Queue {
    calls: VecDeque<HeldCall>,
    bytes: usize,
}

impl Held {
    /// Holds a call back, behind all others.
    pub(crate) fn push(&self, call: HeldCall) {
        self.change(|queue| {
            queue.bytes += call.message.len();
            queue.calls.push_back(call);
        });
    }

    /// Takes the first call out.
    pub(crate) fn pop(&self) -> Option<HeldCall> {
        self.take(|_| true)
    }

    /// Holds a call back again that was the first, and has to wait still.
    pub(crate) fn put_back(&self, call: HeldCall) {
        self.change(|queue| {
            queue.bytes += call.message.len();
            queue.calls.push_front(call);
        });
    }

    /// Forgets the call of that id, if it is held back.
    pub(crate) fn withdraw(&self, id: &str) {
        self.take(|call| call.id == id);
    }

    pub(crate) fn has(&self, id: &str) -> bool {
        !self.is_empty() && self.lock().calls.iter().any(|call| call.id == id)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.calls.load(Ordering::SeqCst) == 0
    }

    pub(crate) fn is_full(&self) -> bool {
        self.calls.load(Ordering::SeqCst) >= MOST_CALLS || self.bytes.load(Ordering::SeqCst) >= MOST_BYTES
    }

    fn take(&self, is_it: impl Fn(&HeldCall) -> bool) -> Option<HeldCall> {
        if self.is_empty() {
            return None;
        }
        self.change(|queue| {
            let call = queue.calls.remove(queue.calls.iter().position(is_it)?)?;
            queue.bytes -= call.message.len();
            Some(call)
        })
    }

    fn change<T>(&self, change: impl FnOnce(&mut Queue) -> T) -> T {
        let mut queue = self.lock();
        let result = change(&mut queue);
        self.calls.store(queue.calls.len(), Ordering::SeqCst);
        self.bytes.store(queue.bytes, Ordering::SeqCst);
        result
    }

    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
