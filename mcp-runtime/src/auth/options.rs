//! What a server is told about authentication, and what of it cannot be right.

use std::{collections::HashSet, fmt, time::SystemTime};

use super::url::Url;
use crate::secret::Secret;

/// How requests are authenticated: `{"type": …, "options": {…}}`.
///
/// ```
/// use mcp_runtime::{Algorithm, AuthOptions, JwtOptions};
///
/// let auth = AuthOptions::Jwt(JwtOptions {
///     algorithms: vec![Algorithm::RS256],
///     jwks_uri: Some("https://idp.example.com/jwks".into()),
///     issuer: Some("https://idp.example.com".into()),
///     audience: Some("https://mcp.example.com".into()),
///     ..Default::default()
/// });
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum AuthOptions {
    /// `jwt`: bearer tokens that the server verifies by itself.
    Jwt(JwtOptions),
    /// `apikey`: keys from a list.
    ApiKey(ApiKeyOptions),
    /// `oauth`: access tokens of an OAuth 2.1 provider.
    OAuth(OAuthOptions),
}

/// The options of `jwt`. There is exactly one key source: `secret`, `public_key` or `jwks_uri`.
#[derive(Clone, Debug, PartialEq)]
pub struct JwtOptions {
    /// `algorithms`: those that tokens may be signed with; required.
    pub algorithms: Vec<Algorithm>,
    /// `secret`: the key of HS256, HS384 and HS512, 32 bytes or more.
    pub secret: Option<Secret>,
    /// `publicKey`: the key of the RS, PS, ES and EdDSA algorithms, PEM.
    pub public_key: Option<String>,
    /// `jwksUri`: where the issuer publishes its keys.
    pub jwks_uri: Option<String>,
    /// `issuer`: what a token's `iss` must be (anything).
    pub issuer: Option<String>,
    /// `audience`: what a token's `aud` must be or contain (anything).
    pub audience: Option<String>,
    /// `leewaySeconds`: how far clocks may be apart (30, 60 at most).
    pub leeway_seconds: u64,
}

/// The options of `apikey`.
///
/// ```
/// use mcp_runtime::{ApiKey, ApiKeyOptions};
///
/// let mut reporting = ApiKey::sha256("d2a84f4b8b650937ec8f73cd8be2c74add5a911ba64df27458ed8229da804a26")?;
/// reporting.id = Some("reporting".into());
/// let options = ApiKeyOptions { keys: vec![reporting, ApiKey::from("kZ7wq0")], ..Default::default() };
/// # Ok::<(), mcp_runtime::InvalidDigest>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ApiKeyOptions {
    /// `keys`: the keys that open the server; required.
    pub keys: Vec<ApiKey>,
    /// `headerName`: the header that carries the key (`X-API-Key`).
    pub header_name: String,
    /// `queryParam`: the query parameter that may carry it when an event stream is opened (none).
    pub query_param: Option<String>,
}

/// A key, and what it is good for: a string, or `{id, key or sha256, scopes, expiresAt}`.
#[derive(Clone, Debug, PartialEq)]
pub struct ApiKey {
    /// `id`: what the key is called, which becomes the principal's subject.
    pub id: Option<String>,
    /// `key` or `sha256`: the key, or its digest.
    pub value: ApiKeyValue,
    /// `scopes`: what the key is good for (nothing that demands a scope).
    pub scopes: Vec<String>,
    /// `expiresAt`: the time from which it is refused (never).
    pub expires_at: Option<SystemTime>,
}

/// A key, or its digest.
#[derive(Clone, PartialEq)]
pub enum ApiKeyValue {
    /// `key`: the key itself.
    Plain(Secret),
    /// `sha256`: the key's SHA-256 digest.
    Sha256([u8; 32]),
}

/// Text that is no SHA-256 digest in hexadecimal digits.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("must be a SHA-256 digest, 64 hexadecimal digits")]
pub struct InvalidDigest;

/// The options of `oauth`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OAuthOptions {
    /// `issuerUrl`: the provider; required.
    pub issuer_url: String,
    /// `clientId`: what this server is called at the provider; required.
    pub client_id: String,
    /// `clientSecret`: its secret there; required.
    pub client_secret: Secret,
    /// `audience`: what a token's `aud` must be or contain (the URL of one of the endpoints).
    pub audience: Option<String>,
    /// `scopes`: what every token must have, all of them (none).
    pub scopes: Vec<String>,
}

