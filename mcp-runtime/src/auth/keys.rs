//! Keys that verify signatures: from a secret, from PEM, from a published set.

use aws_lc_rs::{
    encoding::{AsDer as _, PublicKeyX509Der},
    hmac,
    rsa::PublicKeyComponents,
    signature::{self, ParsedPublicKey, VerificationAlgorithm},
};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde::Deserialize;
use serde_json::{Value, value::RawValue};

use super::{json::base64url, options::Algorithm};
use crate::secret::Secret;

/// A key, ready for each of the listed algorithms that fits it.
pub(super) struct Key {
    id: Option<String>,
    verifiers: Vec<(Algorithm, Verifier)>,
}

/// The keys that a token may be signed with.
#[derive(Default)]
pub(super) struct KeySet(Vec<Key>);

/// How many keys are tried for a token that names none.
const MOST_TRIED: usize = 16;
/// RSA keys of fewer or more bits are not taken.
const RSA_BITS: std::ops::RangeInclusive<usize> = 2048..=8192;

enum Verifier {
    Hmac(Box<hmac::Key>),
    Public(ParsedPublicKey),
}

/// What of a token a key is asked about.
pub(super) struct Signed<'t> {
    pub(super) algorithm: Algorithm,
    pub(super) key_id: Option<&'t str>,
    pub(super) message: &'t [u8],
    pub(super) signature: &'t [u8],
}

impl KeySet {
    pub(super) fn of(key: Key) -> Self {
        Self(vec![key])
    }

    /// Reads a published set. What of it is of no use is left out, key by key.
    pub(super) fn from_json(text: &[u8], listed: &[Algorithm], most: usize) -> Result<Self, &'static str> {
        #[derive(Deserialize)]
        struct Document<'d> {
            #[serde(borrow)]
            keys: Vec<&'d RawValue>,
        }
        let document: Document<'_> = serde_json::from_slice(text).map_err(|_| "the answer is no key set")?;
        if document.keys.len() > most {
            return Err("the key set has more keys than the limit `maxKeys`");
        }
        let keys = document.keys.iter().filter_map(|text| Key::from_jwk(text, listed));
        Ok(Self(keys.collect()))
    }

    /// Whether one of the keys signed it.
    pub(super) fn verifies(&self, signed: &Signed<'_>) -> bool {
        let fitting = self.0.iter().filter_map(|key| {
            // A key that the options name has no id, and is the only one.
            let is_meant =
                signed.key_id.is_none() || key.id.is_none() && self.0.len() == 1 || key.id.as_deref() == signed.key_id;
            key.verifier(signed.algorithm).filter(|_| is_meant)
        });
        fitting.take(MOST_TRIED).any(|verifier| verifier.verifies(signed))
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }
}

impl Key {
    /// The key of HS algorithms.
    pub(super) fn from_secret(secret: &Secret, listed: &[Algorithm]) -> Self {
        let verifiers = listed.iter().filter_map(|algorithm| {
            let hash = match algorithm {
                Algorithm::HS256 => hmac::HMAC_SHA256,
                Algorithm::HS384 => hmac::HMAC_SHA384,
                Algorithm::HS512 => hmac::HMAC_SHA512,
                _ => return None,
            };
            Some((*algorithm, Verifier::Hmac(Box::new(hmac::Key::new(hash, secret.expose().as_bytes())))))
        });
        Self { id: None, verifiers: verifiers.collect() }
    }

    /// A public key in PEM. The error completes "option `publicKey`: …" and repeats nothing of the text.
    pub(super) fn from_pem(pem: &str, listed: &[Algorithm]) -> Result<Self, String> {
        let der = public_der(pem)?;
        if rsa_bits(&der).is_some_and(|bits| !RSA_BITS.contains(&bits)) {
            return Err("is an RSA key of fewer than 2048 or more than 8192 bits".into());
        }
        let fitting: Vec<_> =
            Algorithm::ALL.into_iter().filter(|algorithm| parsed(*algorithm, &der).is_some()).collect();
        if fitting.is_empty() {
            return Err("is no key that can be read; RSA, EC (P-256, P-384, P-521) and Ed25519 keys are".into());
        }
        let unfit: Vec<_> =
            listed.iter().filter(|it| !it.is_hmac() && !fitting.contains(it)).map(|it| it.name()).collect();
        if !unfit.is_empty() {
            let fitting: Vec<_> = fitting.iter().map(|it| it.name()).collect();
            return Err(format!("does not fit {}; this key is for {}", unfit.join(", "), fitting.join(", ")));
        }
        Ok(Self::from_der(None, &der, listed))
    }

