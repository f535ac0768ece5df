//! A document that is fetched when it is needed, by one fetch at a time, and serves on while its server is down.

use std::{
    future::Future,
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use tokio::sync::watch;

use super::{clock::Clock, fetch::FetchError, remembered::Digest};
use crate::limits::Limits;

/// The document, and what fetches it.
pub(super) struct Kept<T> {
    inner: Arc<Inner<T>>,
}

/// What a fetch brought.
pub(super) struct Loaded<T> {
    pub(super) value: T,
    /// Of the document's text, which tells whether it is another one than before.
    pub(super) digest: Digest,
    pub(super) max_age: Option<Duration>,
}

pub(super) type Load<T> = Pin<Box<dyn Future<Output = Result<Loaded<T>, FetchError>> + Send>>;

/// The document as it was at one time.
pub(super) struct Edition<T> {
    pub(super) value: Arc<T>,
    /// Another number for another text.
    pub(super) generation: u64,
}

/// What there is at this moment.
pub(super) enum Look<T> {
    Ready(Edition<T>),
    /// It should be waited for; `fallback` serves if that takes too long.
    Wait {
        flight: Flight,
        fallback: Option<Edition<T>>,
    },
    /// Its server is down, and was asked so recently that it is not asked now.
    Down,
}

/// Ends when the fetch under way has ended, well or not.
pub(super) struct Flight(watch::Receiver<()>);

/// The least time between two tries while a server is down.
const RETRY: Duration = Duration::from_secs(2);
/// How long a request that could be served by an outdated document waits for a new one.
const PATIENCE: Duration = Duration::from_millis(500);

struct Inner<T> {
    /// For the log, e.g. `the key set`.
    what: &'static str,
    load: Box<dyn Fn() -> Load<T> + Send + Sync>,
    clock: Clock,
    age: Option<Duration>,
    refetch: Duration,
    grace: Option<Duration>,
    state: Mutex<State<T>>,
}

struct State<T> {
    current: Option<Current<T>>,
    generation: u64,
    /// When the last fetch began, or failed.
    tried: Option<Instant>,
    flight: Option<watch::Receiver<()>>,
    failure: Option<FetchError>,
}

struct Current<T> {
    value: Arc<T>,
    digest: Digest,
    fetched: Instant,
    /// How long it is fresh; `None` for ever.
    age: Option<Duration>,
}

impl<T: Send + Sync + 'static> Kept<T> {
    pub(super) fn new(
        what: &'static str,
        limits: &Limits,
        clock: Clock,
        load: impl Fn() -> Load<T> + Send + Sync + 'static,
    ) -> Self {
        let state = State { current: None, generation: 0, tried: None, flight: None, failure: None };
        Self {
            inner: Arc::new(Inner {
                what,
                load: Box::new(load),
                clock,
                age: limits.jwks_age,
                refetch: limits.jwks_refetch.unwrap_or_default(),
                grace: limits.jwks_grace,
                state: Mutex::new(state),
            }),
        }
    }

    /// What there is now. A document that is missing or out of date is fetched, by one fetch for all who ask.
    pub(super) fn look(&self) -> Look<T> {
        let now = self.inner.clock.instant();
        let mut state = self.inner.lock();
        let freshness = match &state.current {
            None => Freshness::Useless,
            Some(current) => current.freshness(now, self.inner.grace),
        };
        let may_try = state.flight.is_none() && state.may_try(now, self.inner.age.unwrap_or(RETRY).min(RETRY));
        match (freshness, state.edition()) {
            (Freshness::Fresh, Some(edition)) => Look::Ready(edition),
            // Shortly before its time a document is renewed, so that nobody waits for it afterwards. A server that was
            // down the last time is asked again, and nobody waits for it, either.
            (Freshness::Aging, Some(edition)) => {
                if may_try {
                    self.flight(&mut state, now);
                }
                Look::Ready(edition)
            }
            (Freshness::Outdated, Some(edition)) if state.failure.is_some() => {
                if may_try {
                    self.flight(&mut state, now);
                }
                Look::Ready(edition)
            }
            (Freshness::Outdated, fallback) if may_try || state.flight.is_some() => {
                Look::Wait { fallback, flight: self.flight(&mut state, now) }
            }
            (Freshness::Outdated, Some(edition)) => Look::Ready(edition),
            _ if may_try || state.flight.is_some() => {
                Look::Wait { fallback: None, flight: self.flight(&mut state, now) }
            }
            _ => Look::Down,
        }
    }

    /// What there is, waited for if need be.
    pub(super) async fn get(&self) -> Option<Edition<T>> {
        match self.look() {
            Look::Ready(edition) => Some(edition),
            Look::Wait { flight, fallback } => self.landed(flight, fallback).await,
            Look::Down => None,
        }
    }

    /// What there is when a fetch has ended; `fallback` if that takes long.
    pub(super) async fn landed(&self, flight: Flight, fallback: Option<Edition<T>>) -> Option<Edition<T>> {
        match fallback {
            None => flight.ended().await,
            Some(fallback) => {
                if tokio::time::timeout(PATIENCE, flight.ended()).await.is_err() {
                    return Some(fallback);
                }
            }
        }
        let now = self.inner.clock.instant();
        let state = self.inner.lock();
        let current = state.current.as_ref()?;
        if current.freshness(now, self.inner.grace) == Freshness::Useless { None } else { state.edition() }
    }

    /// Another edition than the one of that generation, which lacks something: the one that is there by now, or the
    /// fetch under way, or a new fetch. `None` if one was made so recently that it would bring nothing else.
    pub(super) fn renewed(&self, generation: u64) -> Option<Look<T>> {
        let now = self.inner.clock.instant();
        let mut state = self.inner.lock();
        if state.generation != generation {
            return state.edition().map(Look::Ready);
        }
        if state.flight.is_none() && !state.may_try(now, self.inner.refetch) {
            return None;
        }
        Some(Look::Wait { fallback: None, flight: self.flight(&mut state, now) })
    }

    /// Fetches the document ahead, again and again while its server is down.
    pub(super) fn seek(&self) {
        const LONGEST: Duration = Duration::from_secs(30);
        let inner = Arc::downgrade(&self.inner);
        tokio::spawn(async move {
            let mut pause = RETRY;
            while let Some(inner) = inner.upgrade() {
                if (Self { inner }).get().await.is_some() {
                    return;
                }
                tokio::time::sleep(pause).await;
                pause = (pause * 2).min(LONGEST);
            }
        });
    }

    /// Why the last fetch failed, if it did.
    pub(super) fn failure(&self) -> Option<FetchError> {
        self.inner.lock().failure.clone()
    }

    /// The fetch under way, which is begun if there is none.
    fn flight(&self, state: &mut State<T>, now: Instant) -> Flight {
        if let Some(flight) = &state.flight {
            return Flight(flight.clone());
        }
        let (landing, flight) = watch::channel(());
        state.tried = Some(now);
        state.flight = Some(flight.clone());
        // A task of its own: the fetch goes on when the client that caused it is gone.
        let landing = Landing { inner: self.inner.clone(), _landing: landing };
        tokio::spawn(async move {
            let loaded = (landing.inner.load)().await;
            landing.inner.install(loaded);
        });
        Flight(flight)
    }
}

