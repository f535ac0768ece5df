//! How long a call may take, and what becomes of one that is cancelled or late.

use std::{
    future::{Future, poll_fn},
    time::Duration,
};

use tokio::time::{Instant, Sleep, sleep_until};

use super::{
    outcome::Later,
    running::{Held, poll_guarded},
};
use crate::{limits::Limits, protocol::RpcError, session::Call};

/// How long a handler that heeds its cancellation may take to end by itself.
const CANCELLATION_GRACE: Duration = Duration::from_secs(5);

/// A clock that never rings within a process's life.
const NEVER: Duration = Duration::from_secs(30 * 365 * 24 * 60 * 60);

/// The bounds of one call: extended by its progress, and at most.
pub(super) struct Deadlines {
    /// Which call, for the operator.
    work: String,
    each: Option<Duration>,
    last: Option<Instant>,
}

/// How a call ends.
pub(super) enum Ended<R> {
    Done(Result<R, RpcError>),
    Left,
}

impl Deadlines {
    /// The tool's own time, or else the server's.
    pub(super) fn new(work: String, timeout: Option<Duration>, limits: &Limits) -> Self {
        // A bound beyond what the clock can tell is none.
        let last = limits.max_call.and_then(|most| Instant::now().checked_add(most));
        Self { work, each: timeout.or(limits.call_timeout), last }
    }

    /// How the call ends: with its result, or because somebody says that it is to be left. None where it was cancelled.
    pub(super) async fn watch<R>(
        &self,
        call: &Call,
        later: &mut Later<R>,
        left: impl Future<Output = ()>,
    ) -> Option<Ended<R>> {
        let mut left = std::pin::pin!(left);
        let mut cancelled = false;
        let mut clock = std::pin::pin!(ring_at(self.next(Some(Instant::now()))));
        loop {
            tokio::select! {
                biased;
                () = call.cancelled(), if !cancelled => {
                    if !call.is_heeding() {
                        return None;
                    }
                    cancelled = true;
                    clock.set(ring_at(Some(Instant::now() + CANCELLATION_GRACE)));
                }
                result = poll_fn(|cx| {
                    let _held = Held::by(&self.work);
                    poll_guarded(&self.work, later, cx)
                }) => {
                    return (!cancelled).then_some(Ended::Done(result));
                }
                () = &mut left, if !cancelled => return Some(Ended::Left),
                () = &mut clock => {
                    if cancelled {
                        return None;
                    }
                    // Progress is looked at here only: a handler that reports often costs no more for it.
                    let touched = if call.is_waiting() { Some(Instant::now()) } else { call.touched() };
                    let next = touched.and_then(|touched| self.next(Some(touched)));
                    match next {
                        Some(next) if next > Instant::now() => clock.set(ring_at(Some(next))),
                        _ => {
                            // What the handler has started can see that nobody waits; it is dropped where it waits itself.
                            call.cancel();
                            tracing::warn!("given up, since it took too long: {}", self.work);
                            return Some(Ended::Done(Err(RpcError::internal("the call took too long"))));
                        }
                    }
                }
            }
        }
    }

    /// When a call that got on at `touched` is late.
    fn next(&self, touched: Option<Instant>) -> Option<Instant> {
        let each = self.each.and_then(|each| touched?.checked_add(each));
        match (each, self.last) {
            (Some(each), Some(last)) => Some(each.min(last)),
            (each, last) => each.or(last),
        }
    }
}

fn ring_at(time: Option<Instant>) -> Sleep {
    sleep_until(time.unwrap_or_else(|| Instant::now() + NEVER))
}
