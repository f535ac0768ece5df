//! Connections whose requests repeat a credential, or carry those of many clients.

use super::*;
use crate::auth::remembered::sha256;

/// What becomes of a request on a connection.
async fn asked(door: &Authenticator, last: &LastCredential, head: &Parts) -> String {
    shown(door.authenticate(head, Place::Anywhere, last).verdict().await)
}

fn jwt() -> AuthOptions {
    AuthOptions::Jwt(jwt_options(Algorithm::ES256))
}

fn of(subject: &str) -> String {
    token(Algorithm::ES256, json!({}), json!({"sub": subject}))
}

fn api_keys(edit: impl FnOnce(&mut ApiKeyOptions)) -> AuthOptions {
    let key = |id: &str| ApiKey { id: Some(id.into()), ..ApiKey::from(&*format!("the-key-of-{id}")) };
    let mut options = ApiKeyOptions { keys: vec![key("ann"), key("bob")], ..ApiKeyOptions::default() };
    edit(&mut options);
    AuthOptions::ApiKey(options)
}

fn api_key(id: &str) -> Parts {
    head("/mcp", &[("x-api-key", &format!("the-key-of-{id}"))])
}

/// A provider whose introspection says what `answer` says of a token's text, and options that name it.
async fn provider(answer: impl Fn(&str) -> Value + Send + Sync + 'static) -> (Server, AuthOptions) {
    let server = Server::start(|_| Reply::Silence).await;
    let issuer = server.url("");
    let named = issuer.clone();
    server.answers(move |request| match request.split_once("token=") {
        Some((_, form)) => Reply::Json(answer(form.split('&').next().unwrap()).to_string()),
        None => Reply::Json(json!({"issuer": named, "introspection_endpoint": format!("{named}/ask")}).to_string()),
    });
    let (client_id, client_secret) = ("id".into(), "hunter2".into());
    let options = OAuthOptions { issuer_url: issuer, client_id, client_secret, ..OAuthOptions::default() };
    (server, AuthOptions::OAuth(options))
}

fn active(subject: &str) -> Value {
    json!({"active": true, "sub": subject, "exp": now() + 600})
}

#[tokio::test]
async fn what_is_repeated_is_not_hashed_again() {
    // One header's value beside another one's digest: whose principal comes is whose digest was asked for.
    let check = async |door: Authenticator, ann: Parts, name: &str, bob: Parts, digest, expected: &str| {
        let last = LastCredential::default();
        // Nothing that somebody else has to be asked about is kept; the next one is.
        for _ in 0..2 {
            assert_eq!(asked(&door, &last, &bob).await, "bob");
            assert_eq!(asked(&door, &last, &ann).await, "ann");
        }
        assert!(last.is_kept());
        last.keep(ann.headers[name].as_bytes(), digest);
        assert_eq!(asked(&door, &last, &ann).await, expected);
    };
    for (remembered, expected) in [(None, "bob"), (Some(0), "ann")] {
        let door =
            authenticator(&jwt(), &Limits { remembered_tokens: remembered, ..Limits::default() }, &Clock::default());
        let bob = of("bob");
        check(door, bearer(&of("ann")), "authorization", bearer(&bob), sha256(bob.as_bytes()), expected).await;
    }
    let door = authenticator(&api_keys(|_| {}), &Limits::default(), &Clock::default());
    check(door, api_key("ann"), "x-api-key", api_key("bob"), sha256(b"the-key-of-bob"), "bob").await;
    let (_server, options) = provider(active).await;
    let door = authenticator(&options, &Limits::default(), &Clock::default());
    check(door, bearer("ann"), "authorization", bearer("bob"), sha256(b"bob"), "bob").await;
}

