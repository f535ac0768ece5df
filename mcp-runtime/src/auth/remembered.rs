//! Tokens that were judged already, by the digest of the whole token.

use std::{
    collections::HashMap,
    hash::{Hash, Hasher},
    sync::{Mutex, PoisonError, RwLock},
};

use aws_lc_rs::digest;

/// The SHA-256 digest of a credential.
pub(super) type Digest = [u8; 32];

pub(super) fn sha256(credential: &[u8]) -> Digest {
    let mut bytes = [0; 32];
    bytes.copy_from_slice(digest::digest(&digest::SHA256, credential).as_ref());
    bytes
}

/// A map with a bound. Two generations: when the young one has half of the places, it becomes the old one, and what was
/// the old one is forgotten. So an entry in use stays, and no entry costs a search for the one to give way.
pub(super) struct Remembered<T> {
    most: usize,
    young: RwLock<HashMap<Key, T>>,
    old: Mutex<HashMap<Key, T>>,
}

#[derive(Eq, PartialEq)]
struct Key(Digest);

impl Hash for Key {
    // A part of a digest spreads as well as the whole, and nobody finds many digests that share so much.
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write(&self.0[..8]);
    }
}

impl<T: Clone> Remembered<T> {
    /// A memory of so many entries; `None` is without a bound, zero remembers nothing.
    pub(super) fn new(most: Option<usize>) -> Self {
        Self { most: most.unwrap_or(usize::MAX), young: RwLock::new(HashMap::new()), old: Mutex::new(HashMap::new()) }
    }

    pub(super) fn get(&self, digest: &Digest) -> Option<T> {
        if self.most == 0 {
            return None;
        }
        let key = Key(*digest);
        if let Some(found) = self.young.read().unwrap_or_else(PoisonError::into_inner).get(&key) {
            return Some(found.clone());
        }
        let found = self.old.lock().unwrap_or_else(PoisonError::into_inner).remove(&key)?;
        self.put(*digest, found.clone());
        Some(found)
    }

    pub(super) fn put(&self, digest: Digest, value: T) {
        if self.most == 0 {
            return;
        }
        let mut young = self.young.write().unwrap_or_else(PoisonError::into_inner);
        let key = Key(digest);
        if young.len() >= (self.most / 2).max(1) && !young.contains_key(&key) {
            let full = std::mem::take(&mut *young);
            let mut old = self.old.lock().unwrap_or_else(PoisonError::into_inner);
            *old = if self.most == 1 { HashMap::new() } else { full };
        }
        young.insert(key, value);
    }

    pub(super) fn forget(&self, digest: &Digest) {
        let key = Key(*digest);
        self.young.write().unwrap_or_else(PoisonError::into_inner).remove(&key);
        self.old.lock().unwrap_or_else(PoisonError::into_inner).remove(&key);
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.young.read().unwrap().len() + self.old.lock().unwrap().len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bound_holds_and_what_is_used_stays() {
        for most in [1, 2, 3, 10] {
            let remembered = Remembered::new(Some(most));
            let used = sha256(b"used");
            for n in 0..100_u32 {
                remembered.put(sha256(&n.to_be_bytes()), n);
                if remembered.get(&used).is_none() {
                    remembered.put(used, 1000);
                }
                assert!(remembered.len() <= most, "{most}: {}", remembered.len());
            }
            if most > 3 {
                assert_eq!(remembered.get(&used), Some(1000));
                assert_eq!(remembered.get(&sha256(&99_u32.to_be_bytes())), Some(99));
            }
            assert_eq!(remembered.get(&sha256(&0_u32.to_be_bytes())), None);
            remembered.forget(&used);
            assert_eq!(remembered.get(&used), None);
        }
        let nothing = Remembered::new(Some(0));
        nothing.put(sha256(b"a"), 1);
        assert_eq!((nothing.get(&sha256(b"a")), nothing.len()), (None, 0));
    }
}
