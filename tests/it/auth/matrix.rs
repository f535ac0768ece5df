//! Every method × every credential × every endpoint: status, challenge and body of each answer.

use std::net::SocketAddr;

use mcp_runtime::{McpServer, testing::TestClient};
use mcp_test_support::{
    STATELESS,
    http::{EventStream, request},
    identity::{CLIENT, Provider, hmac_signed, now},
};
use serde_json::{Value, json};

use super::{Guarded, SECRET, call, claims, initialize};

/// A place that is guarded, and what it answers to whom it lets in.
struct Endpoint {
    method: &'static str,
    path: &'static str,
    body: Body,
    /// Whether an API key may stand in its query.
    takes_query: bool,
    /// The status of a request that comes in.
    status: u16,
    /// The endpoint whose document a challenge names.
    document: &'static str,
}

/// What a request carries beside its credential.
#[derive(Clone, Copy, PartialEq)]
enum Body {
    Nothing,
    /// A call of the tool `admin`, which takes the scope `admin`, in a session of HTTP+SSE.
    Call,
    /// The same in a session of Streamable HTTP.
    InSession,
    /// The same in a request that speaks for itself.
    Stateless,
}

/// A new endpoint is one more row.
const ENDPOINTS: [Endpoint; 10] = [
    Endpoint { method: "GET", path: "/sse", body: Body::Nothing, takes_query: true, status: 200, document: "/sse" },
    Endpoint { method: "POST", path: "/messages", body: Body::Call, takes_query: true, status: 202, document: "/sse" },
    // Without a message, or without a session.
    Endpoint { method: "POST", path: "/mcp", body: Body::Nothing, takes_query: false, status: 400, document: "/mcp" },
    Endpoint { method: "GET", path: "/mcp", body: Body::Nothing, takes_query: false, status: 400, document: "/mcp" },
    Endpoint { method: "DELETE", path: "/mcp", body: Body::Nothing, takes_query: false, status: 400, document: "/mcp" },
    Endpoint { method: "POST", path: "/mcp", body: Body::InSession, takes_query: false, status: 200, document: "/mcp" },
    Endpoint { method: "POST", path: "/mcp", body: Body::Stateless, takes_query: false, status: 200, document: "/mcp" },
    // Authentication comes before 404 and 405.
    Endpoint { method: "POST", path: "/sse", body: Body::Call, takes_query: false, status: 405, document: "/sse" },
    Endpoint {
        method: "GET",
        path: "/messages",
        body: Body::Nothing,
        takes_query: false,
        status: 405,
        document: "/sse",
    },
    Endpoint {
        method: "DELETE",
        path: "/nowhere",
        body: Body::Nothing,
        takes_query: false,
        status: 404,
        document: "/sse",
    },
];

