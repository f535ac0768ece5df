//! The seal on what a client keeps for a call between its rounds: the client can neither read nor change it.

use std::{
    borrow::Cow,
    collections::BTreeMap,
    fmt, io,
    sync::OnceLock,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use base64::{Engine as _, prelude::BASE64_URL_SAFE_NO_PAD};
use orion::hazardous::{
    aead::xchacha20poly1305::{Nonce, SecretKey, XChaCha20Poly1305},
    hash::blake2::blake2b::Blake2b,
    kdf::hkdf::{Hkdf, SHA512},
};
use serde_json::{Value, value::RawValue};

use super::error::Error;
use crate::{limits::Limits, principal::OwnerKey, protocol::RpcError, secret::Secret};

/// The ring of keys: the first seals, all open, so that one can follow another while states are on their way.
pub(crate) struct Seal {
    keys: Vec<Key>,
    /// What takes their place where nobody gave one: made when it is first needed.
    own: OnceLock<Key>,
    age: Option<Duration>,
    most: Option<usize>,
}

type Key = [u8; 32];

/// What a state belongs to: it opens for the same owner, method and parameters only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Bond([u8; 32]);

/// What precedes the sealed bytes: how they are made, so that another way can be told apart.
const FORMAT: u8 = 1;
const NONCE: usize = 24;
const TAG: usize = 16;
/// The second at which the state expires, before its content.
const EXPIRY: usize = 8;
/// A key of fewer bytes can be guessed.
const LEAST_KEY_BYTES: usize = 32;

/// What is wrong with a key of the options.
pub(crate) fn problem(index: usize, key: &Secret) -> Option<Error> {
    (key.expose().len() < LEAST_KEY_BYTES).then(|| Error::InvalidOption {
        path: format!("stateKeys[{index}]"),
        reason: format!("must have at least {LEAST_KEY_BYTES} bytes, as from `openssl rand -base64 32`"),
        source_name: String::new(),
    })
}

impl Seal {
    /// A ring of these keys, or of one made at random, which no other process has.
    ///
    /// # Errors
    /// When a key is too short.
    pub(crate) fn new(secrets: &[Secret], limits: &Limits) -> Result<Self, Error> {
        if let Some(problem) = secrets.iter().enumerate().find_map(|(index, key)| problem(index, key)) {
            return Err(problem);
        }
        let keys = secrets.iter().map(|secret| derived(secret.expose().as_bytes())).collect();
        Ok(Self { keys, own: OnceLock::new(), age: limits.state_age, most: limits.max_state_bytes })
    }

    /// Seals `content` for whoever comes back with the same request.
    ///
    /// # Errors
    /// -32603 where it is more than a client may keep.
    pub(crate) fn close(&self, bond: &Bond, now: SystemTime, content: &[u8]) -> Result<String, RpcError> {
        let failed = || RpcError::internal("what the call has learned so far could not be sealed");
        let expires = self.age.map_or(u64::MAX, |age| seconds(now).saturating_add(age.as_secs()));
        let without_randomness = |error| {
            tracing::error!(%error, "there is no randomness");
            failed()
        };
        let nonce: [u8; NONCE] = random().map_err(without_randomness)?;
        let key = *self.first().map_err(without_randomness)?;
        let mut inside = expires.to_be_bytes().to_vec();
        inside.extend_from_slice(content);
        let mut sealed = vec![FORMAT];
        sealed.extend_from_slice(&nonce);
        sealed.resize(sealed.len() + inside.len() + TAG, 0);
        let (key, nonce) = (SecretKey::from(key), Nonce::from(nonce));
        XChaCha20Poly1305::seal(&key, &nonce, &inside, Some(&bond.0), &mut sealed[1 + NONCE..])
            .map_err(|_| failed())?;
        let text = BASE64_URL_SAFE_NO_PAD.encode(sealed);
        match self.most {
            Some(most) if text.len() > most => {
                tracing::warn!(bytes = text.len(), "a call has learned more than `maxStateBytes` from its client");
                Err(RpcError::internal("the answers are more than can be remembered"))
            }
            _ => Ok(text),
        }
    }

    /// The content of a state that was sealed for this request.
    ///
    /// # Errors
    /// -32602, one and the same whatever is wrong with it.
    pub(crate) fn open(&self, bond: &Bond, now: SystemTime, text: &str) -> Result<Vec<u8>, RpcError> {
        self.content(bond, now, text).ok_or_else(|| {
            RpcError::invalid_params(
                "`params.requestState` is none that this server gave for this request, or is too old",
            )
        })
    }

    /// The key that seals.
    fn first(&self) -> io::Result<&Key> {
        if let Some(key) = self.keys.first().or_else(|| self.own.get()) {
            return Ok(key);
        }
        let key = random()?;
        Ok(self.own.get_or_init(|| key))
    }

    fn content(&self, bond: &Bond, now: SystemTime, text: &str) -> Option<Vec<u8>> {
        if self.most.is_some_and(|most| text.len() > most) {
            return None;
        }
        let bytes = BASE64_URL_SAFE_NO_PAD.decode(text).ok()?;
        let (format, rest) = bytes.split_first()?;
        let (nonce, sealed) = rest.split_first_chunk::<NONCE>()?;
        if *format != FORMAT || sealed.len() < EXPIRY + TAG {
            return None;
        }
        let nonce = Nonce::from(*nonce);
        let mut inside = vec![0; sealed.len() - TAG];
        let opens = |key: &Key, inside: &mut Vec<u8>| {
            XChaCha20Poly1305::open(&SecretKey::from(*key), &nonce, sealed, Some(&bond.0), inside).is_ok()
        };
        self.keys.iter().chain(self.own.get()).any(|key| opens(key, &mut inside)).then_some(())?;
        let (expires, content) = inside.split_first_chunk::<EXPIRY>()?;
        (seconds(now) < u64::from_be_bytes(*expires)).then(|| content.to_vec())
    }
}

impl fmt::Debug for Seal {
    // Without the keys.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Seal").field("age", &self.age).field("most", &self.most).finish_non_exhaustive()
    }
}

