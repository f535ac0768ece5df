//! What stands in for the door in a build without authentication: nobody can make one.

use std::{future::Future, pin::Pin, sync::Arc, time::Duration};

use http::{HeaderName, HeaderValue, StatusCode, request::Parts};

use crate::principal::Principal;

/// Never there.
pub(crate) enum Authenticator {}

pub(crate) enum Admission {
    Now(Verdict),
    Later(Pin<Box<dyn Future<Output = Verdict> + Send>>),
}

type Verdict = Result<Arc<Principal>, AuthError>;

pub(crate) enum AuthError {}

pub(crate) enum Place {
    Anywhere,
    EventStream,
}

pub(crate) struct Refusal {
    pub(crate) status: StatusCode,
    pub(crate) challenge: Option<HeaderValue>,
    pub(crate) retry_after: Option<Duration>,
    pub(crate) message: String,
}

#[derive(Clone)]
pub(crate) struct Document {
    pub(crate) paths: Vec<String>,
    pub(crate) body: String,
}

/// Nothing, since nobody is asked for a credential.
#[derive(Default)]
pub(crate) struct LastCredential {}

impl LastCredential {
    pub(crate) fn forget(&self) {}
}

impl Authenticator {
    pub(crate) fn authenticate(&self, _: &Parts, _: Place, _: &LastCredential) -> Admission {
        match *self {}
    }

    pub(crate) fn demand(&self, _: &Principal, _: &[&str]) -> Result<(), AuthError> {
        match *self {}
    }

    pub(crate) fn refusal(&self, _: &AuthError, _: &str) -> Refusal {
        match *self {}
    }

    pub(crate) fn documents(&self) -> &[Document] {
        match *self {}
    }

    pub(crate) fn header(&self) -> HeaderName {
        match *self {}
    }

    pub(crate) fn query_param(&self) -> Option<&str> {
        match *self {}
    }
}
