//! API keys: compared in constant time, by their digests.

use std::{borrow::Cow, sync::Arc, time::UNIX_EPOCH};

use aws_lc_rs::constant_time::verify_slices_are_equal;
use http::{HeaderName, request::Parts};

use super::{
    Place,
    clock::Clock,
    error::AuthError,
    options::{ApiKey, ApiKeyOptions, ApiKeyValue},
    remembered::{Digest, sha256},
    verdict::Verdict,
};
use crate::principal::{AuthMethod, OwnerKey, Principal};

/// The keys that open the server.
pub(super) struct ApiKeys {
    entries: Vec<Entry>,
    header: HeaderName,
    query_param: Option<String>,
    clock: Clock,
}

struct Entry {
    digest: Digest,
    principal: Arc<Principal>,
}

impl ApiKeys {
    /// Keys from options that were found right; `None` for a header that is none.
    pub(super) fn new(options: &ApiKeyOptions, clock: Clock) -> Option<Self> {
        let entries = options.keys.iter().enumerate().map(|(index, key)| {
            let principal = Principal {
                method: AuthMethod::ApiKey,
                subject: key.id.clone(),
                client: None,
                issuer: None,
                scopes: key.scopes.clone(),
                claims: "{}".into(),
                expires_at: key.expires_at,
                owner: OwnerKey::of_key(key.id.as_deref(), index),
            };
            Entry { digest: digest(&key.value), principal: Arc::new(principal) }
        });
        Some(Self {
            entries: entries.collect(),
            header: options.header_name.parse().ok()?,
            query_param: options.query_param.clone(),
            clock,
        })
    }

    pub(super) fn header(&self) -> &HeaderName {
        &self.header
    }

    pub(super) fn query_param(&self) -> Option<&str> {
        self.query_param.as_deref()
    }

    /// The key of a request.
    pub(super) fn key<'h>(&self, head: &'h Parts, place: Place) -> Result<Cow<'h, [u8]>, AuthError> {
        let mut sent = head.headers.get_all(&self.header).iter();
        match (sent.next(), sent.next(), &self.query_param) {
            (Some(_), Some(_), _) => Err(AuthError::InvalidRequest("the key stands in two headers")),
            // A wrong header is not rescued by what the query says.
            (Some(key), None, _) => Ok(Cow::Borrowed(key.as_bytes())),
            (None, _, Some(name)) if place == Place::EventStream => {
                in_query(head.uri.query(), name)?.map(Cow::Owned).ok_or(AuthError::Missing)
            }
            (None, ..) => Err(AuthError::Missing),
        }
    }

    /// Judges the key with that digest.
    pub(super) fn judge(&self, digest: &Digest) -> Verdict {
        let mut found = None;
        // All are compared, so that the time says nothing of which one it is.
        for entry in &self.entries {
            if verify_slices_are_equal(&entry.digest, digest).is_ok() {
                found = Some(&entry.principal);
            }
        }
        let principal = found.ok_or(AuthError::InvalidToken("the key is not known"))?;
        let expires = principal.expires_at.map(|at| at.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs_f64());
        if expires.is_some_and(|at| at <= self.clock.seconds()) {
            return Err(AuthError::InvalidToken("the key has expired"));
        }
        Ok(principal.clone())
    }
}

/// The first key that stands in the list before, be it once as a digest.
pub(super) fn repeated(keys: &[ApiKey]) -> Option<usize> {
    let digests: Vec<_> = keys.iter().map(|key| digest(&key.value)).collect();
    let is_plain = |index: usize| matches!(keys[index].value, ApiKeyValue::Plain(_));
    // Two plain ones are told apart without digests already.
    (0..keys.len()).find(|&index| {
        (0..index).any(|earlier| digests[earlier] == digests[index] && !(is_plain(earlier) && is_plain(index)))
    })
}

fn digest(value: &ApiKeyValue) -> Digest {
    match value {
        ApiKeyValue::Plain(key) => sha256(key.expose().as_bytes()),
        ApiKeyValue::Sha256(digest) => *digest,
    }
}

/// The value of a query's parameter, percent-decoded once.
fn in_query(query: Option<&str>, name: &str) -> Result<Option<Vec<u8>>, AuthError> {
    let pairs = query.unwrap_or("").split('&').map(|pair| pair.split_once('=').unwrap_or((pair, "")));
    let mut values = pairs.filter(|(own, _)| *own == name).map(|(_, value)| value);
    match (values.next(), values.next()) {
        (None, _) => Ok(None),
        (Some(_), Some(_)) => Err(AuthError::InvalidRequest("the key stands in the query twice")),
        (Some(value), None) => match percent_decoded(value) {
            Some(key) => Ok(Some(key)),
            None => Err(AuthError::InvalidToken("the key is not known")),
        },
    }
}

fn percent_decoded(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        rest = after;
        if *first == b'%' {
            let (digits, after) = rest.split_at_checked(2)?;
            let digits = std::str::from_utf8(digits).ok().filter(|it| it.bytes().all(|b| b.is_ascii_hexdigit()))?;
            bytes.push(u8::from_str_radix(digits, 16).ok()?);
            rest = after;
        } else {
            bytes.push(*first);
        }
    }
    Some(bytes)
}
