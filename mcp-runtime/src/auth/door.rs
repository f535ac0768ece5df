//! The door itself: a request's head goes in, a principal or a refusal comes out.

use std::sync::Arc;

use http::{HeaderMap, HeaderName, header::AUTHORIZATION, request::Parts};

use super::{
    api_key::ApiKeys,
    bearer,
    claims::Rules,
    clock::Clock,
    error::AuthError,
    fetch::Fetcher,
    jwks,
    jwt::{Keys, Verifier},
    keys::{Key, KeySet},
    metadata::Metadata,
    oauth::Provider,
    options::{ApiKey, ApiKeyValue, AuthOptions, JwtOptions, OptionProblem},
    remembered::{Digest, sha256},
    repeated::LastCredential,
    url::Url,
    verdict::{Admission, Document, Place, Refusal, Verdict},
};
use crate::{limits::Limits, principal::Principal};

/// What stands between a client and the functions.
pub(crate) struct Authenticator {
    method: Method,
    /// The beginning of every challenge.
    scheme: String,
    /// What every credential must be good for.
    scopes: Vec<String>,
    metadata: Option<Metadata>,
    posture: Vec<Posture>,
}

/// A line for the log at start.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Posture {
    /// Whether it is a warning.
    pub(crate) is_doubtful: bool,
    pub(crate) line: String,
}

/// Where the server is, as its clients see it.
#[derive(Clone, Debug)]
pub(crate) struct Site {
    /// `publicUrl`, or else the address as bound; never what a request says.
    pub(crate) public_url: String,
    /// The paths of all endpoints that need authentication, the transport's own first.
    pub(crate) endpoints: Vec<String>,
    /// Which of them takes the messages of an event stream.
    pub(crate) message_endpoint: Option<String>,
}

enum Method {
    ApiKey(ApiKeys),
    Jwt(Arc<Verifier>),
    OAuth(Arc<Provider>),
}

impl Authenticator {
    /// An authenticator, or all that is wrong with its options. Nothing is fetched yet.
    pub(crate) fn new(options: &AuthOptions, limits: &Limits, site: &Site) -> Result<Self, Vec<OptionProblem>> {
        Self::with_clock(options, limits, site, Clock::default())
    }

    pub(super) fn with_clock(
        options: &AuthOptions,
        limits: &Limits,
        site: &Site,
        clock: Clock,
    ) -> Result<Self, Vec<OptionProblem>> {
        let problems = options.problems();
        if !problems.is_empty() {
            return Err(problems);
        }
        let unfit = |option: &str| vec![OptionProblem { option: option.into(), reason: "cannot be used".into() }];
        let bearer = "Bearer realm=\"mcp\"".to_owned();
        let (method, scheme, scopes, metadata) = match options {
            AuthOptions::ApiKey(options) => {
                let keys = ApiKeys::new(options, clock).ok_or_else(|| unfit("headerName"))?;
                let scheme = format!("ApiKey realm=\"mcp\", header=\"{}\"", options.header_name);
                (Method::ApiKey(keys), scheme, Vec::new(), None)
            }
            AuthOptions::Jwt(options) => {
                let keys = keys_of(options, limits, clock.clone()).map_err(unfit)?;
                let (algorithms, rules) = (options.algorithms.clone(), Rules::of_jwt(options));
                let verifier = Verifier::new(algorithms, rules, keys, limits.remembered_tokens, clock);
                (Method::Jwt(Arc::new(verifier)), bearer, Vec::new(), None)
            }
            AuthOptions::OAuth(options) => {
                let issuer = Url::parse(&options.issuer_url).map_err(|_| unfit("issuerUrl"))?;
                let resources = site.endpoints.iter().map(|path| site.url_of(path)).collect();
                let provider = Provider::new(options, issuer, resources, limits, clock);
                let metadata = Metadata::new(options, site);
                (Method::OAuth(Arc::new(provider)), bearer, options.scopes.clone(), Some(metadata))
            }
        };
        let posture = posture(options, site);
        Ok(Self { method, scheme, scopes, metadata, posture })
    }

    /// Says at start what only the provider can tell, and fetches ahead what requests will need. What is down is asked
    /// again in the background.
    pub(crate) async fn prepare(&self) -> Result<(), Vec<OptionProblem>> {
        match &self.method {
            Method::ApiKey(_) => {}
            Method::Jwt(verifier) => {
                if let Some(keys) = verifier.published() {
                    keys.seek();
                }
            }
            Method::OAuth(provider) => {
                if provider.is_another().await {
                    let reason = "the provider's discovery document names another issuer; write it as it stands there";
                    return Err(vec![OptionProblem { option: "issuerUrl".into(), reason: reason.into() }]);
                }
                provider.seek();
            }
        }
        Ok(())
    }

