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
    // Each stage rings at its own end: whoever learns of the next one before it rings is not rung for that by mistake.
    serving: Notify,
    draining: Notify,
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
        if stage > Stage::Serving {
            self.serving.notify_waiters();
        }
        if stage > Stage::Draining {
            self.draining.notify_waiters();
        }
    }

    /// Resolves when that stage is over. Made before the stage is read once more, it misses nothing; after the last one
    /// nothing comes.
    pub(super) fn end_of(&self, stage: Stage) -> Notified<'_> {
        match stage {
            Stage::Serving => self.serving.notified(),
            Stage::Draining | Stage::Cut => self.draining.notified(),
        }
    }

    /// Resolves when everything ends at once.
    pub(super) async fn cut(&self) {
        loop {
            let next = self.end_of(Stage::Draining);
            if self.stage() == Stage::Cut {
                return;
            }
            next.await;
        }
    }
}
