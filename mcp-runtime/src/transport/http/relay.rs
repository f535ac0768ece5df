//! Sees to it that somebody looks after the runtime's sockets, timers and signals while a function computes in place.
//!
//! The worker that saw a request come may be the one that runs its function, and the other workers sleep until somebody wakes
//! them: nobody would hear anything meanwhile. So where requests come, another worker is woken soon after.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, Thread},
    time::Duration,
};

use tokio::runtime::{Handle, RuntimeFlavor};

/// How long nobody hears anything at the most.
const SOON: Duration = Duration::from_millis(50);

/// Wakes a worker after there were requests; its thread ends with it.
#[derive(Debug)]
pub(super) struct Relay {
    shared: Arc<Shared>,
    thread: Thread,
}

#[derive(Debug, Default)]
struct Shared {
    requested: AtomicBool,
    ended: AtomicBool,
}

impl Relay {
    /// For the runtime that this is called on; none where it has one worker, or where no thread can be had.
    pub(super) fn start() -> Option<Self> {
        let runtime = Handle::current();
        if runtime.runtime_flavor() != RuntimeFlavor::MultiThread || runtime.metrics().num_workers() < 2 {
            return None;
        }
        let shared = Arc::<Shared>::default();
        let waking = {
            let shared = Arc::clone(&shared);
            move || shared.wake_workers(&runtime)
        };
        let thread = thread::Builder::new().name("mcp-relay".to_owned()).spawn(waking).ok()?;
        Some(Self { shared, thread: thread.thread().clone() })
    }

    /// There is something to do, which may take a worker.
    pub(super) fn request(&self) {
        if !self.shared.requested.load(Ordering::Relaxed) {
            self.shared.requested.store(true, Ordering::Release);
            self.thread.unpark();
        }
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        self.shared.ended.store(true, Ordering::Release);
        self.thread.unpark();
    }
}

impl Shared {
    fn wake_workers(&self, runtime: &Handle) {
        while !self.ended.load(Ordering::Acquire) {
            if !self.requested.load(Ordering::Acquire) {
                thread::park();
                continue;
            }
            thread::park_timeout(SOON);
            self.requested.store(false, Ordering::Release);
            // Whoever runs it looks after sockets and timers when it goes to sleep again, if nobody else does.
            drop(runtime.spawn(async {}));
        }
    }
}