    /// What requests need, and what of it is doubtful: for the log at start.
    pub(crate) fn posture(&self) -> &[Posture] {
        &self.posture
    }

    /// Judges a request by its head, before anything else of it is read; `last` is what its connection carried before.
    pub(crate) fn authenticate(&self, head: &Parts, place: Place, last: &LastCredential) -> Admission {
        let sent = self.sent(&head.headers);
        if let Some(digest) = sent.and_then(|sent| last.digest_of(sent))
            && let Some(verdict) = self.recall(&digest)
        {
            return Admission::Now(verdict);
        }
        let (digest, admission) = match self.judge(head, place) {
            Ok(judged) => judged,
            Err(refused) => return Admission::Now(Err(refused)),
        };
        if let (Admission::Now(Ok(_)), Some(sent)) = (&admission, sent) {
            last.keep(sent, digest);
        }
        admission
    }

    /// The value of the header that carries the credential, where it stands once.
    fn sent<'h>(&self, headers: &'h HeaderMap) -> Option<&'h [u8]> {
        let name = match &self.method {
            Method::ApiKey(keys) => keys.header(),
            Method::Jwt(_) | Method::OAuth(_) => &AUTHORIZATION,
        };
        let mut sent = headers.get_all(name).iter();
        sent.next().filter(|_| sent.next().is_none()).map(|value| value.as_bytes())
    }

    /// What is known of the credential with that digest, as of now.
    fn recall(&self, digest: &Digest) -> Option<Verdict> {
        match &self.method {
            Method::ApiKey(keys) => Some(keys.judge(digest)),
            Method::Jwt(verifier) => verifier.recall(digest).map(Ok),
            Method::OAuth(provider) => {
                provider.recall(digest).map(|verdict| verdict.and_then(|it| demanded(it, &self.scopes)))
            }
        }
    }

    /// Finds the credential, and judges it; its digest, too.
    fn judge(&self, head: &Parts, place: Place) -> Result<(Digest, Admission), AuthError> {
        if let Method::ApiKey(keys) = &self.method {
            let digest = sha256(&keys.key(head, place)?);
            return Ok((digest, Admission::Now(keys.judge(&digest))));
        }
        let token = bearer::token(&head.headers)?;
        let digest = sha256(token.as_bytes());
        let admission = match &self.method {
            Method::OAuth(provider) => match provider.authenticate(token, digest) {
                Admission::Now(verdict) => Admission::Now(verdict.and_then(|it| demanded(it, &self.scopes))),
                Admission::Later(verdict) if !self.scopes.is_empty() => {
                    let scopes = self.scopes.clone();
                    Admission::later(async move { verdict.await.and_then(|it| demanded(it, &scopes)) })
                }
                later @ Admission::Later(_) => later,
            },
            Method::Jwt(verifier) => verifier.clone().verify(token, digest),
            Method::ApiKey(_) => Admission::Now(Err(AuthError::Missing)),
        };
        Ok((digest, admission))
    }

    /// Refuses a principal that lacks one of the scopes that a function needs; the refusal names all that are needed.
    pub(crate) fn demand(&self, principal: &Principal, needed: &[&str]) -> Result<(), AuthError> {
        if needed.iter().all(|scope| principal.has_scope(scope)) {
            return Ok(());
        }
        let mut all = self.scopes.clone();
        all.extend(needed.iter().filter(|scope| !self.scopes.iter().any(|own| own == *scope)).map(|&it| it.to_owned()));
        Err(AuthError::InsufficientScope(all))
    }

    /// The answer to a request for that path.
    pub(crate) fn refusal(&self, error: &AuthError, path: &str) -> Refusal {
        let metadata = self.metadata.as_ref().and_then(|metadata| metadata.url_for(path));
        let more = metadata.map(|url| format!(", resource_metadata=\"{url}\"")).unwrap_or_default();
        error.refusal(&self.scheme, &self.scopes, &more)
    }

    /// The documents that anybody may read (RFC 9728); none without `oauth`.
    pub(crate) fn documents(&self) -> &[Document] {
        self.metadata.as_ref().map_or(&[], |metadata| &metadata.documents)
    }

    /// The header that carries the credential, which pages of other origins must be allowed to send.
    pub(crate) fn header(&self) -> HeaderName {
        match &self.method {
            Method::ApiKey(keys) => keys.header().clone(),
            Method::Jwt(_) | Method::OAuth(_) => AUTHORIZATION,
        }
    }

    /// The query parameter that may carry it, which the `endpoint` event of such a connection carries on.
    pub(crate) fn query_param(&self) -> Option<&str> {
        match &self.method {
            Method::ApiKey(keys) => keys.query_param(),
            Method::Jwt(_) | Method::OAuth(_) => None,
        }
    }
}

impl std::fmt::Debug for Authenticator {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Authenticator").field("scheme", &self.scheme).finish_non_exhaustive()
    }
}

