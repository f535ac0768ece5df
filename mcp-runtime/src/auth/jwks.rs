//! The key set that an issuer publishes: fetched when it is needed, kept, renewed.

use std::sync::Arc;

use super::{
    clock::Clock,
    fetch::{FetchError, Fetched, Fetcher},
    kept::{Kept, Loaded},
    keys::KeySet,
    options::Algorithm,
    remembered::sha256,
    url::{Named, Url},
};
use crate::limits::Limits;

/// The key set at a URL of the options.
pub(super) fn at(
    url: Url,
    algorithms: Vec<Algorithm>,
    limits: &Limits,
    fetcher: Arc<Fetcher>,
    clock: Clock,
) -> Kept<KeySet> {
    let most = limits.max_keys.unwrap_or(usize::MAX);
    Kept::new("the key set", limits, clock, move || {
        let (url, algorithms, fetcher) = (url.clone(), algorithms.clone(), fetcher.clone());
        Box::pin(async move { read(fetcher.get(&url, &Named::ByOperator).await?, &algorithms, most) })
    })
}

/// Takes an answer for a key set.
pub(super) fn read(fetched: Fetched, algorithms: &[Algorithm], most: usize) -> Result<Loaded<KeySet>, FetchError> {
    Ok(Loaded {
        value: KeySet::from_json(&fetched.body, algorithms, most).map_err(FetchError::Content)?,
        digest: sha256(&fetched.body),
        max_age: fetched.max_age,
    })
}