#[tokio::test]
async fn clients_that_share_a_connection_stay_themselves() {
    let (_server, oauth) = provider(active).await;
    let tokens = [of("ann"), of("bob")];
    let doors = [
        (jwt(), [bearer(&tokens[0]), bearer(&tokens[1])]),
        (api_keys(|_| {}), [api_key("ann"), api_key("bob")]),
        (oauth, [bearer("ann"), bearer("bob")]),
    ];
    for (n, (options, [ann, bob])) in doors.into_iter().enumerate() {
        let door = authenticator(&options, &Limits::default(), &Clock::default());
        let last = LastCredential::default();
        for (request, expected) in
            [(&ann, "ann"), (&ann, "ann"), (&bob, "bob"), (&ann, "ann"), (&bob, "bob"), (&bob, "bob"), (&ann, "ann")]
        {
            assert_eq!(asked(&door, &last, request).await, expected, "door {n}");
        }
        assert_eq!(asked(&door, &last, &head("/mcp", &[])).await, "missing");
    }
}

#[tokio::test]
async fn another_header_is_another_request() {
    let door = authenticator(&jwt(), &Limits::default(), &Clock::default());
    let token = of("ann");
    let last = LastCredential::default();
    let good = format!("Bearer {token}");
    let two = "there are two Authorization headers";
    let unverified = "the token's signature cannot be verified";
    let forged = format!("Bearer {}.AAAA", token.rsplit_once('.').unwrap().0);
    for (lines, expected) in [
        (&[("authorization", &*good)][..], "ann"),
        (&[], "missing"),
        (&[("x-authorization", &*good)], "missing"),
        (&[("authorization", &*token)], "missing"),
        (&[("authorization", &*good), ("authorization", &*good)], two),
        (&[("authorization", &*good), ("authorization", "Bearer x")], two),
        (&[("authorization", &good[..good.len() - 2])], unverified),
        (&[("authorization", &*forged)], unverified),
        (&[("authorization", "Bearer ")], "the token is malformed"),
    ] {
        assert_eq!(asked(&door, &last, &head("/mcp", lines)).await, expected, "{lines:?}");
        // Whoever is refused does not push out who was not.
        assert_eq!(last.digest_of(good.as_bytes()), Some(sha256(token.as_bytes())), "{lines:?}");
    }
}

#[tokio::test]
async fn what_is_refused_is_not_kept() {
    let (_server, mut options) = provider(|_| json!({"active": false})).await;
    let last = LastCredential::default();
    let clock = Clock::default();
    let door = authenticator(&options, &Limits::default(), &clock);
    for _ in 0..2 {
        assert_eq!(asked(&door, &last, &bearer("ann")).await, "the token is not active");
        assert!(!last.is_kept());
    }
    let AuthOptions::OAuth(oauth) = &mut options else { unreachable!() };
    oauth.scopes = vec!["read".into()];
    let (_server, scoped) = provider(|who| json!({"active": true, "sub": who, "exp": now() + 600, "scope": who})).await;
    let AuthOptions::OAuth(scoped) = scoped else { unreachable!() };
    oauth.issuer_url = scoped.issuer_url;
    let door = authenticator(&options, &Limits::default(), &clock);
    for _ in 0..2 {
        assert_eq!(asked(&door, &last, &bearer("write")).await, "needs read");
        assert!(!last.is_kept());
    }
    for _ in 0..3 {
        assert_eq!(asked(&door, &last, &bearer("read")).await, "read");
    }
    assert!(last.is_kept());
    // Even if it were, what all requests need is asked for with each.
    last.keep(b"Bearer read", sha256(b"write"));
    assert_eq!(asked(&door, &last, &bearer("read")).await, "needs read");
    assert_eq!(asked(&door, &last, &bearer("write")).await, "needs read");
}

/// A credential that was repeated on its connection is refused there after some seconds.
async fn check_end(options: &AuthOptions, request: &Parts, after: u64, change: impl FnOnce(), expected: &str) {
    let clock = Clock::default();
    let door = authenticator(options, &Limits::default(), &clock);
    let last = LastCredential::default();
    for _ in 0..3 {
        assert_eq!(asked(&door, &last, request).await, "ann");
    }
    assert!(last.is_kept());
    change();
    clock.advance(Duration::from_secs(after));
    for _ in 0..2 {
        assert_eq!(asked(&door, &last, request).await, expected);
    }
}

