//! Why a request is refused, and what its answer says: status, challenge, a short text.

use std::time::Duration;

use http::{HeaderValue, StatusCode};

use super::{Refusal, options::is_scope};

/// Why a request is refused. Its texts are ours: nothing of what was sent is repeated.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum AuthError {
    /// There is no credential.
    Missing,
    /// There are several, or there is one where none may be.
    InvalidRequest(&'static str),
    /// There is one, and it is not right.
    InvalidToken(&'static str),
    /// It is right, and not good for this; these scopes are needed, all of them.
    InsufficientScope(Vec<String>),
    /// Whoever could tell is down.
    Unavailable(&'static str),
}

/// When a client should ask again while keys or provider are unavailable.
const RETRY_AFTER: Duration = Duration::from_secs(5);

impl AuthError {
    pub(crate) fn status(&self) -> StatusCode {
        match self {
            Self::Missing | Self::InvalidToken(_) => StatusCode::UNAUTHORIZED,
            Self::InvalidRequest(_) => StatusCode::BAD_REQUEST,
            Self::InsufficientScope(_) => StatusCode::FORBIDDEN,
            Self::Unavailable(_) => StatusCode::SERVICE_UNAVAILABLE,
        }
    }

    /// The answer. `scheme` is the challenge's beginning, e.g. `Bearer realm="mcp"`; `scopes` are those that every
    /// request needs; `more` are parameters for the end.
    pub(super) fn refusal(&self, scheme: &str, scopes: &[String], more: &str) -> Refusal {
        let quoted = |name: &str, value: &str| format!(", {name}=\"{value}\"");
        let scope = |scopes: &[String]| {
            // A scope comes from options or attributes; what could not stand between quotes is left out.
            let words: Vec<_> = scopes.iter().map(String::as_str).filter(|scope| is_scope(scope)).collect();
            if words.is_empty() { String::new() } else { quoted("scope", &words.join(" ")) }
        };
        let (parameters, message) = match self {
            Self::Missing => (Some(scope(scopes)), "authentication is required".to_owned()),
            Self::InvalidRequest(reason) => {
                (Some(quoted("error", "invalid_request") + &quoted("error_description", reason)), (*reason).to_owned())
            }
            Self::InvalidToken(reason) => {
                let error = quoted("error", "invalid_token") + &quoted("error_description", reason);
                (Some(error + &scope(scopes)), (*reason).to_owned())
            }
            Self::InsufficientScope(needed) => {
                let reason = "the credential lacks a scope";
                let error = quoted("error", "insufficient_scope") + &quoted("error_description", reason);
                (Some(error + &scope(needed)), reason.to_owned())
            }
            Self::Unavailable(reason) => (None, (*reason).to_owned()),
        };
        Refusal {
            status: self.status(),
            challenge: parameters.and_then(|it| HeaderValue::try_from(format!("{scheme}{it}{more}")).ok()),
            retry_after: matches!(self, Self::Unavailable(_)).then_some(RETRY_AFTER),
            message,
        }
    }
}
