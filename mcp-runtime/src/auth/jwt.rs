//! JWTs: decoded strictly, verified by the configured keys, their claims checked.

use std::sync::Arc;

use super::{
    Admission,
    claims::{Claims, Rules},
    clock::Clock,
    error::AuthError,
    json::{Members, base64url},
    kept::{Edition, Kept, Look},
    keys::{KeySet, Signed},
    options::Algorithm,
    remembered::{Digest, Remembered},
};
use crate::principal::{AuthMethod, Principal};

/// What verifies JWTs.
pub(super) struct Verifier {
    algorithms: Vec<Algorithm>,
    rules: Rules,
    keys: Keys,
    remembered: Remembered<Verified>,
    clock: Clock,
}

/// Where the keys are.
pub(super) enum Keys {
    /// In the options.
    Given(Arc<KeySet>),
    /// At a key server.
    Published(Kept<KeySet>),
}

/// A token that was found right by the keys of one generation.
#[derive(Clone)]
struct Verified {
    claims: Claims,
    generation: u64,
}

/// Longer tokens are verified each time, so that what is remembered stays small.
const MAX_REMEMBERED_BYTES: usize = 8 * 1024;

const MALFORMED: &str = "the token is malformed";
const NOT_VERIFIED: &str = "the token's signature cannot be verified";
const NO_KEYS: &str = "the keys that verify tokens are unavailable; try again soon";

impl Verifier {
    pub(super) fn new(
        algorithms: Vec<Algorithm>,
        rules: Rules,
        keys: Keys,
        remembered: Option<usize>,
        clock: Clock,
    ) -> Self {
        Self { algorithms, rules, keys, remembered: Remembered::new(remembered), clock }
    }

    /// The principal of a token that the keys of now have verified before.
    pub(super) fn recall(&self, digest: &Digest) -> Option<Arc<Principal>> {
        // First, so that a token which is none of these causes no fetch.
        let verified = self.remembered.get(digest)?;
        let Look::Ready(edition) = self.look() else { return None };
        self.principal(verified, digest, edition.generation)
    }

    /// Judges a token: at once if the keys are there.
    pub(super) fn verify(self: Arc<Self>, token: &str, digest: Digest) -> Admission {
        let look = self.look();
        if let Look::Ready(edition) = &look
            && let Some(verified) = self.remembered.get(&digest)
            && let Some(principal) = self.principal(verified, &digest, edition.generation)
        {
            return Admission::Now(Ok(principal));
        }
        // What is wrong by itself needs no keys.
        let token = match self.read(token, digest) {
            Ok(token) => token,
            Err(reason) => return Admission::Now(Err(AuthError::InvalidToken(reason))),
        };
        match (look, self.published()) {
            (Look::Ready(edition), published) => match (self.judge(&token, &edition), published) {
                (Some(principal), _) => Admission::Now(Ok(principal)),
                (None, None) => Admission::Now(Err(AuthError::InvalidToken(NOT_VERIFIED))),
                (None, Some(kept)) => {
                    let kept = kept.clone();
                    Admission::later(async move { self.judge_by_newer(&token, &kept, edition.generation).await })
                }
            },
            (Look::Wait { flight, fallback }, Some(kept)) => {
                let kept = kept.clone();
                Admission::later(async move {
                    let edition = kept.landed(flight, fallback).await.ok_or(AuthError::Unavailable(NO_KEYS))?;
                    match self.judge(&token, &edition) {
                        Some(principal) => Ok(principal),
                        None => self.judge_by_newer(&token, &kept, edition.generation).await,
                    }
                })
            }
            (Look::Down | Look::Wait { .. }, _) => Admission::Now(Err(AuthError::Unavailable(NO_KEYS))),
        }
    }

    /// The keys' place at a server, if they have one.
    pub(super) fn published(&self) -> Option<&Kept<KeySet>> {
        match &self.keys {
            Keys::Published(kept) => Some(kept),
            Keys::Given(_) => None,
        }
    }

    fn look(&self) -> Look<KeySet> {
        match &self.keys {
            Keys::Given(keys) => Look::Ready(Edition { value: keys.clone(), generation: 0 }),
            Keys::Published(kept) => kept.look(),
        }
    }

    /// The principal of what was verified, unless its time or its keys are over: then it is forgotten.
    fn principal(&self, verified: Verified, digest: &Digest, generation: u64) -> Option<Arc<Principal>> {
        if verified.generation == generation && self.clock.seconds() < verified.claims.expires {
            return Some(verified.claims.principal);
        }
        self.remembered.forget(digest);
        None
    }