#[tokio::test]
async fn it_ends_with_its_credential() {
    let expired = "the token has expired";
    // The leeway included.
    let token = token(Algorithm::ES256, json!({}), json!({"exp": now() + 60}));
    check_end(&jwt(), &bearer(&token), 95, || {}, expired).await;
    let end = UNIX_EPOCH + Duration::from_secs(now() + 60);
    let keys = api_keys(|options| options.keys[0].expires_at = Some(end));
    check_end(&keys, &api_key("ann"), 61, || {}, "the key has expired").await;
    let (_server, oauth) = provider(|who| json!({"active": true, "sub": who, "exp": now() + 10})).await;
    check_end(&oauth, &bearer("ann"), 12, || {}, expired).await;
}

#[tokio::test]
async fn it_ends_with_its_revocation() {
    let revoked = Arc::new(std::sync::atomic::AtomicBool::new(false));
    let is_revoked = revoked.clone();
    let (_server, oauth) = provider(move |who| match is_revoked.load(Ordering::SeqCst) {
        true => json!({"active": false}),
        false => active(who),
    })
    .await;
    let revoke = || revoked.store(true, Ordering::SeqCst);
    check_end(&oauth, &bearer("ann"), 31, revoke, "the token is not active").await;
}

#[tokio::test]
async fn it_ends_with_its_key() {
    let key = |kid: &str, signer: &Signer| signer.jwk(json!({"kid": kid}));
    let served = key_set(&[key("a", Signer::of(Algorithm::ES256))]);
    let published = async || {
        let served = served.clone();
        let server = Server::start(move |_| Reply::Json(served.clone())).await;
        let options = JwtOptions {
            algorithms: vec![Algorithm::ES256],
            jwks_uri: Some(server.url("/jwks")),
            ..JwtOptions::default()
        };
        (server, AuthOptions::Jwt(options))
    };
    let request = bearer(&token(Algorithm::ES256, json!({"kid": "a"}), json!({"exp": now() + 90_000})));
    let other = Signer::generate(Algorithm::ES256);
    for next in [key_set(&[]), key_set(&[key("b", &other)]), key_set(&[key("a", &other)])] {
        let (server, options) = published().await;
        let rotate = || server.answers(move |_| Reply::Json(next.clone()));
        check_end(&options, &request, 601, rotate, "the token's signature cannot be verified").await;
    }
    // A server that is down past all grace.
    let (server, options) = published().await;
    let fail = || server.answers(|_| Reply::Raw(String::new()));
    check_end(&options, &request, 600 + 3601, fail, "unavailable").await;
}

#[tokio::test]
async fn it_ends_with_a_fetch_for_another_token() {
    let signer = Signer::generate(Algorithm::ES256);
    let (old, new) = (Signer::of(Algorithm::ES256).jwk(json!({"kid": "a"})), signer.jwk(json!({"kid": "b"})));
    let server = Server::start(move |_| Reply::Json(key_set(std::slice::from_ref(&old)))).await;
    let options =
        JwtOptions { algorithms: vec![Algorithm::ES256], jwks_uri: Some(server.url("/jwks")), ..JwtOptions::default() };
    let clock = Clock::default();
    let door = authenticator(&AuthOptions::Jwt(options), &Limits::default(), &clock);
    let last = LastCredential::default();
    let ann = bearer(&token(Algorithm::ES256, json!({"kid": "a"}), json!({})));
    for _ in 0..3 {
        assert_eq!(asked(&door, &last, &ann).await, "ann");
    }
    assert!(last.is_kept());
    server.answers(move |_| Reply::Json(key_set(std::slice::from_ref(&new))));
    clock.advance(Duration::from_secs(31));
    let head = header(Algorithm::ES256, json!({"kid": "b"})).to_string();
    let renewed = signed(&head, &claims(json!({"sub": "bob"})).to_string(), Algorithm::ES256, &signer);
    assert_eq!(judged(&door, &renewed).await, "bob");
    assert_eq!(asked(&door, &last, &ann).await, "the token's signature cannot be verified");
}
