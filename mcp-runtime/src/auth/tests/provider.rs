//! A provider: discovered, its JWT access tokens judged.

use super::*;

const SERVER_METADATA: &str = "/.well-known/oauth-authorization-server";
const OPENID: &str = "/.well-known/openid-configuration";
const UNVERIFIED: &str = "the token's signature cannot be verified";

fn options(issuer: &str, edit: impl FnOnce(&mut OAuthOptions)) -> AuthOptions {
    AuthOptions::OAuth(oauth_options(issuer, edit))
}

/// A provider whose document stands at `place` alone.
async fn provider(path: &'static str, place: &'static str) -> (Server, String) {
    let server = Server::start(|_| Reply::Silence).await;
    let (base, issuer) = (server.url(""), server.url(path));
    let named = issuer.clone();
    server.answers(move |request| {
        let asked = request.split(' ').nth(1).unwrap();
        if asked == place {
            Reply::Json(json!({"issuer": named, "jwks_uri": format!("{base}/jwks")}).to_string())
        } else if asked == "/jwks" {
            let ec = Signer::of(Algorithm::ES256).jwk(json!({"kid": "a"}));
            Reply::Json(key_set(&[ec, Signer::of(Algorithm::RS256).jwk(json!({"kid": "r", "alg": "RS256"}))]))
        } else {
            Reply::Raw("HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n".into())
        }
    });
    (server, issuer)
}

/// An access token of the provider, for the endpoint.
fn access(issuer: &str, more_header: Value, more_claims: Value) -> String {
    let mut claims = json!({"iss": issuer, "aud": "https://mcp.example/mcp"});
    over(&mut claims, more_claims);
    let mut header = json!({"kid": "a"});
    over(&mut header, more_header);
    token(Algorithm::ES256, header, claims)
}

#[tokio::test]
async fn discovered_wherever_the_document_stands() {
    for (path, place) in [
        ("", SERVER_METADATA),
        ("", OPENID),
        ("/", SERVER_METADATA),
        ("/realms/one", "/.well-known/oauth-authorization-server/realms/one"),
        ("/realms/one", "/.well-known/openid-configuration/realms/one"),
        ("/realms/one", "/realms/one/.well-known/openid-configuration"),
        ("/realms/one/", "/realms/one/.well-known/openid-configuration"),
    ] {
        let (server, issuer) = provider(path, place).await;
        let door = authenticator(&options(&issuer, |_| {}), &Limits::default(), &Clock::default());
        door.prepare().await.unwrap();
        assert_eq!(judged(&door, &access(&issuer, json!({}), json!({}))).await, "ann", "{place}");
        assert_eq!((server.count(place), server.count("/jwks")), (1, 1), "{:?}", server.counts());
    }
}

#[tokio::test]
async fn access_tokens_and_others() {
    let (_server, issuer) = provider("", SERVER_METADATA).await;
    let door = authenticator(&options(&issuer, |_| {}), &Limits::default(), &Clock::default());
    let no_access = "the token is no access token";
    let rs = |algorithm| {
        let claims = json!({"iss": issuer, "aud": "https://mcp.example/sse"});
        token(algorithm, json!({"kid": "r"}), claims)
    };
    for (header, claims, expected) in [
        (json!({}), json!({}), "ann"),
        (json!({"typ": null}), json!({}), "ann"),
        (json!({"typ": "at+jwt"}), json!({"nonce": "n"}), "ann"),
        (json!({"typ": "Application/AT+JWT"}), json!({}), "ann"),
        (json!({"typ": "logout+jwt"}), json!({}), no_access),
        (json!({"typ": "dpop+jwt"}), json!({"scope": "read"}), no_access),
        // ID tokens
        (json!({}), json!({"nonce": "n"}), no_access),
        (json!({}), json!({"nonce": "n", "scope": "read"}), "ann"),
        (json!({}), json!({"at_hash": "h", "scope": "read"}), no_access),
        (json!({}), json!({"c_hash": "h"}), no_access),
        (json!({}), json!({"typ": "ID"}), no_access),
        (json!({}), json!({"typ": "Bearer"}), "ann"),
        (json!({}), json!({"aud": "id"}), "the token is for another audience"),
        // The endpoints are the audience, to the letter.
        (json!({}), json!({"aud": ["x", "https://mcp.example/sse"]}), "ann"),
        (json!({}), json!({"aud": "https://mcp.example"}), "the token is for another audience"),
        (json!({}), json!({"aud": "https://mcp.example/mcp/"}), "the token is for another audience"),
        (json!({}), json!({"iss": ISSUER}), "the token is of another issuer"),
        (json!({}), json!({"exp": 1}), "the token has expired"),
        (json!({"alg": "none"}), json!({}), "the token's algorithm is not accepted"),
        (json!({"alg": "HS256"}), json!({}), "the token's algorithm is not accepted"),
    ] {
        let shown = format!("{header} {claims}");
        assert_eq!(judged(&door, &access(&issuer, header, claims)).await, expected, "{shown}");
    }
    // `alg` of a published key binds.
    assert_eq!(judged(&door, &rs(Algorithm::RS256)).await, "ann");
    assert_eq!(judged(&door, &rs(Algorithm::PS256)).await, UNVERIFIED);
    for name in ["iss", "aud"] {
        let mut claims = claims(json!({"iss": issuer, "aud": "https://mcp.example/mcp"}));
        claims.as_object_mut().unwrap().remove(name);
        let header = header(Algorithm::ES256, json!({"kid": "a"})).to_string();
        let text = signed(&header, &claims.to_string(), Algorithm::ES256, Signer::of(Algorithm::ES256));
        assert_eq!(judged(&door, &text).await, format!("`{name}` is missing"));
    }
}

