//! The way from serving to stopped: told once, heard by every connection.

use std::sync::atomic::{AtomicU8, Ordering};

use tokio::sync::{Notify, futures::Notified};

/// How far a server is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub(super) enum Stage {
    Serving,
    /// Nothing new is taken; what is under way is finished.
    Draining,
    /// Every connection ends at once.
    Cut,
}

#[derive(Debug, Default)]
pub(super) struct Stop {
    stage: AtomicU8,
    changed: Notify,
}

impl Stop {
    pub(super) fn stage(&self) -> Stage {
        match self.stage.load(Ordering::SeqCst) {
            0 => Stage::Serving,
            1 => Stage::Draining,
            _ => Stage::Cut,
        }
    }

    pub(super) fn enter(&self, stage: Stage) {
        self.stage.fetch_max(stage as u8, Ordering::SeqCst);
        self.changed.notify_waiters();
    }

    /// Resolves with the next stage. Made before the stage is read, it misses none.
    pub(super) fn changed(&self) -> Notified<'_> {
        self.changed.notified()
    }
}
