//! How long a result keeps, and for whom (2026-07-28, "Caching").

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Who may be given a remembered result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CacheScope {
    /// Whoever asks with the same authorization.
    #[default]
    Private,
    /// Anybody, whatever guards the server.
    Public,
}

/// How long a result keeps, and for whom: members of results that clients may remember.
///
/// What nobody has said anything about does not keep at all, and is private.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Caching {
    /// How long it keeps, in milliseconds.
    pub ttl_ms: u64,
    /// For whom.
    pub cache_scope: CacheScope,
}

impl Caching {
    /// What keeps for `ttl`, in whole milliseconds.
    pub fn new(ttl: Duration, cache_scope: CacheScope) -> Self {
        /// The greatest integer that every reader of JSON takes as one.
        const MOST: u64 = (1 << 53) - 1;
        Self { ttl_ms: u64::try_from(ttl.as_millis()).unwrap_or(MOST).min(MOST), cache_scope }
    }

    /// What holds for this and for `other`.
    #[must_use]
    pub(crate) fn and(self, other: Self) -> Self {
        let cache_scope = match (self.cache_scope, other.cache_scope) {
            (CacheScope::Public, CacheScope::Public) => CacheScope::Public,
            _ => CacheScope::Private,
        };
        Self { ttl_ms: self.ttl_ms.min(other.ttl_ms), cache_scope }
    }
}
