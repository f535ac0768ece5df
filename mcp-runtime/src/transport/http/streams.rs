//! How many event streams are open, in all and of each principal.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use super::rejection::Rejection;
use crate::{limits::Limits, principal::OwnerKey};

/// The streams that are open.
#[derive(Default)]
pub(super) struct Streams(Mutex<Counts>);

#[derive(Default)]
struct Counts {
    all: usize,
    of_owner: HashMap<OwnerKey, usize>,
}

impl Streams {
    /// A place for one more; none where there are as many as may be.
    pub(super) fn open(self: &Arc<Self>, owner: Option<&OwnerKey>, limits: &Limits) -> Result<StreamPlace, Rejection> {
        let mut counts = self.lock();
        if limits.max_streams.is_some_and(|most| counts.all >= most) {
            return Err(Rejection::TooManyStreams);
        }
        if let Some(owner) = owner {
            let own = counts.of_owner.get(owner).copied().unwrap_or_default();
            if limits.max_streams_per_principal.is_some_and(|most| own >= most) {
                return Err(Rejection::TooManyOwnStreams);
            }
            counts.of_owner.insert(owner.clone(), own + 1);
        }
        counts.all += 1;
        Ok(StreamPlace { streams: Arc::clone(self), owner: owner.cloned() })
    }

    fn lock(&self) -> MutexGuard<'_, Counts> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The place of a stream, until it is dropped.
pub(super) struct StreamPlace {
    streams: Arc<Streams>,
    owner: Option<OwnerKey>,
}

impl Drop for StreamPlace {
    fn drop(&mut self) {
        let mut counts = self.streams.lock();
        counts.all -= 1;
        if let Some(owner) = &self.owner
            && let Some(own) = counts.of_owner.get_mut(owner)
        {
            *own -= 1;
            if *own == 0 {
                counts.of_owner.remove(owner);
            }
        }
    }
}