/// A public URL's parts.
pub(super) struct Base {
    pub(super) origin: String,
    /// Without a final `/`.
    pub(super) path: String,
}

impl Site {
    /// The URL of an endpoint.
    pub(super) fn url_of(&self, endpoint: &str) -> String {
        let Base { origin, path } = self.base();
        format!("{origin}{path}{endpoint}")
    }

    pub(super) fn base(&self) -> Base {
        let url = self.public_url.trim_end_matches('/');
        let authority = url.find("://").map_or(0, |at| at + 3);
        let end = url[authority..].find('/').map_or(url.len(), |at| authority + at);
        Base { origin: url[..end].to_ascii_lowercase(), path: url[end..].to_owned() }
    }
}

fn demanded(principal: Arc<Principal>, scopes: &[String]) -> Verdict {
    if scopes.iter().all(|scope| principal.has_scope(scope)) {
        return Ok(principal);
    }
    Err(AuthError::InsufficientScope(scopes.to_vec()))
}

fn posture(options: &AuthOptions, site: &Site) -> Vec<Posture> {
    /// Shorter keys can be guessed by those who find a digest, or have much time.
    const SHORT_KEY: usize = 16;
    let any = |value: &Option<String>| value.as_ref().map_or("any".to_owned(), |value| format!("`{value}`"));
    let mut doubts = Vec::new();
    let line = match options {
        AuthOptions::ApiKey(options) => {
            let is_short =
                |key: &&ApiKey| matches!(&key.value, ApiKeyValue::Plain(key) if key.expose().len() < SHORT_KEY);
            let short = options.keys.iter().filter(is_short).count();
            if short > 0 {
                doubts.push(format!("{short} of the API keys are shorter than {SHORT_KEY} characters"));
            }
            let query = options.query_param.as_ref();
            let query = query.map(|name| format!(", or the query parameter `{name}` of an event stream"));
            format!("one of {} API keys in `{}`{}", options.keys.len(), options.header_name, query.unwrap_or_default())
        }
        AuthOptions::Jwt(options) => {
            let names: Vec<_> = options.algorithms.iter().map(|algorithm| algorithm.name()).collect();
            if options.audience.is_none() {
                doubts.push("tokens for any audience come in; set `audience`".to_owned());
            }
            if options.issuer.is_none() && options.jwks_uri.is_some() {
                doubts.push("tokens of any issuer that the key set serves come in; set `issuer`".to_owned());
            }
            if let Some(url) = options.issuer.as_deref().and_then(exposed) {
                doubts.push(format!("`issuer` is {url}: on plain HTTP, others can pass for it"));
            }
            let (issuer, audience) = (any(&options.issuer), any(&options.audience));
            format!("a JWT, signed with {}, issuer {issuer}, audience {audience}", names.join(", "))
        }
        AuthOptions::OAuth(options) => {
            let audience = match &options.audience {
                Some(audience) => format!("`{audience}`"),
                None => "the URLs of the endpoints".to_owned(),
            };
            format!("an access token of `{}`, audience {audience}", options.issuer_url)
        }
    };
    if let Some(url) = exposed(&site.base().origin) {
        doubts.push(format!("`publicUrl` is {url}: on plain HTTP, others can read the credentials"));
    }
    let endpoints = site.endpoints.join(", ");
    let first = Posture { is_doubtful: false, line: format!("{endpoints}: every request needs {line}") };
    std::iter::once(first).chain(doubts.into_iter().map(|line| Posture { is_doubtful: true, line })).collect()
}

/// The origin of a URL that is reached by plain HTTP, and not on this machine.
fn exposed(url: &str) -> Option<&str> {
    let authority = url.strip_prefix("http://")?.split(['/', '?']).next()?;
    let origin = &url[.."http://".len() + authority.len()];
    // Of plain HTTP only what stays on this machine is taken for a URL.
    Url::parse(origin).is_err().then_some(origin)
}

/// The key source; the error is the option that cannot be used.
fn keys_of(options: &JwtOptions, limits: &Limits, clock: Clock) -> Result<Keys, &'static str> {
    let listed = &options.algorithms;
    let given = |key: Key| Ok(Keys::Given(Arc::new(KeySet::of(key))));
    if let Some(secret) = &options.secret {
        given(Key::from_secret(secret, listed))
    } else if let Some(pem) = &options.public_key {
        given(Key::from_pem(pem, listed).map_err(|_| "publicKey")?)
    } else {
        let url = options.jwks_uri.as_deref().and_then(|uri| Url::parse(uri).ok()).ok_or("jwksUri")?;
        let fetcher = Arc::new(Fetcher::new(limits));
        Ok(Keys::Published(jwks::at(url, listed.clone(), limits, fetcher, clock)))
    }
}