#[tokio::test]
async fn audience_and_scopes_of_the_options() {
    let (_server, issuer) = provider("", SERVER_METADATA).await;
    let edit = |o: &mut OAuthOptions| {
        o.audience = Some("urn:mcp".into());
        o.scopes = vec!["read".into(), "files:*".into()];
    };
    let door = authenticator(&options(&issuer, edit), &Limits::default(), &Clock::default());
    for (claims, expected) in [
        (json!({"aud": "urn:mcp", "scope": "files:* write read"}), "ann"),
        (json!({"aud": "urn:mcp", "scp": ["read", "files:*"]}), "ann"),
        (json!({"aud": "urn:mcp", "scope": "read"}), "needs read files:*"),
        (json!({"aud": "urn:mcp", "scope": "reader files:*"}), "needs read files:*"),
        (json!({"aud": "urn:mcp"}), "needs read files:*"),
        (json!({"scope": "read files:*"}), "the token is for another audience"),
    ] {
        let shown = claims.to_string();
        // The first is judged when nothing is discovered yet, the others at once.
        assert_eq!(judged(&door, &access(&issuer, json!({}), claims)).await, expected, "{shown}");
    }
}

#[tokio::test]
async fn another_issuer_is_refused_at_start() {
    for wrong in ["https://evil.example", "ISSUER/", "issuer"] {
        let (server, issuer) = provider("", SERVER_METADATA).await;
        let named = wrong.replace("ISSUER", &issuer);
        let base = server.url("");
        server.answers(move |_| Reply::Json(json!({"issuer": named, "jwks_uri": format!("{base}/jwks")}).to_string()));
        let door = authenticator(&options(&issuer, |_| {}), &Limits::default(), &Clock::default());
        let problems = door.prepare().await.unwrap_err();
        assert_eq!(problems[0].option, "issuerUrl", "{wrong}");
        assert_eq!(judged(&door, &access(&issuer, json!({}), json!({}))).await, "unavailable");
        assert_eq!(server.count("/jwks"), 0);
    }
}

#[tokio::test]
async fn documents_that_lead_astray() {
    for (jwks, introspection) in [
        ("http://idp.example/jwks", None),
        ("file:///etc/passwd", None),
        ("http://169.254.169.254/latest", None),
        ("https://10.0.0.1/jwks", None),
        ("https://169.254.169.254/latest", None),
        ("https://[fe80::1]/jwks", None),
        ("https://u:p@idp.example/", None),
        ("JWKS", Some("http://idp.example/introspect")),
        ("JWKS", Some("ftp://idp.example/introspect")),
    ] {
        let (server, issuer) = provider("", SERVER_METADATA).await;
        let (named, jwks) = (issuer.clone(), jwks.replace("JWKS", &server.url("/jwks")));
        let shown = format!("{jwks} {introspection:?}");
        server.answers(move |_| {
            let document = json!({"issuer": named, "jwks_uri": jwks, "introspection_endpoint": introspection});
            Reply::Json(document.to_string())
        });
        let limits = Limits { fetch: Some(Duration::from_millis(500)), ..Limits::default() };
        let door = authenticator(&options(&issuer, |_| {}), &limits, &Clock::default());
        assert_eq!(judged(&door, &access(&issuer, json!({}), json!({}))).await, "unavailable", "{shown}");
        assert_eq!(server.count("/jwks"), 0, "{shown}");
    }
}

#[tokio::test]
async fn a_provider_that_is_down_at_start() {
    let (address, socket) = nobody();
    let issuer = format!("http://{address}");
    let clock = Clock::default();
    let door = authenticator(&options(&issuer, |_| {}), &Limits::default(), &clock);
    // Silence is no reason not to start.
    door.prepare().await.unwrap();
    let jwt = access(&issuer, json!({}), json!({}));
    assert_eq!(judged(&door, &jwt).await, "unavailable");
    assert_eq!(judged(&door, "opaque").await, "unavailable");
    let (named, base) = (issuer.clone(), issuer.clone());
    let _server = Server::on(socket, move |request| {
        if request.starts_with("GET /jwks ") {
            Reply::Json(key_set(&[Signer::of(Algorithm::ES256).jwk(json!({"kid": "a"}))]))
        } else {
            Reply::Json(json!({"issuer": named, "jwks_uri": format!("{base}/jwks")}).to_string())
        }
    });
    clock.advance(Duration::from_secs(3));
    assert_eq!(judged(&door, &jwt).await, "ann");
}

#[tokio::test]
async fn keys_rotate() {
    let (server, issuer) = provider("", SERVER_METADATA).await;
    let clock = Clock::default();
    let door = authenticator(&options(&issuer, |_| {}), &Limits::default(), &clock);
    assert_eq!(judged(&door, &access(&issuer, json!({}), json!({}))).await, "ann");
    let (base, named) = (server.url(""), issuer.clone());
    server.answers(move |request| {
        if request.starts_with("GET /jwks ") {
            Reply::Json(key_set(&[Signer::of(Algorithm::EdDSA).jwk(json!({"kid": "b"}))]))
        } else {
            Reply::Json(json!({"issuer": named, "jwks_uri": format!("{base}/jwks")}).to_string())
        }
    });
    clock.advance(Duration::from_secs(31));
    let claims = json!({"iss": issuer, "aud": "https://mcp.example/mcp"});
    assert_eq!(judged(&door, &token(Algorithm::EdDSA, json!({"kid": "b"}), claims)).await, "ann");
    assert_eq!(judged(&door, &access(&issuer, json!({}), json!({}))).await, UNVERIFIED);
}
