//! The threads for `blocking` functions: a bounded number, behind a bounded queue.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use tokio::sync::Semaphore;

use super::outcome::Later;
use crate::{limits::Limits, protocol::RpcError};

/// Where `blocking` functions run.
#[derive(Debug)]
pub(super) struct BlockingPool {
    threads: Arc<Semaphore>,
    waiting: Arc<AtomicUsize>,
    most_waiting: usize,
}

impl BlockingPool {
    pub(super) fn new(limits: &Limits) -> Self {
        let threads = limits.max_blocking_threads.unwrap_or(Semaphore::MAX_PERMITS).min(Semaphore::MAX_PERMITS);
        Self {
            threads: Arc::new(Semaphore::new(threads)),
            waiting: Arc::default(),
            most_waiting: limits.blocking_queue.unwrap_or(usize::MAX),
        }
    }

    /// Runs a function once a thread is free; `work` tells the operator whose it is.
    ///
    /// # Errors
    /// When the queue is full; then the function does not run.
    pub(super) fn run<R: Send + 'static>(
        &self,
        work: String,
        run: Box<dyn FnOnce() -> Result<R, RpcError> + Send>,
    ) -> Result<Later<R>, RpcError> {
        let threads = Arc::clone(&self.threads);
        let place = match threads.clone().try_acquire_owned() {
            Ok(permit) => Err(permit),
            Err(_) => Ok(Place::take(&self.waiting, self.most_waiting)?),
        };
        Ok(Box::pin(async move {
            let permit = match place {
                Err(permit) => Some(permit),
                Ok(place) => {
                    // The semaphore is never closed.
                    let permit = threads.acquire_owned().await.ok();
                    drop(place);
                    permit
                }
            };
            let task = tokio::task::spawn_blocking(move || {
                let result = run();
                drop(permit);
                result
            });
            task.await.unwrap_or_else(|_| Err(super::running::panicked(&work)))
        }))
    }
}

/// A place in the queue, given back even when the caller goes away.
struct Place(Arc<AtomicUsize>);

impl Place {
    fn take(waiting: &Arc<AtomicUsize>, most: usize) -> Result<Self, RpcError> {
        if waiting.fetch_add(1, Ordering::Relaxed) >= most {
            waiting.fetch_sub(1, Ordering::Relaxed);
            return Err(RpcError::internal("the server is busy; try again later"));
        }
        Ok(Self(Arc::clone(waiting)))
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}