    /// Takes a token apart and checks all but its signature.
    fn read(&self, text: &str, digest: Digest) -> Result<Token, &'static str> {
        let (message, signature) = text.rsplit_once('.').ok_or(MALFORMED)?;
        let (header, payload) = message.split_once('.').ok_or(MALFORMED)?;
        let (algorithm, key_id) = self.header(&decoded(header)?)?;
        let payload = decoded(payload)?;
        let claims = Members::parse(&payload).ok_or(MALFORMED)?;
        if self.rules.method == AuthMethod::OAuth && is_id_token(&decoded(header)?, &claims) {
            return Err("the token is no access token");
        }
        Ok(Token {
            algorithm,
            key_id,
            message: message.to_owned(),
            signature: base64url(signature).ok_or(MALFORMED)?,
            claims: self.rules.check(&payload, &claims, self.clock.seconds())?,
            digest,
        })
    }

    /// The algorithm and the key's name. All else that a header may hold (`jwk`, `jku`, `x5c` …) decides nothing.
    fn header(&self, header: &str) -> Result<(Algorithm, Option<String>), &'static str> {
        let header = Members::parse(header).ok_or(MALFORMED)?;
        // Extensions that must be understood; none is. What is encrypted or compressed is no signed token.
        if ["crit", "b64", "enc", "zip"].iter().any(|name| header.has(name)) {
            return Err("the token's header asks for an extension");
        }
        header.get::<String>("typ").map_err(|_| MALFORMED)?;
        let name = header.get::<String>("alg").map_err(|_| MALFORMED)?.ok_or(MALFORMED)?;
        let algorithm = self.algorithms.iter().find(|algorithm| algorithm.name() == name);
        let algorithm = algorithm.ok_or("the token's algorithm is not accepted")?;
        let key_id = header.get::<String>("kid").map_err(|_| MALFORMED)?;
        Ok((*algorithm, key_id))
    }

    /// The principal, if one of the edition's keys signed the token.
    fn judge(&self, token: &Token, edition: &Edition<KeySet>) -> Option<Arc<Principal>> {
        let signed = Signed {
            algorithm: token.algorithm,
            key_id: token.key_id.as_deref(),
            message: token.message.as_bytes(),
            signature: &token.signature,
        };
        if !edition.value.verifies(&signed) {
            return None;
        }
        if token.message.len() <= MAX_REMEMBERED_BYTES {
            let verified = Verified { claims: token.claims.clone(), generation: edition.generation };
            self.remembered.put(token.digest, verified);
        }
        Some(token.claims.principal.clone())
    }

    /// Judges a token that the keys of a generation do not verify by newer ones, if there may be any.
    async fn judge_by_newer(
        &self,
        token: &Token,
        kept: &Kept<KeySet>,
        generation: u64,
    ) -> Result<Arc<Principal>, AuthError> {
        let newer = match kept.renewed(generation) {
            None | Some(Look::Down) => None,
            Some(Look::Ready(edition)) => Some(edition),
            Some(Look::Wait { flight, fallback }) => kept.landed(flight, fallback).await,
        };
        let newer = newer.filter(|edition| edition.generation != generation);
        let principal = newer.and_then(|edition| self.judge(token, &edition));
        principal.ok_or(AuthError::InvalidToken(NOT_VERIFIED))
    }
}

/// A token whose form and claims are right. Who signed it is open.
struct Token {
    algorithm: Algorithm,
    key_id: Option<String>,
    message: String,
    signature: Vec<u8>,
    claims: Claims,
    digest: Digest,
}

/// Whether a token has the form of a JWT: three parts, and a header that names an algorithm.
pub(super) fn is_jwt(token: &str) -> bool {
    let mut parts = token.split('.');
    let header = parts.next().and_then(|header| decoded(header).ok());
    let header = header.as_deref().and_then(Members::parse);
    parts.count() == 2 && header.is_some_and(|header| header.has("alg"))
}

/// Whether a token that a provider signed is another one than an access token.
///
/// One that calls itself an access token (`typ` `at+jwt`, RFC 9068) is one, and one that calls itself anything else
/// than `JWT` is none. Of those that say nothing, ID tokens are known by the hashes that only they have, by a `nonce`
/// without any scope, or by Keycloak's own claim. An ID token without all of these is for a client, so its `aud` gives it away.
fn is_id_token(header: &str, claims: &Members<'_>) -> bool {
    let header = Members::parse(header);
    let typ = header.and_then(|header| header.get::<String>("typ").ok().flatten());
    let typ = typ.map(|typ| typ.to_ascii_lowercase());
    match typ.as_deref().map(|typ| typ.strip_prefix("application/").unwrap_or(typ)) {
        Some("at+jwt") => return false,
        None | Some("jwt") => {}
        Some(_) => return true,
    }
    let has_scope = claims.has("scope") || claims.has("scp");
    let is_named = claims.get::<String>("typ").ok().flatten().is_some_and(|typ| typ == "ID");
    claims.has("at_hash") || claims.has("c_hash") || is_named || (claims.has("nonce") && !has_scope)
}

fn decoded(part: &str) -> Result<String, &'static str> {
    let bytes = base64url(part).ok_or(MALFORMED)?;
    String::from_utf8(bytes).map_err(|_| MALFORMED)
}
