//! The server's own requests to a client that has a session: who waits for which answer.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use serde_json::value::RawValue;
use tokio::sync::oneshot;

use super::Session;

/// Requests that one client has not answered yet, at the most.
const MOST_OPEN: usize = 256;

/// What a client answered: a result, or an error.
pub(crate) type Answered = Result<Box<RawValue>, Box<RawValue>>;

/// The requests that a session's client has not answered yet.
#[derive(Debug, Default)]
pub(super) struct Requests(Mutex<Open>);

#[derive(Debug, Default)]
struct Open {
    last: u64,
    waiting: HashMap<u64, oneshot::Sender<Answered>>,
    /// Nobody hears the client any more.
    deaf: bool,
}

/// Why a request cannot be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoRequest {
    /// As many wait as may.
    TooMany,
    /// There can be no answer.
    Gone,
}

/// A request that waits for its answer. Dropped, it waits no more.
#[derive(Debug)]
pub(crate) struct OpenRequest {
    session: Arc<Session>,
    id: u64,
    answer: oneshot::Receiver<Answered>,
}

impl Session {
    /// Takes a number for a request of the server's.
    pub(crate) fn open_request(self: &Arc<Self>) -> Result<OpenRequest, NoRequest> {
        let mut open = self.requests.lock();
        if open.deaf {
            return Err(NoRequest::Gone);
        }
        if open.waiting.len() >= MOST_OPEN {
            return Err(NoRequest::TooMany);
        }
        open.last += 1;
        let id = open.last;
        let (sender, answer) = oneshot::channel();
        open.waiting.insert(id, sender);
        Ok(OpenRequest { session: Arc::clone(self), id, answer })
    }

    /// Whether an answer of the client's is waited for.
    pub(crate) fn is_asking(&self) -> bool {
        !self.requests.lock().waiting.is_empty()
    }

    /// Says that the client is not heard any more, so that nobody waits for its answers.
    pub(crate) fn hear_no_more(&self) {
        let mut open = self.requests.lock();
        open.deaf = true;
        open.waiting.clear();
    }

    /// Hands an answer to whoever waits for it; false where nobody does.
    pub(crate) fn take_answer(&self, id: &str, answer: Result<&RawValue, &RawValue>) -> bool {
        let waiting = id.parse().ok().and_then(|id: u64| self.requests.lock().waiting.remove(&id));
        waiting.is_some_and(|waiting| waiting.send(answer.map(ToOwned::to_owned).map_err(ToOwned::to_owned)).is_ok())
    }
}

impl OpenRequest {
    pub(crate) fn id(&self) -> u64 {
        self.id
    }

    /// The client's answer; none where there will be none.
    pub(crate) async fn answer(&mut self) -> Option<Answered> {
        (&mut self.answer).await.ok()
    }
}

impl Drop for OpenRequest {
    fn drop(&mut self) {
        self.session.requests.lock().waiting.remove(&self.id);
    }
}

impl Requests {
    fn lock(&self) -> MutexGuard<'_, Open> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        limits::Limits,
        session::{Outbox, Overflow},
    };

    #[tokio::test]
    async fn an_answer_reaches_whoever_waits_for_it_and_nobody_else() {
        let session = Session::new(Outbox::new(Overflow::Wait, &Limits::default()), None);
        let raw = RawValue::from_string("{}".to_owned()).unwrap();
        let (mut first, mut second) = (session.open_request().unwrap(), session.open_request().unwrap());
        assert_ne!(first.id(), second.id());
        for stranger in ["0", "99", "-1", "1.0", "\"1\"", "x", ""] {
            assert!(!session.take_answer(stranger, Ok(&raw)), "{stranger}");
        }
        assert!(session.take_answer(&second.id().to_string(), Err(&raw)));
        assert!(session.take_answer(&first.id().to_string(), Ok(&raw)));
        assert!(!session.take_answer(&first.id().to_string(), Ok(&raw)), "an answer counts once");
        assert!(first.answer().await.unwrap().is_ok());
        assert!(second.answer().await.unwrap().is_err());
        let dropped = session.open_request().unwrap();
        let id = dropped.id().to_string();
        drop(dropped);
        assert!(!session.take_answer(&id, Ok(&raw)));
        let mut last = session.open_request().unwrap();
        session.hear_no_more();
        assert!(last.answer().await.is_none());
        assert_eq!(session.open_request().unwrap_err(), NoRequest::Gone);
    }

    #[test]
    fn requests_are_bounded() {
        let session = Session::new(Outbox::new(Overflow::Wait, &Limits::default()), None);
        let mut open: Vec<_> = (0..MOST_OPEN).map(|_| session.open_request().unwrap()).collect();
        assert_eq!(session.open_request().unwrap_err(), NoRequest::TooMany);
        open.pop();
        assert!(session.open_request().is_ok());
    }
}
