//! Opaque tokens: the provider is asked about them (RFC 7662), and its word is believed for a short time.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
    time::{Duration, Instant},
};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use tokio::{
    sync::{Semaphore, watch},
    task::JoinSet,
};

use super::{
    Admission,
    claims::{Claims, Rules},
    clock::Clock,
    error::AuthError,
    fetch::{FetchError, Fetcher},
    json::Members,
    kept::{Kept, Look},
    oauth::Discovery,
    options::OAuthOptions,
    remembered::{Digest, Remembered},
    verdict::Verdict,
};
use crate::{limits::Limits, principal::Principal, secret::Secret};

/// What asks about tokens.
pub(super) struct Introspection {
    rules: Rules,
    discovery: Kept<Discovery>,
    fetcher: Arc<Fetcher>,
    /// The `Authorization` of this server at the provider.
    authorization: Secret,
    /// How long an answer is believed; `None` until the token expires.
    believed: Option<Duration>,
    good: Remembered<Answer<Claims>>,
    /// Apart, so that guesses push no good token out.
    bad: Remembered<Answer<&'static str>>,
    /// The questions that somebody waits for.
    open: Mutex<HashMap<Digest, Weak<Question>>>,
    /// Those that the provider may have at a time.
    places: Semaphore,
    /// How long a question may wait for its place.
    patience: Option<Duration>,
    /// When the log last said that the provider is down.
    warned: Mutex<Option<Instant>>,
    clock: Clock,
}

#[derive(Clone)]
struct Answer<T> {
    given: Instant,
    verdict: T,
}

/// A question about one token, for all who come with it; it ends when nobody waits for its answer any more.
struct Question {
    asks: Arc<Introspection>,
    digest: Digest,
    answer: watch::Receiver<Option<Verdict>>,
    _asking: JoinSet<()>,
}

impl Drop for Question {
    fn drop(&mut self) {
        let mut open = self.asks.open();
        // Another may have been begun since.
        if open.get(&self.digest).is_some_and(|question| question.strong_count() == 0) {
            open.remove(&self.digest);
        }
    }
}

/// A no is believed for a shorter time: a token may be asked about before the provider knows it everywhere.
const NO_BELIEVED: Duration = Duration::from_secs(5);
/// A flood of guesses must not become a flood of questions.
const OPEN_QUESTIONS: usize = 32;

const WARNING_PAUSE: Duration = Duration::from_secs(10);

const DOWN: &str = "the provider that knows the token is unavailable; try again soon";

impl Introspection {
    pub(super) fn new(
        options: &OAuthOptions,
        rules: Rules,
        discovery: Kept<Discovery>,
        limits: &Limits,
        fetcher: Arc<Fetcher>,
        clock: Clock,
    ) -> Self {
        let (id, secret) = (form_encoded(&options.client_id), form_encoded(options.client_secret.expose()));
        let authorization = format!("Basic {}", STANDARD.encode(format!("{id}:{secret}"))).into();
        let most = limits.introspection_entries;
        Self {
            rules,
            discovery,
            fetcher,
            authorization,
            believed: limits.introspection,
            good: Remembered::new(most),
            bad: Remembered::new(most),
            open: Mutex::default(),
            places: Semaphore::new(OPEN_QUESTIONS),
            patience: limits.fetch,
            warned: Mutex::new(None),
            clock,
        }
    }

    /// Judges a token: at once if the provider was asked about it lately.
    pub(super) fn ask(self: Arc<Self>, token: &str, digest: Digest) -> Admission {
        if let Some(verdict) = self.recall(&digest) {
            return Admission::Now(verdict);
        }
        if matches!(self.discovery.look(), Look::Down) {
            return Admission::Now(Err(AuthError::Unavailable(DOWN)));
        }
        let token = Secret::from(token);
        Admission::later(async move {
            let question = self.question(token, digest);
            let mut answer = question.answer.clone();
            let verdict = answer.wait_for(Option::is_some).await.ok().and_then(|verdict| verdict.clone());
            verdict.unwrap_or(Err(AuthError::Unavailable(DOWN)))
        })
    }

    /// The question about that token which is open, or a new one.
    fn question(self: Arc<Self>, token: Secret, digest: Digest) -> Arc<Question> {
        let asks = Arc::clone(&self);
        let mut open = asks.open();
        if let Some(question) = open.get(&digest).and_then(Weak::upgrade) {
            return question;
        }
        let (tell, answer) = watch::channel(None);
        let mut asking = JoinSet::new();
        let of_task = Arc::clone(&self);
        asking.spawn(async move {
            let verdict = of_task.answer(&token, digest).await;
            // Whoever comes from now on is told what is remembered, as long as that is believed.
            of_task.open().remove(&digest);
            tell.send_replace(Some(verdict));
        });
        let question = Arc::new(Question { asks: self, digest, answer, _asking: asking });
        open.insert(digest, Arc::downgrade(&question));
        question
    }