impl<T> Clone for Kept<T> {
    fn clone(&self) -> Self {
        Self { inner: self.inner.clone() }
    }
}

impl Flight {
    async fn ended(mut self) {
        // The sender never sends: it is dropped at the end.
        let _ = self.0.changed().await;
    }
}

/// Marks the fetch as ended, even if it panics.
struct Landing<T> {
    inner: Arc<Inner<T>>,
    _landing: watch::Sender<()>,
}

impl<T> Drop for Landing<T> {
    fn drop(&mut self) {
        self.inner.lock().flight = None;
    }
}

impl<T> Inner<T> {
    fn lock(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn install(&self, loaded: Result<Loaded<T>, FetchError>) {
        let now = self.clock.instant();
        let mut state = self.lock();
        match loaded {
            Ok(loaded) => {
                let is_new = state.current.as_ref().is_none_or(|current| current.digest != loaded.digest);
                if is_new {
                    state.generation += 1;
                }
                // A server may wish to be asked more often, within bounds: not more often than unknown keys are looked
                // for, and not less often than the limit says.
                let age = match (loaded.max_age, self.age) {
                    (Some(wish), Some(most)) => Some(wish.clamp(self.refetch.min(most), most)),
                    (None | Some(_), most) => most,
                };
                let Loaded { value, digest, .. } = loaded;
                state.current = Some(Current { value: Arc::new(value), digest, fetched: now, age });
                state.failure = None;
            }
            Err(failure) => {
                state.tried = Some(now);
                let what = self.what;
                tracing::warn!(%failure, "{what} cannot be fetched; {}", match state.current {
                    Some(_) => "the last one serves on",
                    None => "until it is there, requests get 503",
                });
                state.failure = Some(failure);
            }
        }
    }
}

impl<T> State<T> {
    fn edition(&self) -> Option<Edition<T>> {
        let current = self.current.as_ref()?;
        Some(Edition { value: current.value.clone(), generation: self.generation })
    }

    fn may_try(&self, now: Instant, gap: Duration) -> bool {
        self.tried.is_none_or(|tried| now.saturating_duration_since(tried) >= gap)
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Freshness {
    Fresh,
    /// In the last fifth of its time.
    Aging,
    /// It serves on while its server is down.
    Outdated,
    Useless,
}

impl<T> Current<T> {
    fn freshness(&self, now: Instant, grace: Option<Duration>) -> Freshness {
        let held = now.saturating_duration_since(self.fetched);
        match (self.age, grace) {
            (None, _) => Freshness::Fresh,
            (Some(age), _) if held < age / 5 * 4 => Freshness::Fresh,
            (Some(age), _) if held < age => Freshness::Aging,
            (Some(age), Some(grace)) if held >= age.saturating_add(grace) => Freshness::Useless,
            _ => Freshness::Outdated,
        }
    }
}
