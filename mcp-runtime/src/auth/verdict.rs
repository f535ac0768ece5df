//! What the door is asked, and what it says; the same in a build where nobody can make one.

use std::{fmt, future::Future, pin::Pin, sync::Arc, time::Duration};

use http::{HeaderValue, StatusCode};

use super::AuthError;
use crate::principal::Principal;

/// Where a credential may stand in a request.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Place {
    /// In a header.
    Anywhere,
    /// Also in the query, if the options name a parameter: the GET that opens an event stream, and what is posted to a
    /// session that was opened that way.
    EventStream,
}

/// What becomes of a request.
pub(crate) enum Admission {
    Now(Verdict),
    /// A key server or a provider has to be asked.
    Later(Pin<Box<dyn Future<Output = Verdict> + Send>>),
}

pub(super) type Verdict = Result<Arc<Principal>, AuthError>;

/// The answer to a refused request, without its body's frame.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Refusal {
    pub(crate) status: StatusCode,
    /// `WWW-Authenticate`.
    pub(crate) challenge: Option<HeaderValue>,
    /// `Retry-After`.
    pub(crate) retry_after: Option<Duration>,
    pub(crate) message: String,
}

/// A document, and the paths at which it is asked for.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Document {
    pub(crate) paths: Vec<String>,
    /// JSON.
    pub(crate) body: String,
}

impl Admission {
    pub(super) fn later(verdict: impl Future<Output = Verdict> + Send + 'static) -> Self {
        Self::Later(Box::pin(verdict))
    }

    /// The verdict, waited for if need be.
    #[cfg(test)]
    pub(crate) async fn verdict(self) -> Verdict {
        match self {
            Self::Now(verdict) => verdict,
            Self::Later(verdict) => verdict.await,
        }
    }
}

impl fmt::Debug for Admission {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Now(verdict) => f.debug_tuple("Now").field(verdict).finish(),
            Self::Later(_) => f.write_str("Later(..)"),
        }
    }
}
