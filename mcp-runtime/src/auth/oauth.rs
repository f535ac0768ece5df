//! An OAuth 2.1 provider: discovered, its access tokens verified by its keys or by its word.

use std::sync::Arc;

use serde::Deserialize;

use super::{
    Admission,
    claims::{Audience, Party, Rules},
    clock::Clock,
    fetch::{FetchError, Fetched, Fetcher},
    introspection::Introspection,
    jwks,
    jwt::{self, Keys, Verifier},
    kept::{Kept, Loaded},
    keys::KeySet,
    options::{Algorithm, OAuthOptions},
    remembered::{Digest, sha256},
    url::{Host, Named, Url},
    verdict::Verdict,
};
use crate::{limits::Limits, principal::AuthMethod};

/// A provider, and what judges its tokens.
pub(super) struct Provider {
    discovery: Kept<Discovery>,
    /// For tokens that are JWTs.
    verifier: Arc<Verifier>,
    /// For all others.
    introspection: Arc<Introspection>,
}

/// What a provider says of itself.
pub(super) struct Discovery {
    /// `None` for one that issues opaque tokens alone.
    pub(super) keys: Option<Url>,
    pub(super) introspection: Option<Url>,
    /// How far its word on those URLs goes.
    pub(super) named: Named,
}

/// The leeway of clocks, as `jwt` has it by default.
const LEEWAY_SECONDS: f64 = 30.0;

/// What providers sign with. A key in the provider's set decides which of them it is for.
const ALGORITHMS: [Algorithm; 10] = [
    Algorithm::RS256,
    Algorithm::RS384,
    Algorithm::RS512,
    Algorithm::PS256,
    Algorithm::PS384,
    Algorithm::PS512,
    Algorithm::ES256,
    Algorithm::ES384,
    Algorithm::ES512,
    Algorithm::EdDSA,
];

impl Provider {
    /// The provider of options that were found right; `resources` are the URLs of the endpoints.
    pub(super) fn new(
        options: &OAuthOptions,
        issuer: Url,
        resources: Vec<String>,
        limits: &Limits,
        clock: Clock,
    ) -> Self {
        let fetcher = Arc::new(Fetcher::new(limits));
        let discovery = discovery(issuer, limits, fetcher.clone(), clock.clone());
        let keys = published(discovery.clone(), limits, fetcher.clone(), clock.clone());
        let is_configured = options.audience.is_some();
        let names = options.audience.clone().map_or(resources, |audience| vec![audience]);
        let rules = |of_jwt: bool| Rules {
            method: AuthMethod::OAuth,
            issuer: Some(Party { name: options.issuer_url.clone(), must_be_there: of_jwt }),
            audience: Some(Audience { names: names.clone(), must_be_there: of_jwt || is_configured }),
            leeway: LEEWAY_SECONDS,
            // The provider's word on an opaque token holds until the time it names, not beyond.
            grace: if of_jwt { LEEWAY_SECONDS } else { 0.0 },
        };
        let algorithms = ALGORITHMS.to_vec();
        let remembered = limits.remembered_tokens;
        Self {
            verifier: Arc::new(Verifier::new(
                algorithms,
                rules(true),
                Keys::Published(keys),
                remembered,
                clock.clone(),
            )),
            introspection: Arc::new(Introspection::new(
                options,
                rules(false),
                discovery.clone(),
                limits,
                fetcher,
                clock,
            )),
            discovery,
        }
    }

    /// Judges an access token.
    pub(super) fn authenticate(&self, token: &str, digest: Digest) -> Admission {
        if jwt::is_jwt(token) {
            self.verifier.clone().verify(token, digest)
        } else {
            self.introspection.clone().ask(token, digest)
        }
    }

    /// What is known of a token already, whichever kind it is.
    pub(super) fn recall(&self, digest: &Digest) -> Option<Verdict> {
        self.verifier.recall(digest).map(Ok).or_else(|| self.introspection.recall(digest))
    }

    /// Whether the provider is what the options say; its silence says nothing.
    pub(super) async fn is_another(&self) -> bool {
        self.discovery.get().await.is_none() && self.discovery.failure() == Some(FetchError::Issuer)
    }