    /// A published key, if it is one for signatures of a listed algorithm.
    fn from_jwk(text: &RawValue, listed: &[Algorithm]) -> Option<Self> {
        let jwk: Jwk = serde_json::from_str(text.get()).ok()?;
        if jwk.usage.is_some_and(|usage| usage != "sig") {
            return None;
        }
        if jwk.key_ops.is_some_and(|operations| !operations.iter().any(|operation| operation == "verify")) {
            return None;
        }
        let member = |name: &str| base64url(jwk.members.get(name)?.as_str()?);
        let der = match jwk.kty.as_str() {
            "RSA" => {
                let (n, e) = (member("n")?, member("e")?);
                let components = PublicKeyComponents { n: &n, e: &e };
                let der: PublicKeyX509Der<'_> = components.as_der().ok()?;
                if !rsa_bits(der.as_ref()).is_some_and(|bits| RSA_BITS.contains(&bits)) {
                    return None;
                }
                der.as_ref().to_vec()
            }
            "EC" => {
                let size = match jwk.members.get("crv")?.as_str()? {
                    "P-256" => 32,
                    "P-384" => 48,
                    "P-521" => 66,
                    _ => return None,
                };
                let (x, y) = (member("x")?, member("y")?);
                if x.len() != size || y.len() != size {
                    return None;
                }
                [&[4], x.as_slice(), &y].concat()
            }
            "OKP" if jwk.members.get("crv")? == "Ed25519" => {
                let x = member("x")?;
                if x.len() != 32 {
                    return None;
                }
                x
            }
            // `oct` keys are secrets, which nobody publishes.
            _ => return None,
        };
        let own = match &jwk.alg {
            Some(name) => vec![*listed.iter().find(|algorithm| algorithm.name() == name)?],
            None => listed.to_vec(),
        };
        let key = Self::from_der(jwk.kid, &der, &own);
        (!key.verifiers.is_empty()).then_some(key)
    }

    fn from_der(id: Option<String>, der: &[u8], listed: &[Algorithm]) -> Self {
        let verifiers =
            listed.iter().filter_map(|algorithm| Some((*algorithm, Verifier::Public(parsed(*algorithm, der)?))));
        Self { id, verifiers: verifiers.collect() }
    }

    fn verifier(&self, algorithm: Algorithm) -> Option<&Verifier> {
        let found = self.verifiers.iter().find(|(own, _)| *own == algorithm);
        found.map(|(_, verifier)| verifier)
    }
}

impl Verifier {
    fn verifies(&self, signed: &Signed<'_>) -> bool {
        match self {
            Self::Hmac(key) => hmac::verify(key, signed.message, signed.signature).is_ok(),
            Self::Public(key) => key.verify_sig(signed.message, signed.signature).is_ok(),
        }
    }
}

/// A published key. A member of a wrong type makes it unreadable.
#[derive(Deserialize)]
struct Jwk {
    kty: String,
    kid: Option<String>,
    #[serde(rename = "use")]
    usage: Option<String>,
    key_ops: Option<Vec<String>>,
    alg: Option<String>,
    #[serde(flatten)]
    members: serde_json::Map<String, Value>,
}