/// An algorithm of signatures, by its name in RFC 7518 and RFC 8037.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[allow(missing_docs, reason = "the names are those of the standard")]
pub enum Algorithm {
    HS256,
    HS384,
    HS512,
    RS256,
    RS384,
    RS512,
    PS256,
    PS384,
    PS512,
    ES256,
    ES384,
    ES512,
    /// Ed25519.
    EdDSA,
}

/// An option that cannot be right.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct OptionProblem {
    /// Its name within the options of the method, e.g. `keys[1].id`.
    pub(crate) option: String,
    pub(crate) reason: String,
}

/// The greatest `leewaySeconds`.
pub(crate) const MAX_LEEWAY: u64 = 60;
/// The shortest secret of an HS algorithm, in bytes.
const MIN_SECRET: usize = 32;

impl AuthOptions {
    /// All that is wrong.
    pub(crate) fn problems(&self) -> Vec<OptionProblem> {
        match self {
            Self::Jwt(options) => options.problems(),
            Self::ApiKey(options) => options.problems(),
            Self::OAuth(options) => options.problems(),
        }
    }
}

impl Default for JwtOptions {
    fn default() -> Self {
        Self {
            algorithms: Vec::new(),
            secret: None,
            public_key: None,
            jwks_uri: None,
            issuer: None,
            audience: None,
            leeway_seconds: 30,
        }
    }
}

impl JwtOptions {
    fn problems(&self) -> Vec<OptionProblem> {
        let mut problems = Vec::new();
        let mut wrong = |option: &str, reason: String| problems.push(problem(option, reason));
        if self.algorithms.is_empty() {
            let reason =
                "is missing; list the algorithms that tokens may be signed with, e.g. RS256 (MCP_JWT_ALGORITHMS)";
            wrong("algorithms", reason.into());
        }
        let sources = [
            ("secret", self.secret.is_some()),
            ("publicKey", self.public_key.is_some()),
            ("jwksUri", self.jwks_uri.is_some()),
        ];
        let given: Vec<_> = sources.iter().filter(|(_, given)| *given).map(|(name, _)| *name).collect();
        match given[..] {
            [] => {
                let reason = "no key is given; set one of `secret` (MCP_JWT_SECRET), `publicKey` (MCP_JWT_PUBLIC_KEY) \
                              and `jwksUri` (MCP_JWT_JWKS_URI)";
                wrong(if self.wants_secret() { "secret" } else { "jwksUri" }, reason.into());
            }
            [source] => {
                let unfit = self.algorithms.iter().filter(|algorithm| algorithm.is_hmac() != (source == "secret"));
                let unfit: Vec<_> = unfit.map(Algorithm::to_string).collect();
                if !unfit.is_empty() {
                    let remedy = if source == "secret" {
                        "HS256, HS384 and HS512 go with `secret`, all others with `publicKey` or `jwksUri`"
                    } else {
                        "HS algorithms go with `secret` alone: a public key is no secret"
                    };
                    wrong("algorithms", format!("{} cannot go with `{source}`; {remedy}", unfit.join(", ")));
                }
            }
            [first, second, ..] => {
                wrong(second, format!("cannot stand beside `{first}`; keep one key source"));
            }
        }
        if let Some(secret) = &self.secret {
            if secret.expose().trim_start().starts_with("-----BEGIN") {
                wrong("secret", "is a PEM key, which is no secret of HS algorithms; use `publicKey`".into());
            } else if secret.expose().len() < MIN_SECRET {
                wrong("secret", format!("is too short to be safe; {MIN_SECRET} bytes are the least"));
            }
        }
        #[cfg(feature = "auth")]
        if let Some(pem) = &self.public_key
            && let Err(reason) = super::keys::Key::from_pem(pem, &self.algorithms)
        {
            wrong("publicKey", reason);
        }
        if let Some(uri) = &self.jwks_uri
            && let Err(reason) = Url::parse(uri)
        {
            wrong("jwksUri", reason.into());
        }
        for (option, value) in [("issuer", &self.issuer), ("audience", &self.audience)] {
            if value.as_ref().is_some_and(|value| value.trim().is_empty()) {
                wrong(option, "must not be empty".into());
            }
        }
        if self.leeway_seconds > MAX_LEEWAY {
            wrong("leewaySeconds", format!("{} is too much; {MAX_LEEWAY} is the most", self.leeway_seconds));
        }
        problems
    }

