//! Who is calling: JWTs, API keys and OAuth 2.1 access tokens behind one door (floor 1).

pub(crate) mod options;
#[cfg_attr(not(feature = "auth"), allow(dead_code, reason = "without it, URLs are checked and not asked"))]
mod url;

#[cfg(feature = "auth")]
mod api_key;
#[cfg(feature = "auth")]
mod bearer;
#[cfg(feature = "auth")]
mod claims;
#[cfg(feature = "auth")]
mod clock;
#[cfg(feature = "auth")]
mod door;
#[cfg(feature = "auth")]
mod error;
#[cfg(feature = "auth")]
mod fetch;
#[cfg(feature = "auth")]
mod introspection;
#[cfg(feature = "auth")]
mod json;
#[cfg(feature = "auth")]
mod jwks;
#[cfg(feature = "auth")]
mod jwt;
#[cfg(feature = "auth")]
mod kept;
#[cfg(feature = "auth")]
mod keys;
#[cfg(feature = "auth")]
mod measured;
#[cfg(feature = "auth")]
mod metadata;
#[cfg(feature = "auth")]
mod oauth;
#[cfg(feature = "auth")]
mod remembered;
#[cfg(feature = "auth")]
mod repeated;
#[cfg(feature = "auth")]
#[cfg(test)]
mod tests;
#[cfg(feature = "http")]
#[cfg_attr(not(feature = "auth"), allow(dead_code, reason = "without it, nobody is at the door"))]
mod verdict;

pub use options::{
    Algorithm, ApiKey, ApiKeyOptions, ApiKeyValue, AuthOptions, InvalidDigest, JwtOptions, OAuthOptions,
};

#[cfg(all(feature = "http", not(feature = "auth")))]
mod absent;
#[cfg(all(feature = "http", not(feature = "auth")))]
pub(crate) use absent::{AuthError, Authenticator, LastCredential};

#[cfg(feature = "auth")]
pub use measured::CredentialCheck;
#[cfg(fuzzing)]
pub(crate) use url::Url;

#[cfg(all(test, feature = "auth"))]
use door::Posture;
#[cfg(feature = "http")]
pub(crate) use verdict::{Admission, Document, Place, Refusal};
#[cfg(feature = "auth")]
pub(crate) use {
    door::{Authenticator, Site},
    error::AuthError,
    repeated::LastCredential,
};