impl Bond {
    /// What a request's state is bound to: who sends it, its method, and its parameters but for those of one round.
    pub(crate) fn new(owner: Option<&OwnerKey>, method: &str, params: Option<&RawValue>) -> Self {
        const OF_ONE_ROUND: [&str; 3] = ["_meta", "inputResponses", "requestState"];
        let mut text = Value::from(vec![owner.map(OwnerKey::as_str), Some(method)]).to_string();
        let params = params.map_or("null", RawValue::get);
        match serde_json::from_str::<BTreeMap<Cow<'_, str>, &RawValue>>(params) {
            Ok(mut members) => {
                members.retain(|name, _| !OF_ONE_ROUND.contains(&&**name));
                for (name, member) in members {
                    text.push_str(&Value::from(name).to_string());
                    write_member(member, &mut text);
                }
            }
            Err(_) => text.push_str(params),
        }
        Self(digest(text.as_bytes()))
    }
}

/// The digest of a text.
pub(super) fn digest(bytes: &[u8]) -> [u8; 32] {
    let mut digest = [0; 32];
    // It fails on sizes that BLAKE2b does not have, and 32 is one.
    if let Ok(hash) = Blake2b::new(32).and_then(|mut hash| hash.update(bytes).and_then(|()| hash.finalize())) {
        digest.copy_from_slice(hash.as_ref());
    }
    digest
}

/// One parameter. What a [`Value`] cannot hold to the last digit is written as it came: a handler may read more of it, or
/// pass over it, and what stands beside it must not become anything.
fn write_member(member: &RawValue, text: &mut String) {
    match serde_json::from_str(member.get()) {
        Ok(value) if is_exact(&value) => write_sorted(&value, text),
        _ => text.push_str(member.get()),
    }
}

/// Whether no number in it was too large to be kept.
fn is_exact(value: &Value) -> bool {
    const INTEGERS: f64 = 9_223_372_036_854_775_808.0;
    match value {
        Value::Number(number) => !number.is_f64() || number.as_f64().is_some_and(|float| float.abs() < INTEGERS),
        Value::Array(values) => values.iter().all(is_exact),
        Value::Object(members) => members.values().all(is_exact),
        Value::Null | Value::Bool(_) | Value::String(_) => true,
    }
}

/// JSON with members in the order of their names, so that equal values are equal texts.
fn write_sorted(value: &Value, text: &mut String) {
    match value {
        Value::Object(members) => {
            let mut members: Vec<_> = members.iter().collect();
            members.sort_by_key(|(name, _)| *name);
            text.push('{');
            for (name, value) in members {
                text.push_str(&Value::from(name.as_str()).to_string());
                text.push(':');
                write_sorted(value, text);
                text.push(',');
            }
            text.push('}');
        }
        Value::Array(values) => {
            text.push('[');
            for value in values {
                write_sorted(value, text);
                text.push(',');
            }
            text.push(']');
        }
        plain => text.push_str(&plain.to_string()),
    }
}

/// A key from a secret of any length: HKDF with a label, so that the same secret elsewhere makes another key.
fn derived(secret: &[u8]) -> Key {
    let mut key = [0; 32];
    // It fails on outputs longer than 255 hashes.
    let derived = Hkdf::<SHA512>::derive_key(b"mcp-runtime", secret, Some(b"requestState 1"), &mut key);
    debug_assert!(derived.is_ok(), "32 bytes can be derived");
    key
}

pub(super) fn random<const N: usize>() -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(io::Error::other)?;
    Ok(bytes)
}

fn seconds(time: SystemTime) -> u64 {
    time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

#[cfg(test)]
mod tests;