    /// Whether the algorithms ask for a secret.
    fn wants_secret(&self) -> bool {
        self.algorithms.first().is_some_and(|algorithm| algorithm.is_hmac())
    }
}

impl Default for ApiKeyOptions {
    fn default() -> Self {
        Self { keys: Vec::new(), header_name: "X-API-Key".into(), query_param: None }
    }
}

impl ApiKeyOptions {
    fn problems(&self) -> Vec<OptionProblem> {
        let mut problems = Vec::new();
        let mut wrong = |option: &str, reason: String| problems.push(problem(option, reason));
        if self.keys.is_empty() {
            let reason = "is missing; list the keys that open the server (MCP_API_KEYS)";
            wrong("keys", reason.into());
        }
        let mut ids = HashSet::new();
        let mut plain = HashSet::new();
        for (index, key) in self.keys.iter().enumerate() {
            if let ApiKeyValue::Plain(secret) = &key.value {
                let text = secret.expose();
                if text.is_empty() {
                    wrong(&format!("keys[{index}]"), "must not be empty".into());
                } else if !text.bytes().all(|b| b.is_ascii_graphic()) {
                    let reason = "must be visible ASCII characters, without blanks";
                    wrong(&format!("keys[{index}]"), reason.into());
                } else if !plain.insert(text) {
                    wrong(&format!("keys[{index}]"), "stands in the list twice".into());
                }
            }
            if let Some(id) = &key.id {
                let option = format!("keys[{index}].id");
                if id.trim().is_empty() || id.chars().any(char::is_control) {
                    wrong(&option, "must be a name without control characters".into());
                } else if !ids.insert(id) {
                    wrong(&option, "stands in the list twice; two keys with one id would share their sessions".into());
                }
            }
            if let Some(reason) = scopes_problem(&key.scopes) {
                wrong(&format!("keys[{index}].scopes"), reason);
            }
        }
        #[cfg(feature = "auth")]
        if let Some(index) = super::api_key::repeated(&self.keys) {
            wrong(&format!("keys[{index}]"), "stands in the list twice".into());
        }
        if let Some(reason) = header_problem(&self.header_name) {
            wrong("headerName", reason.into());
        }
        if let Some(name) = &self.query_param {
            let plain = |c: char| c.is_ascii_alphanumeric() || "-._~".contains(c);
            if name.is_empty() || !name.chars().all(plain) {
                wrong("queryParam", "must be a name of letters, digits, `-`, `.`, `_` and `~`".into());
            } else if name.eq_ignore_ascii_case("sessionId") {
                wrong("queryParam", "must not be `sessionId`, which names the session".into());
            }
        }
        problems
    }
}

impl OAuthOptions {
    fn problems(&self) -> Vec<OptionProblem> {
        let mut problems = Vec::new();
        let mut wrong = |option: &str, reason: String| problems.push(problem(option, reason));
        let required = [
            ("issuerUrl", self.issuer_url.as_str(), "the provider's URL (MCP_OAUTH_ISSUER_URL)"),
            ("clientId", &self.client_id, "what this server is called at the provider (MCP_OAUTH_CLIENT_ID)"),
            ("clientSecret", self.client_secret.expose(), "its secret there (MCP_OAUTH_CLIENT_SECRET)"),
        ];
        for (option, value, what) in required {
            if value.trim().is_empty() {
                wrong(option, format!("is missing; set {what}"));
            }
        }
        if !self.issuer_url.trim().is_empty() {
            match Url::parse(&self.issuer_url) {
                Err(reason) => wrong("issuerUrl", reason.into()),
                Ok(url) if url.has_query() => wrong("issuerUrl", "must not have a query".into()),
                Ok(_) => {}
            }
        }
        if self.audience.as_ref().is_some_and(|audience| audience.trim().is_empty()) {
            wrong("audience", "must not be empty".into());
        }
        if let Some(reason) = scopes_problem(&self.scopes) {
            wrong("scopes", reason);
        }
        problems
    }
}