/// The key, if it is of the algorithm's kind.
fn parsed(algorithm: Algorithm, der: &[u8]) -> Option<ParsedPublicKey> {
    let verification: &'static dyn VerificationAlgorithm = match algorithm {
        Algorithm::HS256 | Algorithm::HS384 | Algorithm::HS512 => return None,
        Algorithm::RS256 => &signature::RSA_PKCS1_2048_8192_SHA256,
        Algorithm::RS384 => &signature::RSA_PKCS1_2048_8192_SHA384,
        Algorithm::RS512 => &signature::RSA_PKCS1_2048_8192_SHA512,
        Algorithm::PS256 => &signature::RSA_PSS_2048_8192_SHA256,
        Algorithm::PS384 => &signature::RSA_PSS_2048_8192_SHA384,
        Algorithm::PS512 => &signature::RSA_PSS_2048_8192_SHA512,
        Algorithm::ES256 => &signature::ECDSA_P256_SHA256_FIXED,
        Algorithm::ES384 => &signature::ECDSA_P384_SHA384_FIXED,
        Algorithm::ES512 => &signature::ECDSA_P521_SHA512_FIXED,
        Algorithm::EdDSA => &signature::ED25519,
    };
    ParsedPublicKey::new(verification, der).ok()
}

/// The bytes of a public key in PEM.
fn public_der(pem: &str) -> Result<Vec<u8>, String> {
    // A variable cannot always hold line breaks, and then has them written out.
    let written_out;
    let pem = if pem.contains("\\n") {
        written_out = pem.replace("\\n", "\n");
        &written_out
    } else {
        pem
    };
    let no_pem = || "is no PEM text (-----BEGIN PUBLIC KEY-----)".to_owned();
    let (_, rest) = pem.split_once("-----BEGIN ").ok_or_else(no_pem)?;
    let (label, rest) = rest.split_once("-----").ok_or_else(no_pem)?;
    let (body, _) = rest.split_once(&format!("-----END {label}-----")).ok_or_else(no_pem)?;
    match label {
        "PUBLIC KEY" | "RSA PUBLIC KEY" => {}
        "CERTIFICATE" => {
            return Err("is a certificate; take its key out with `openssl x509 -pubkey -noout`".into());
        }
        label if label.contains("PRIVATE KEY") => {
            return Err("is a private key, which belongs to the issuer alone; give its public key \
                        (`openssl pkey -pubout`)"
                .into());
        }
        _ => return Err("is PEM, but no PUBLIC KEY".into()),
    }
    let body: String = body.chars().filter(|c| !c.is_ascii_whitespace()).collect();
    STANDARD.decode(body).map_err(|_| no_pem())
}

/// How many bits the modulus of an RSA key has; `None` if it is no RSA key.
fn rsa_bits(der: &[u8]) -> Option<usize> {
    const RSA_ENCRYPTION: [u8; 9] = [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01];
    const SEQUENCE: u8 = 0x30;
    const INTEGER: u8 = 0x02;
    const BIT_STRING: u8 = 0x03;
    const OBJECT: u8 = 0x06;
    let (outer, _) = element(der, SEQUENCE)?;
    let key = match element(outer, SEQUENCE) {
        // SubjectPublicKeyInfo: the algorithm, and the key as a bit string without unused bits.
        Some((algorithm, rest)) => {
            let (kind, _) = element(algorithm, OBJECT)?;
            let (bits, _) = element(rest, BIT_STRING).filter(|_| kind == RSA_ENCRYPTION)?;
            element(bits.strip_prefix(&[0])?, SEQUENCE)?.0
        }
        // RSAPublicKey.
        None => outer,
    };
    let (modulus, _) = element(key, INTEGER)?;
    let start = modulus.iter().position(|byte| *byte != 0)?;
    let modulus = &modulus[start..];
    Some(modulus.len() * 8 - modulus[0].leading_zeros() as usize)
}

/// The content of the DER element at the front, if it has that tag, and what follows it.
pub(super) fn element(der: &[u8], tag: u8) -> Option<(&[u8], &[u8])> {
    let (first, rest) = der.split_first()?;
    let (length, rest) = rest.split_first()?;
    let (length, rest) = match length {
        0..=0x7f => (usize::from(*length), rest),
        0x81..=0x84 => {
            let (bytes, rest) = rest.split_at_checked(usize::from(length & 0x7f))?;
            (bytes.iter().fold(0, |length, byte| length << 8 | usize::from(*byte)), rest)
        }
        _ => return None,
    };
    rest.split_at_checked(length).filter(|_| *first == tag)
}
