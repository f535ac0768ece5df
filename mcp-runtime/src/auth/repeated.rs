//! The credential that a connection carried last, and its digest: a request that repeats it is not hashed again.

use std::sync::{Mutex, MutexGuard, PoisonError};

use aws_lc_rs::constant_time::verify_slices_are_equal;

use super::remembered::Digest;

/// The header by which a connection was last admitted, and the digest of the credential in it.
///
/// It saves the way from the one to the other and lets nobody in: what the digest is good for is asked with every request.
/// One stands for a connection (`maxConnections`), and none is longer than [`MAX_BYTES`].
#[derive(Default)]
pub(crate) struct LastCredential(Mutex<Option<Box<Carried>>>);

// Nothing shows it: without `Debug`.
struct Carried {
    sent: Box<[u8]>,
    digest: Digest,
}

/// Longer headers are hashed each time, so that what a connection holds stays small.
const MAX_BYTES: usize = 8 * 1024;

impl LastCredential {
    /// The digest of the credential in a header's value, if it is the same value as before.
    pub(super) fn digest_of(&self, sent: &[u8]) -> Option<Digest> {
        let carried = self.lock();
        let Carried { sent: before, digest } = &**carried.as_ref()?;
        // One connection may carry many clients, who must not find each other's credentials byte by byte.
        verify_slices_are_equal(before, sent).is_ok().then_some(*digest)
    }

    /// Keeps a header's value that was admitted, in place of the one before.
    pub(super) fn keep(&self, sent: &[u8], digest: Digest) {
        *self.lock() = (sent.len() <= MAX_BYTES).then(|| Box::new(Carried { sent: sent.into(), digest }));
    }

    /// Gives its memory back: no request follows soon.
    pub(crate) fn forget(&self) {
        *self.lock() = None;
    }

    #[cfg(test)]
    pub(crate) fn is_kept(&self) -> bool {
        self.lock().is_some()
    }

    fn lock(&self) -> MutexGuard<'_, Option<Box<Carried>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_one_alone_byte_by_byte_and_no_long_one() {
        let last = LastCredential::default();
        let check = |sent: &[u8], expected: Option<Digest>| assert_eq!(last.digest_of(sent), expected, "{sent:?}");
        check(b"", None);
        last.keep(b"Bearer a", [1; 32]);
        check(b"Bearer a", Some([1; 32]));
        for other in [&b""[..], b"Bearer b", b"bearer a", b"Bearer ", b"Bearer a ", b"Bearer  a"] {
            check(other, None);
        }
        last.keep(b"Bearer b", [2; 32]);
        check(b"Bearer a", None);
        check(b"Bearer b", Some([2; 32]));
        let long = vec![b'a'; MAX_BYTES + 1];
        last.keep(&long, [3; 32]);
        check(&long, None);
        check(b"Bearer b", None);
        last.keep(&long[1..], [4; 32]);
        check(&long[1..], Some([4; 32]));
        last.forget();
        check(&long[1..], None);
    }
}