impl ApiKey {
    /// A key whose SHA-256 digest is this, in hexadecimal digits.
    ///
    /// # Errors
    /// When it is no such digest.
    pub fn sha256(digits: &str) -> Result<Self, InvalidDigest> {
        let mut digest = [0; 32];
        if digits.len() != 64 || !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
            return Err(InvalidDigest);
        }
        for (byte, index) in digest.iter_mut().zip((0..64).step_by(2)) {
            *byte = u8::from_str_radix(&digits[index..index + 2], 16).map_err(|_| InvalidDigest)?;
        }
        Ok(Self { id: None, value: ApiKeyValue::Sha256(digest), scopes: Vec::new(), expires_at: None })
    }
}

impl<T: Into<Secret>> From<T> for ApiKey {
    fn from(key: T) -> Self {
        Self { id: None, value: ApiKeyValue::Plain(key.into()), scopes: Vec::new(), expires_at: None }
    }
}

impl fmt::Debug for ApiKeyValue {
    // A digest of a short key can be guessed, so it is not shown, either.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Plain(_) => f.write_str("Plain([hidden])"),
            Self::Sha256(_) => f.write_str("Sha256([hidden])"),
        }
    }
}

impl Algorithm {
    /// All of them.
    pub(crate) const ALL: [Self; 13] = [
        Self::HS256,
        Self::HS384,
        Self::HS512,
        Self::RS256,
        Self::RS384,
        Self::RS512,
        Self::PS256,
        Self::PS384,
        Self::PS512,
        Self::ES256,
        Self::ES384,
        Self::ES512,
        Self::EdDSA,
    ];

    /// The algorithm of that name, to the letter.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|algorithm| algorithm.name() == name)
    }

    /// Its name, e.g. `RS256`.
    pub fn name(self) -> &'static str {
        match self {
            Self::HS256 => "HS256",
            Self::HS384 => "HS384",
            Self::HS512 => "HS512",
            Self::RS256 => "RS256",
            Self::RS384 => "RS384",
            Self::RS512 => "RS512",
            Self::PS256 => "PS256",
            Self::PS384 => "PS384",
            Self::PS512 => "PS512",
            Self::ES256 => "ES256",
            Self::ES384 => "ES384",
            Self::ES512 => "ES512",
            Self::EdDSA => "EdDSA",
        }
    }

    pub(crate) fn is_hmac(self) -> bool {
        matches!(self, Self::HS256 | Self::HS384 | Self::HS512)
    }
}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Whether a scope is a word of RFC 6749, which may stand in a header.
pub(crate) fn is_scope(scope: &str) -> bool {
    !scope.is_empty() && scope.bytes().all(|b| b.is_ascii_graphic() && b != b'"' && b != b'\\')
}

fn scopes_problem(scopes: &[String]) -> Option<String> {
    let reason = "must be words of visible ASCII characters, without blanks, quotes and backslashes";
    scopes.iter().any(|scope| !is_scope(scope)).then(|| reason.into())
}

fn header_problem(name: &str) -> Option<&'static str> {
    /// Headers that mean something else to servers, proxies or MCP.
    const TAKEN: [&str; 18] = [
        "accept",
        "authorization",
        "connection",
        "content-encoding",
        "content-length",
        "content-type",
        "cookie",
        "expect",
        "host",
        "keep-alive",
        "last-event-id",
        "origin",
        "proxy-authorization",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
        "user-agent",
    ];
    let is_token = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c);
    let lower = name.to_ascii_lowercase();
    if name.is_empty() || name.len() > 128 || !name.chars().all(is_token) {
        return Some("must be the name of a header");
    }
    (TAKEN.contains(&lower.as_str()) || lower.starts_with("mcp-"))
        .then_some("must be a header of its own, e.g. X-API-Key; this one has another meaning")
}

fn problem(option: &str, reason: String) -> OptionProblem {
    OptionProblem { option: option.into(), reason }
}