/// What a request carries.
#[derive(Clone)]
enum Credential {
    Headers(Vec<(&'static str, String)>),
    /// Pairs of the query.
    Query(String),
}

/// What becomes of it.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Verdict {
    Right,
    /// Right, and not good for the tool `admin`.
    NoAdministrator,
    Missing,
    Wrong(&'static str),
    /// Two credentials, which are none.
    Twice(&'static str),
    /// Right, and without the scopes that every request needs.
    NoScope,
}

/// A server, and how it challenges.
struct Method {
    name: &'static str,
    guarded: Guarded,
    /// Empty where nobody is asked for anything.
    scheme: &'static str,
    /// The scopes that every request needs.
    scopes: &'static str,
    has_metadata: bool,
    /// A credential that opens the session in which the refused ones are tried.
    right: Credential,
}

const REASON: &str = "the credential lacks a scope";

async fn check(
    (method, address): (&Method, SocketAddr),
    name: &str,
    credential: &Credential,
    verdict: Verdict,
    endpoint: &Endpoint,
) {
    let Endpoint { method: verb, path, .. } = endpoint;
    let is_mounted = address != method.guarded.address;
    let case = format!("{}, {name}: {verb} {path}, mounted: {is_mounted}", method.name);
    let comes_in = matches!(verdict, Verdict::Right | Verdict::NoAdministrator);
    let opener = if comes_in { credential } else { &method.right };
    // A session of whoever comes in, or else of somebody who does.
    let (own, query) = match opener {
        Credential::Headers(headers) => (texts(headers), String::new()),
        Credential::Query(pairs) => (Vec::new(), format!("?{pairs}")),
    };
    let stream = EventStream::open_with(address, &format!("/sse{query}"), &own).await;
    let post = [&[super::JSON], &own[..]].concat();
    let begun = request(address, "POST", &stream.endpoint, &post, &initialize().to_string()).await;
    assert_eq!(begun.status, 202, "{case}: {begun:?}");
    let (session, _) = stream.endpoint.split_once('&').unwrap_or((&stream.endpoint, ""));
    let mut target = if *path == "/messages" { session } else { path }.to_owned();
    let (mut headers, verdict) = match credential {
        Credential::Headers(headers) => (texts(headers), verdict),
        Credential::Query(pairs) => {
            let separator = if target.contains('?') { '&' } else { '?' };
            target = format!("{target}{separator}{pairs}");
            (Vec::new(), if endpoint.takes_query { verdict } else { Verdict::Missing })
        }
    };
    headers.push(("Content-Type", "application/json"));
    let begun = match endpoint.body {
        // Nobody opens one by the query.
        Body::InSession if matches!(opener, Credential::Headers(_)) => {
            Some(request(address, "POST", "/mcp", &post, &initialize().to_string()).await)
        }
        _ => None,
    };
    headers.extend(begun.iter().filter_map(|begun| Some(("Mcp-Session-Id", begun.header("mcp-session-id")?))));
    let mut message = call("admin");
    if endpoint.body == Body::Stateless {
        let version = "io.modelcontextprotocol/protocolVersion";
        let capabilities = "io.modelcontextprotocol/clientCapabilities";
        message["params"]["_meta"] = json!({version: STATELESS, capabilities: {}});
        let mirrored = [("MCP-Protocol-Version", STATELESS), ("Mcp-Method", "tools/call"), ("Mcp-Name", "admin")];
        headers.extend(mirrored);
    }
    let body = if endpoint.body == Body::Nothing { String::new() } else { message.to_string() };
    let answer = request(address, verb, &target, &headers, &body).await;

    let error = |error: &str, reason: &str, scope: &str| {
        let scope = if scope.is_empty() { String::new() } else { format!(", scope=\"{scope}\"") };
        format!(", error=\"{error}\", error_description=\"{reason}\"{scope}")
    };
    let asked = if method.scopes.is_empty() { String::new() } else { format!(", scope=\"{}\"", method.scopes) };
    let refused = |status, challenge: String, reason| (status, Some(challenge), Some((json!(null), reason)));
    let (status, challenge, body) = match verdict {
        // The call is refused before any stream hears of it; elsewhere there is none.
        Verdict::NoAdministrator if endpoint.body != Body::Nothing && endpoint.status < 300 => {
            let scopes = [method.scopes, "admin"].join(" ");
            let challenge = error("insufficient_scope", REASON, scopes.trim());
            (403, Some(challenge), Some((json!(7), "this takes the scopes admin")))
        }
        Verdict::Right | Verdict::NoAdministrator => (endpoint.status, None, None),
        Verdict::Missing => refused(401, asked, "authentication is required"),
        Verdict::Wrong(reason) => refused(401, error("invalid_token", reason, method.scopes), reason),
        Verdict::Twice(reason) => refused(400, error("invalid_request", reason, ""), reason),
        Verdict::NoScope => refused(403, error("insufficient_scope", REASON, method.scopes), REASON),
    };
    assert_eq!(answer.status, status, "{case}: {answer:?}");
    let challenge = challenge.filter(|_| !method.scheme.is_empty()).map(|it| {
        let metadata =
            format!("http://{}/.well-known/oauth-protected-resource{}", method.guarded.address, endpoint.document);
        let more = if method.has_metadata { format!(", resource_metadata=\"{metadata}\"") } else { String::new() };
        format!("{}{it}{more}", method.scheme)
    });
    assert_eq!(answer.header("www-authenticate"), challenge.as_deref(), "{case}");
    if let Some((id, reason)) = body {
        let expected = json!({"jsonrpc": "2.0", "id": id, "error": {"code": -32600, "message": reason}});
        assert_eq!(serde_json::from_str::<Value>(&answer.body).expect("a JSON body"), expected, "{case}");
        assert_eq!(answer.header("content-type"), Some("application/json"), "{case}");
        assert_eq!(answer.header("cache-control"), Some("no-store"), "{case}");
    }
}

fn texts<'a>(headers: &'a [(&'static str, String)]) -> Vec<(&'static str, &'a str)> {
    headers.iter().map(|(name, value)| (*name, value.as_str())).collect()
}

async fn check_all(method: &Method, cases: &[(&str, Credential, Verdict)]) {
    for (name, credential, verdict) in cases {
        for (address, endpoint) in method.guarded.addresses().flat_map(|it| ENDPOINTS.iter().map(move |of| (it, of))) {
            check((method, address), name, credential, *verdict, endpoint).await;
        }
    }
}

fn bearer(token: impl AsRef<str>) -> Credential {
    Credential::Headers(vec![("Authorization", format!("Bearer {}", token.as_ref()))])
}

const MALFORMED: Verdict = Verdict::Wrong("the token is malformed");
const UNVERIFIED: Verdict = Verdict::Wrong("the token's signature cannot be verified");

/// The credentials of whoever signs tokens with `sign`; `forge` signs them with another key.
fn tokens(
    base: &Value,
    sign: impl Fn(&Value) -> String,
    forge: impl Fn(&Value) -> String,
) -> Vec<(&'static str, Credential, Verdict)> {
    let said = |more: Value| super::over(base.clone(), &more);
    let signed = |more: Value| bearer(sign(&said(more)));
    let unsigned = format!("{}.", sign(base).rsplit_once('.').expect("a signature").0);
    let twice = vec![("Authorization", format!("Bearer {}", sign(base))); 2];
    vec![
        ("none", Credential::Headers(Vec::new()), Verdict::Missing),
        ("another scheme", Credential::Headers(vec![("Authorization", "Basic YTpi".into())]), Verdict::Missing),
        ("in a cookie", Credential::Headers(vec![("Cookie", format!("token={}", sign(base)))]), Verdict::Missing),
        ("in another header", Credential::Headers(vec![("X-API-Key", sign(base))]), Verdict::Missing),
        ("in the query", Credential::Query(format!("access_token={}", sign(base))), Verdict::Missing),
        ("hostile", bearer("a\"b\\, error=\"none"), MALFORMED),
        ("empty", bearer(""), MALFORMED),
        ("malformed", bearer("two words"), MALFORMED),
        ("twice", Credential::Headers(twice), Verdict::Twice("there are two Authorization headers")),
        ("wrong", bearer(forge(base)), UNVERIFIED),
        ("unsigned", bearer(unsigned), UNVERIFIED),
        ("expired", signed(json!({"exp": now() - 60})), Verdict::Wrong("the token has expired")),
        ("without expiry", signed(json!({"exp": null})), Verdict::Wrong("`exp` is missing")),
        ("not yet valid", signed(json!({"nbf": now() + 60})), Verdict::Wrong("the token is not valid yet")),
        ("wrong issuer", signed(json!({"iss": "https://evil.test"})), Verdict::Wrong("the token is of another issuer")),
        ("wrong audience", signed(json!({"aud": "other"})), Verdict::Wrong("the token is for another audience")),
        ("missing scope", signed(json!({"scope": "mcp"})), Verdict::NoAdministrator),
        ("the scheme in lower case", Credential::Headers(vec![("Authorization", format!("bearer {}", sign(base)))]), {
            Verdict::Right
        }),
        ("right", signed(json!({})), Verdict::Right),
    ]
}

#[tokio::test]
async fn without_authentication_nobody_has_a_scope() {
    let none = Credential::Headers(Vec::new());
    let guarded = Guarded::twice(json!({})).await;
    let method = Method { name: "none", guarded, scheme: "", scopes: "", has_metadata: false, right: none.clone() };
    check_all(&method, &[("nobody", none, Verdict::NoAdministrator)]).await;
    // At the other end of a pipe is who started the server.
    let client = TestClient::connect(McpServer::default().tool::<super::admin>()).await.unwrap();
    assert_eq!(client.call("admin", json!({})).await.unwrap().first_text(), Some("administrated"));
}

#[tokio::test]
async fn jwt() {
    let provider = Provider::start().await;
    let other = Provider::start().await;
    let base = claims(&json!({"scope": "mcp admin"}));
    let options = json!({"issuer": super::ISSUER, "audience": "mcp"});
    let with = |more: Value| json!({"type": "jwt", "options": super::over(options.clone(), &more)});
    let hmac = |secret: &'static str| move |claims: &Value| hmac_signed("HS256", secret, claims);
    let ec = |claims: &Value| provider.jwt(claims);
    for (name, auth, cases) in [
        ("jwt by a secret", with(json!({"algorithms": ["HS256"], "secret": SECRET})), {
            tokens(&base, hmac(SECRET), hmac("another secret of thirty-two byte"))
        }),
        ("jwt by a public key", with(json!({"algorithms": ["ES256"], "publicKey": provider.pem()})), {
            tokens(&base, ec, |claims| other.jwt(claims))
        }),
        (
            "jwt by a key server",
            with(json!({"algorithms": ["ES256"], "jwksUri": format!("{}/jwks", provider.issuer)})),
            tokens(&base, ec, |claims| other.jwt(claims)),
        ),
    ] {
        let right = cases.last().expect("cases").1.clone();
        let guarded = Guarded::twice(json!({ "auth": auth })).await;
        let scheme = "Bearer realm=\"mcp\"";
        let method = Method { name, guarded, scheme, scopes: "", has_metadata: false, right };
        check_all(&method, &cases).await;
    }
}

#[tokio::test]
async fn api_keys() {
    let keys = json!([
        {"id": "right", "key": "right-key", "scopes": ["admin"]},
        {"id": "poor", "key": "poor-key"},
        {"id": "late", "key": "late-key", "expiresAt": "2001-01-01T00:00:00Z"},
    ]);
    let auth = json!({"type": "apikey", "options": {"keys": keys, "queryParam": "key"}});
    let header = |key: &str| Credential::Headers(vec![("X-API-Key", key.to_owned())]);
    let query = |pairs: &str| Credential::Query(pairs.to_owned());
    let none = || Credential::Headers(Vec::new());
    let unknown = Verdict::Wrong("the key is not known");
    let late = Verdict::Wrong("the key has expired");
    let twice = Credential::Headers(vec![("X-API-Key", "right-key".into()); 2]);
    let by_header = [
        ("none", none(), Verdict::Missing),
        ("elsewhere", Credential::Headers(vec![("Authorization", "Bearer right-key".into())]), Verdict::Missing),
        ("malformed", header("right-key, poor-key"), unknown),
        ("empty", header(""), unknown),
        ("twice", twice, Verdict::Twice("the key stands in two headers")),
        ("wrong", header("Right-key"), unknown),
        ("expired", header("late-key"), late),
        ("missing scope", header("poor-key"), Verdict::NoAdministrator),
        ("right", header("right-key"), Verdict::Right),
    ];
    let by_query = [
        ("none", query("other=right-key"), Verdict::Missing),
        ("malformed", query("key=right-key%4"), unknown),
        ("empty", query("key="), unknown),
        ("twice", query("key=right-key&key=right-key"), Verdict::Twice("the key stands in the query twice")),
        ("wrong", query("key=right-key2"), unknown),
        ("expired", query("key=late-key"), late),
        ("missing scope", query("key=poor-key"), Verdict::NoAdministrator),
        ("right", query("key=right%2Dkey"), Verdict::Right),
    ];
    for (name, right, cases) in [
        ("apikey by header", header("right-key"), &by_header[..]),
        ("apikey by query", query("key=right-key"), &by_query[..]),
    ] {
        let scheme = "ApiKey realm=\"mcp\", header=\"X-API-Key\"";
        let guarded = Guarded::twice(json!({ "auth": auth })).await;
        check_all(&Method { name, guarded, scheme, scopes: "", has_metadata: false, right }, cases).await;
    }
}

#[tokio::test]
async fn oauth() {
    let provider = Provider::start().await;
    let other = Provider::start().await;
    let options = json!({"issuerUrl": provider.issuer, "clientId": CLIENT.0, "clientSecret": CLIENT.1,
        "scopes": ["mcp"]});
    let start = async || Guarded::twice(json!({"auth": {"type": "oauth", "options": options}})).await;
    let scheme = "Bearer realm=\"mcp\"";

    let guarded = start().await;
    // By default the endpoints themselves are the audience.
    let audience = format!("http://{}/sse", guarded.address);
    let base = claims(&json!({"iss": provider.issuer, "aud": audience, "scope": "mcp admin"}));
    let mut cases = tokens(&base, |claims| provider.jwt(claims), |claims| other.jwt(claims));
    let poor = super::over(base.clone(), &json!({"scope": "admin"}));
    cases.push(("without a scope that all need", bearer(provider.jwt(&poor)), Verdict::NoScope));
    let right = bearer(provider.jwt(&base));
    let method = Method { name: "oauth, a JWT", guarded, scheme, scopes: "mcp", has_metadata: true, right };
    check_all(&method, &cases).await;

    let guarded = start().await;
    let audience = format!("http://{}/messages", guarded.address);
    let base = super::over(base, &json!({"active": true, "aud": audience}));
    let said = |name: &str, more: Value| bearer(provider.opaque(name, super::over(base.clone(), &more)));
    let right = said("opaque-right", json!({}));
    let cases = [
        ("none", Credential::Headers(Vec::new()), Verdict::Missing),
        ("malformed", bearer("two words"), MALFORMED),
        ("wrong", bearer("opaque-unknown"), Verdict::Wrong("the token is not active")),
        ("no longer active", said("opaque-spent", json!({"active": false})), Verdict::Wrong("the token is not active")),
        ("all but active", said("opaque-text", json!({"active": "true"})), Verdict::Wrong("the token is not active")),
        ("expired", said("opaque-late", json!({"exp": now() - 1})), Verdict::Wrong("the token has expired")),
        ("without expiry", said("opaque-ever", json!({"exp": null})), Verdict::Wrong("`exp` is missing")),
        ("not yet valid", said("opaque-early", json!({"nbf": now() + 60})), {
            Verdict::Wrong("the token is not valid yet")
        }),
        ("wrong issuer", said("opaque-strange", json!({"iss": "https://evil.test"})), {
            Verdict::Wrong("the token is of another issuer")
        }),
        ("wrong audience", said("opaque-other", json!({"aud": "https://other.test"})), {
            Verdict::Wrong("the token is for another audience")
        }),
        ("without a scope that all need", said("opaque-poor", json!({"scope": "admin"})), Verdict::NoScope),
        ("missing scope", said("opaque-plain", json!({"scope": "mcp"})), Verdict::NoAdministrator),
        ("right", right.clone(), Verdict::Right),
    ];
    let method = Method { name: "oauth, opaque", guarded, scheme, scopes: "mcp", has_metadata: true, right };
    check_all(&method, &cases).await;
}