    /// The provider's answer, as soon as there is a place for the question.
    async fn answer(&self, token: &Secret, digest: Digest) -> Verdict {
        let down = AuthError::Unavailable(DOWN);
        let place = self.places.acquire();
        let place = match self.patience {
            None => place.await.ok(),
            // Behind a provider that hangs, nobody waits for all who came before.
            Some(patience) => tokio::time::timeout(patience, place).await.ok().and_then(Result::ok),
        };
        let _place = place.ok_or_else(|| down.clone())?;
        // The question before may have ended just now.
        if let Some(verdict) = self.recall(&digest) {
            return verdict;
        }
        let provider = self.discovery.get().await.ok_or(down)?.value;
        self.ask_provider(token, digest, &provider).await
    }

    /// What the provider said of a token lately.
    pub(super) fn recall(&self, digest: &Digest) -> Option<Verdict> {
        let age = |given: Instant| self.clock.instant().saturating_duration_since(given);
        if let Some(Answer { given, verdict }) = self.good.get(digest) {
            let is_believed = self.believed.is_none_or(|time| age(given) < time);
            if is_believed && self.clock.seconds() < verdict.expires {
                return Some(Ok(verdict.principal));
            }
            self.good.forget(digest);
        }
        let Answer { given, verdict } = self.bad.get(digest)?;
        let believed = self.believed.map_or(NO_BELIEVED, |time| time.min(NO_BELIEVED));
        if age(given) < believed {
            return Some(Err(AuthError::InvalidToken(verdict)));
        }
        self.bad.forget(digest);
        None
    }

    async fn ask_provider(
        &self,
        token: &Secret,
        digest: Digest,
        provider: &Discovery,
    ) -> Result<Arc<Principal>, AuthError> {
        let Some(url) = &provider.introspection else {
            return Err(AuthError::InvalidToken("the token is malformed"));
        };
        let form = format!("token={}&token_type_hint=access_token", form_encoded(token.expose()));
        let answered = self.fetcher.post(url, &provider.named, &self.authorization, form).await;
        let answer = answered.map_err(|failure| {
            self.warn(&failure);
            AuthError::Unavailable(DOWN)
        })?;
        let text = std::str::from_utf8(&answer.body).ok();
        let Some((text, members)) = text.and_then(|text| Some((text, Members::parse(text)?))) else {
            self.warn(&FetchError::Content("the answer is no JSON object"));
            return Err(AuthError::Unavailable(DOWN));
        };
        let given = self.clock.instant();
        match self.verdict(text, &members) {
            Ok(claims) => {
                let principal = claims.principal.clone();
                self.good.put(digest, Answer { given, verdict: claims });
                Ok(principal)
            }
            Err(reason) => {
                self.bad.put(digest, Answer { given, verdict: reason });
                Err(AuthError::InvalidToken(reason))
            }
        }
    }

    fn open(&self) -> MutexGuard<'_, HashMap<Digest, Weak<Question>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Says so in the log, once in a while: a flood of tokens is no flood of lines.
    fn warn(&self, failure: &FetchError) {
        let now = self.clock.instant();
        let mut warned = self.warned.lock().unwrap_or_else(PoisonError::into_inner);
        if warned.is_none_or(|at| now.saturating_duration_since(at) >= WARNING_PAUSE) {
            *warned = Some(now);
            drop(warned);
            tracing::warn!(%failure, "the provider cannot be asked about tokens; until it answers, requests get 503");
        }
    }

    fn verdict(&self, text: &str, members: &Members<'_>) -> Result<Claims, &'static str> {
        // The boolean alone: neither "true" nor 1.
        if members.get::<bool>("active").ok().flatten() != Some(true) {
            return Err("the token is not active");
        }
        self.rules.check(text, members, self.clock.seconds())
    }
}

/// A value as forms write it; a client's name and secret are written so too (RFC 6749, 2.3.1).
fn form_encoded(text: &str) -> String {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'*' => encoded.push(byte.into()),
            b' ' => encoded.push('+'),
            _ => {
                encoded.push('%');
                encoded.push(DIGITS[usize::from(byte >> 4)].into());
                encoded.push(DIGITS[usize::from(byte & 15)].into());
            }
        }
    }
    encoded
}