    /// Fetches ahead what requests will need.
    pub(super) fn seek(&self) {
        self.discovery.seek();
        if let Some(keys) = self.verifier.published() {
            keys.seek();
        }
    }
}

impl Rules {
    /// The rules of `jwt`.
    pub(super) fn of_jwt(options: &super::options::JwtOptions) -> Self {
        let issuer = options.issuer.clone();
        let audience = options.audience.clone();
        Self {
            method: AuthMethod::Jwt,
            issuer: issuer.map(|name| Party { name, must_be_there: true }),
            audience: audience.map(|name| Audience { names: vec![name], must_be_there: true }),
            leeway: options.leeway_seconds as f64,
            grace: options.leeway_seconds as f64,
        }
    }
}

/// The provider's document, by RFC 8414 or else by OpenID Connect.
fn discovery(issuer: Url, limits: &Limits, fetcher: Arc<Fetcher>, clock: Clock) -> Kept<Discovery> {
    Kept::new("the provider's discovery document", limits, clock, move || {
        let (issuer, fetcher) = (issuer.clone(), fetcher.clone());
        Box::pin(async move {
            let mut failure = FetchError::Content("the issuer has no discovery document");
            for place in places(&issuer) {
                let Ok(url) = Url::parse(&place) else { continue };
                match fetcher.get(&url, &Named::ByOperator).await {
                    Ok(fetched) => match read(&fetched, &issuer) {
                        Err(error @ FetchError::Content(_)) => failure = error,
                        // A document of another issuer is no reason to look for a better one.
                        result => return result,
                    },
                    // Only where there is no document the next place is looked at.
                    Err(error @ FetchError::Status(_)) => failure = error,
                    Err(error) => return Err(error),
                }
            }
            Err(failure)
        })
    })
}

/// Where the document may be: the well-known part before the issuer's path, or behind it.
fn places(issuer: &Url) -> Vec<String> {
    let (origin, path) = (issuer.origin(), issuer.path().trim_end_matches('/'));
    let mut places = vec![
        format!("{origin}/.well-known/oauth-authorization-server{path}"),
        format!("{origin}/.well-known/openid-configuration{path}"),
        format!("{origin}{path}/.well-known/openid-configuration"),
    ];
    places.dedup();
    places
}

fn read(fetched: &Fetched, issuer: &Url) -> Result<Loaded<Discovery>, FetchError> {
    #[derive(Deserialize)]
    struct Document {
        issuer: String,
        jwks_uri: Option<String>,
        introspection_endpoint: Option<String>,
    }
    let document: Document = serde_json::from_slice(&fetched.body)
        .map_err(|_| FetchError::Content("the answer is no discovery document"))?;
    if document.issuer != issuer.as_str() {
        return Err(FetchError::Issuer);
    }
    let url = |text: Option<String>| match text.as_deref().map(Url::parse) {
        None => Ok(None),
        Some(Ok(url)) => Ok(Some(url)),
        Some(Err(_)) => Err(FetchError::Content("the discovery document names a URL that may not be asked")),
    };
    let host: Host = issuer.host.clone();
    let value = Discovery {
        keys: url(document.jwks_uri)?,
        introspection: url(document.introspection_endpoint)?,
        named: Named::ByDocumentOf(host),
    };
    Ok(Loaded { value, digest: sha256(&fetched.body), max_age: fetched.max_age })
}

/// The keys that the discovery document leads to.
fn published(discovery: Kept<Discovery>, limits: &Limits, fetcher: Arc<Fetcher>, clock: Clock) -> Kept<KeySet> {
    let most = limits.max_keys.unwrap_or(usize::MAX);
    Kept::new("the provider's key set", limits, clock, move || {
        let (discovery, fetcher) = (discovery.clone(), fetcher.clone());
        Box::pin(async move {
            let document = discovery.get().await.ok_or(FetchError::Content("the provider is not discovered yet"))?;
            let document = document.value;
            let Some(url) = &document.keys else {
                return Ok(Loaded { value: KeySet::default(), digest: sha256(b""), max_age: None });
            };
            jwks::read(fetcher.get(url, &document.named).await?, &ALGORITHMS, most)
        })
    })
}
