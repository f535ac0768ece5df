//! What stands in for the door in a build without authentication: nobody can make one.

use http::{HeaderName, request::Parts};

use super::{Admission, Document, Place, Refusal};
use crate::principal::Principal;

/// Never there.
pub(crate) enum Authenticator {}

#[derive(Debug)]
pub(crate) enum AuthError {}

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
