//! What the server has at the moment: the snapshot in use, and how another takes its place.

use std::sync::{Arc, Mutex, PoisonError};

use arc_swap::{ArcSwap, Guard};

use super::{
    changes::{Bus, Change},
    error::Error,
    registry::Registry,
};

/// The registry in use, and who hears when it changes.
#[derive(Debug)]
pub(crate) struct Live {
    registry: ArcSwap<Registry>,
    /// Held while a snapshot is made of the one before, so that none is lost.
    changing: Mutex<()>,
    pub(super) bus: Arc<Bus>,
}

impl Live {
    pub(super) fn new(registry: Registry) -> Arc<Self> {
        Arc::new(Self { registry: ArcSwap::from_pointee(registry), changing: Mutex::default(), bus: Arc::default() })
    }

    /// The registry as it is now. It stays what it is for as long as it is held, whatever changes meanwhile.
    pub(super) fn registry(&self) -> Guard<Arc<Registry>> {
        self.registry.load()
    }

    /// Puts another registry in place, and says that its tools have changed.
    ///
    /// # Errors
    /// Where `change` finds one; nothing has changed then.
    pub(super) fn change_tools(&self, change: impl FnOnce(&Registry) -> Result<Registry, Error>) -> Result<(), Error> {
        let changing = self.changing.lock().unwrap_or_else(PoisonError::into_inner);
        let next = change(&self.registry.load())?;
        let before = self.registry.swap(Arc::new(next));
        drop(changing);
        // Behind the lock: what a tool has kept may change the tools as it goes.
        drop(before);
        self.bus.publish(Change::Tools);
        Ok(())
    }
}
