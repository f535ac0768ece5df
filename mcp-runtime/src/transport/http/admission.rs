//! Who may pass: the one place where a request gets its principal, or is refused.

use std::sync::Arc;

use http::{HeaderName, Response, StatusCode, header, request::Parts};
use tokio::sync::Semaphore;

use super::{
    body::ReplyBody,
    rejection::{Rejection, json},
};
use crate::{
    auth::{Admission, AuthError, Authenticator, LastCredential, Place, Refusal},
    limits::Limits,
    principal::Principal,
    protocol::{ErrorCode, ProtocolVersion, RpcError, jsonrpc::write_error},
};

/// The guard of the listener: without an authenticator everybody passes, and nobody is known.
pub(super) struct Gate {
    authenticator: Option<Arc<Authenticator>>,
    /// Places for requests whose credential somebody else has to be asked about.
    asking: Semaphore,
}

impl Gate {
    pub(super) fn new(authenticator: Option<Arc<Authenticator>>, limits: &Limits) -> Self {
        let most = limits.max_unauthenticated_requests.unwrap_or(Semaphore::MAX_PERMITS);
        Self { authenticator, asking: Semaphore::new(most.min(Semaphore::MAX_PERMITS)) }
    }

    /// The principal of a request, if the listener asks for one. Nothing but the head has been looked at.
    ///
    /// `by_query` says whether the request may carry its credential in the query, `last` what its connection carried.
    pub(super) async fn admit(
        &self,
        head: &Parts,
        by_query: bool,
        last: &LastCredential,
    ) -> Result<Option<Arc<Principal>>, Response<ReplyBody>> {
        let Some(authenticator) = &self.authenticator else { return Ok(None) };
        let path = head.uri.path();
        let place = if by_query { Place::EventStream } else { Place::Anywhere };
        let verdict = match authenticator.authenticate(head, place, last) {
            Admission::Now(verdict) => verdict,
            Admission::Later(verdict) => {
                let Ok(_place) = self.asking.try_acquire() else {
                    return Err(Rejection::TooManyStrangers.answer(None));
                };
                verdict.await
            }
        };
        verdict.map(Some).map_err(|error| self.refuse(authenticator, &error, path, None))
    }

    /// The refusal of a call whose principal lacks one of its scopes; `body` says so in JSON-RPC.
    pub(super) fn forbid(
        &self,
        scopes: &[&str],
        principal: &Principal,
        path: &str,
        body: Vec<u8>,
    ) -> Response<ReplyBody> {
        match &self.authenticator {
            Some(authenticator) => match authenticator.demand(principal, scopes) {
                Err(error) => self.refuse(authenticator, &error, path, Some(body)),
                Ok(()) => json(StatusCode::FORBIDDEN, body),
            },
            None => json(StatusCode::FORBIDDEN, body),
        }
    }

    /// The pair of the query that carried the credential of a connection, so that what is posted can carry it too.
    pub(super) fn query_credential<'q>(&self, head: &'q Parts) -> Option<&'q str> {
        let authenticator = self.authenticator.as_ref()?;
        let name = authenticator.query_param()?;
        if head.headers.contains_key(authenticator.header()) {
            return None;
        }
        head.uri.query()?.split('&').find(|pair| pair.split_once('=').is_some_and(|(given, _)| given == name))
    }

    /// The header that carries credentials, for whom browsers must be told of it.
    pub(super) fn header(&self) -> Option<HeaderName> {
        self.authenticator.as_ref().map(|authenticator| authenticator.header())
    }

    fn refuse(
        &self,
        authenticator: &Authenticator,
        error: &AuthError,
        path: &str,
        body: Option<Vec<u8>>,
    ) -> Response<ReplyBody> {
        let Refusal { status, challenge, retry_after, message } = authenticator.refusal(error, path);
        let body = body.unwrap_or_else(|| {
            let code = if status.is_server_error() { ErrorCode::InternalError } else { ErrorCode::InvalidRequest };
            let mut body = Vec::new();
            write_error(&mut body, None, &RpcError::new(code, message), ProtocolVersion::WITH_HANDSHAKE[0]);
            body
        });
        let mut response = json(status, body);
        if let Some(challenge) = challenge {
            response.headers_mut().insert(header::WWW_AUTHENTICATE, challenge);
        }
        if let Some(after) = retry_after {
            response.headers_mut().insert(header::RETRY_AFTER, after.as_secs().into());
        }
        response
    }
}
