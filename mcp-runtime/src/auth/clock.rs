//! The time, which tests can put forward.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// The wall clock and the steady clock of this machine.
#[derive(Clone, Debug, Default)]
pub(super) struct Clock {
    #[cfg(test)]
    ahead: std::sync::Arc<std::sync::atomic::AtomicU64>,
}

impl Clock {
    /// Seconds since 1970, as tokens count them.
    pub(super) fn seconds(&self) -> f64 {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        (since + self.ahead()).as_secs_f64()
    }

    /// A point in time that no correction of the wall clock moves.
    pub(super) fn instant(&self) -> Instant {
        Instant::now() + self.ahead()
    }

    #[cfg(not(test))]
    fn ahead(&self) -> Duration {
        Duration::ZERO
    }

    #[cfg(test)]
    fn ahead(&self) -> Duration {
        Duration::from_millis(self.ahead.load(std::sync::atomic::Ordering::Relaxed))
    }

    #[cfg(test)]
    pub(super) fn advance(&self, by: Duration) {
        let millis = u64::try_from(by.as_millis()).unwrap();
        self.ahead.fetch_add(millis, std::sync::atomic::Ordering::Relaxed);
    }
}

/// A token's time as the system's. What lies beyond the calendar counts as its end.
pub(super) fn system_time(seconds: f64) -> SystemTime {
    const END_OF_9999: f64 = 253_402_300_799.0;
    UNIX_EPOCH + Duration::try_from_secs_f64(seconds.clamp(0.0, END_OF_9999)).unwrap_or_default()
}
