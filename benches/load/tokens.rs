//! Tokens for the guarded paths: one for each connection.

use std::{
    io,
    time::{SystemTime, UNIX_EPOCH},
};

use aws_lc_rs::{
    encoding::{AsDer, PublicKeyX509Der},
    hmac,
    rand::SystemRandom,
    rsa::{KeyPair, KeySize},
    signature::{KeyPair as _, RSA_PKCS1_SHA256},
};
use base64::{
    Engine,
    prelude::{BASE64_STANDARD, BASE64_URL_SAFE_NO_PAD},
};
use serde_json::json;

use crate::{
    other,
    paths::{Guard, Path},
};

#[derive(Debug)]
pub(crate) struct Tokens {
    guard: Guard,
    rsa: Option<KeyPair>,
}

impl Tokens {
    pub(crate) const ISSUER: &str = "https://issuer.example.com";
    pub(crate) const AUDIENCE: &str = "https://mcp.example.com";
    pub(crate) const SECRET: &str = "a secret of the benchmarks, long enough for any of them";

    pub(crate) fn of(path: &Path) -> io::Result<Self> {
        let rsa = match path.guard {
            Guard::Rs256 => Some(KeyPair::generate(KeySize::Rsa2048).map_err(|_| other("no key"))?),
            Guard::Open | Guard::Hs256 => None,
        };
        Ok(Self { guard: path.guard, rsa })
    }

    /// The header line by which a connection says who it is.
    pub(crate) fn header(&self, connection: usize) -> io::Result<String> {
        let algorithm = match self.guard {
            Guard::Open => return Ok(String::new()),
            Guard::Hs256 => "HS256",
            Guard::Rs256 => "RS256",
        };
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_err(io::Error::other)?.as_secs();
        let claims = json!({
            "iss": Self::ISSUER, "aud": Self::AUDIENCE, "sub": format!("client-{connection}"), "exp": now + 3600,
        });
        let head = json!({ "alg": algorithm, "typ": "JWT" });
        let said = [head, claims].map(|part| BASE64_URL_SAFE_NO_PAD.encode(part.to_string())).join(".");
        let signature = BASE64_URL_SAFE_NO_PAD.encode(self.sign(said.as_bytes())?);
        Ok(format!("authorization: Bearer {said}.{signature}\r\n"))
    }

    /// The key that verifies, as PEM.
    pub(crate) fn public_key(&self) -> io::Result<String> {
        let rsa = self.rsa.as_ref().ok_or_else(|| other("no key"))?;
        let der: PublicKeyX509Der<'_> = rsa.public_key().as_der().map_err(|_| other("no public key"))?;
        let text = BASE64_STANDARD.encode(der.as_ref());
        Ok(format!("-----BEGIN PUBLIC KEY-----\n{text}\n-----END PUBLIC KEY-----\n"))
    }

    fn sign(&self, said: &[u8]) -> io::Result<Vec<u8>> {
        let Some(rsa) = &self.rsa else {
            let key = hmac::Key::new(hmac::HMAC_SHA256, Self::SECRET.as_bytes());
            return Ok(hmac::sign(&key, said).as_ref().to_vec());
        };
        let mut signature = vec![0; rsa.public_modulus_len()];
        rsa.sign(&RSA_PKCS1_SHA256, &SystemRandom::new(), said, &mut signature).map_err(|_| other("no signature"))?;
        Ok(signature)
    }
}
