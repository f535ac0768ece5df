//! The check of requests' credentials by itself, for measuring it.

use std::fmt;

use super::{Admission, AuthOptions, Authenticator, LastCredential, Place, Site};
use crate::limits::Limits;

/// A request that is judged again and again.
pub struct CredentialCheck {
    authenticator: Authenticator,
    head: http::request::Parts,
}

impl CredentialCheck {
    /// A check by these options, of requests with that `Authorization` header. `None` where either cannot be used.
    pub fn new(options: &AuthOptions, authorization: &str) -> Option<Self> {
        let limits = Limits::default();
        let endpoints = vec!["/mcp".to_owned()];
        let site = Site { public_url: "http://localhost".to_owned(), endpoints, message_endpoint: None };
        let authenticator = Authenticator::new(options, &limits, &site).ok()?;
        let request = http::Request::builder().header(http::header::AUTHORIZATION, authorization).body(()).ok()?;
        Some(Self { authenticator, head: request.into_parts().0 })
    }

    /// Whether each of so many requests of one connection is admitted.
    pub fn admits(&self, requests: usize) -> bool {
        let last = LastCredential::default();
        (0..requests).all(|_| {
            matches!(self.authenticator.authenticate(&self.head, Place::Anywhere, &last), Admission::Now(Ok(_)))
        })
    }
}

impl fmt::Debug for CredentialCheck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CredentialCheck")
    }
}
