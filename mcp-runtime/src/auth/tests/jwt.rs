//! Tokens that are right, and claims that are not.

use super::*;

#[tokio::test]
async fn every_algorithm_with_its_own_key() {
    for algorithm in Algorithm::ALL {
        let door = authenticator(&AuthOptions::Jwt(jwt_options(algorithm)), &Limits::default(), &Clock::default());
        let good = token(algorithm, json!({}), json!({}));
        assert_eq!(judged(&door, &good).await, "ann", "{algorithm}");
        // Every other algorithm is refused, also one that the same key could do.
        for other in Algorithm::ALL.into_iter().filter(|other| *other != algorithm) {
            let wrong = token(other, json!({}), json!({}));
            assert_eq!(judged(&door, &wrong).await, "the token's algorithm is not accepted", "{algorithm} {other}");
        }
        // A signature of another key, another message, or cut.
        let other = Signer::generate(algorithm);
        let (header, claims) = (header(algorithm, json!({})).to_string(), claims(json!({})).to_string());
        if !algorithm.is_hmac() {
            let forged = signed(&header, &claims, algorithm, &other);
            assert_eq!(judged(&door, &forged).await, "the token's signature cannot be verified", "{algorithm}");
        }
        let (message, signature) = good.rsplit_once('.').unwrap();
        let (head, _) = message.split_once('.').unwrap();
        let changed = URL_SAFE_NO_PAD.encode(super::claims(json!({"sub": "eve"})).to_string());
        for forged in [format!("{head}.{changed}.{signature}"), format!("{message}."), format!("{message}.AAAA")] {
            assert_eq!(judged(&door, &forged).await, "the token's signature cannot be verified", "{algorithm}");
        }
    }
}

#[tokio::test]
async fn claims_one_by_one() {
    let expired = "the token has expired";
    let early = "the token is not valid yet";
    let table = [
        (json!({}), "ann"),
        // exp
        (json!({"exp": null}), "`exp` is missing"),
        (json!({"exp": now() - 20}), "ann"),
        (json!({"exp": now() - 31}), expired),
        (json!({"exp": -1}), expired),
        (json!({"exp": 0}), expired),
        (json!({"exp": (now() + 60) as f64 + 0.5}), "ann"),
        (json!({"exp": 1e300}), "ann"),
        (json!({"exp": (now() + 60).to_string()}), "`exp` must be a number"),
        (json!({"exp": true}), "`exp` must be a number"),
        (json!({"exp": [now() + 60]}), "`exp` must be a number"),
        (json!({"exp": {}}), "`exp` must be a number"),
        // nbf, iat
        (json!({"nbf": now() + 20}), "ann"),
        (json!({"nbf": now() + 40}), early),
        (json!({"nbf": "0"}), "`nbf` must be a number"),
        (json!({"nbf": false}), "`nbf` must be a number"),
        (json!({"iat": now() + 40}), "the token was issued in the future"),
        (json!({"iat": "x"}), "`iat` must be a number"),
        (json!({"iat": null}), "ann"),
        // iss
        (json!({"iss": null}), "`iss` is missing"),
        (json!({"iss": "https://idp.example/"}), "the token is of another issuer"),
        (json!({"iss": "https://IDP.example"}), "the token is of another issuer"),
        (json!({"iss": "https://idp.exampl"}), "the token is of another issuer"),
        (json!({"iss": [ISSUER]}), "`iss` must be a string"),
        (json!({"iss": 1}), "`iss` must be a string"),
        // aud
        (json!({"aud": ["x", AUDIENCE]}), "ann"),
        (json!({"aud": null}), "`aud` is missing"),
        (json!({"aud": []}), "the token is for another audience"),
        (json!({"aud": "https://mcp.example/"}), "the token is for another audience"),
        (json!({"aud": "https://mcp.exampl"}), "the token is for another audience"),
        (json!({"aud": "HTTPS://mcp.example"}), "the token is for another audience"),
        (json!({"aud": {"0": AUDIENCE}}), "`aud` must be a string or a list of strings"),
        (json!({"aud": [AUDIENCE, 1]}), "`aud` must be a string or a list of strings"),
        (json!({"aud": 1}), "`aud` must be a string or a list of strings"),
        // others
        (json!({"sub": 1}), "`sub` must be a string"),
        (json!({"sub": null}), "-"),
        (json!({"client_id": []}), "`client_id` must be a string"),
        (json!({"scope": 1}), "`scope` must be a string"),
        (json!({"scp": {}}), "`scp` must be a string or a list"),
    ];
    let algorithm = Algorithm::HS256;
    let door = authenticator(&AuthOptions::Jwt(jwt_options(algorithm)), &Limits::default(), &Clock::default());
    for (more, expected) in table {
        assert_eq!(judged(&door, &token(algorithm, json!({}), more.clone())).await, expected, "{more}");
    }
    // What `json!` cannot write: `null` and numbers beyond all bounds.
    for (text, expected) in [
        (r#"{"exp": null}"#, "`exp` must be a number"),
        (r#"{"exp": 1e999}"#, "`exp` must be a number"),
        (r#"{"exp": 9e200, "nbf": 1e999}"#, "`nbf` must be a number"),
        (r#"{"exp": 9e200, "nbf": null}"#, "`nbf` must be a number"),
        (r#"{"exp": NaN}"#, "the token is malformed"),
    ] {
        let token = signed(&header(algorithm, json!({})).to_string(), text, algorithm, Signer::of(algorithm));
        assert_eq!(judged(&door, &token).await, expected, "{text}");
    }
}

#[tokio::test]
async fn what_is_not_configured_is_not_demanded() {
    let options = JwtOptions { issuer: None, audience: None, ..jwt_options(Algorithm::HS256) };
    let door = authenticator(&AuthOptions::Jwt(options), &Limits::default(), &Clock::default());
    for more in [json!({"iss": null, "aud": null}), json!({"iss": "other", "aud": "other"})] {
        assert_eq!(judged(&door, &token(Algorithm::HS256, json!({}), more.clone())).await, "ann", "{more}");
    }
    let wrong = token(Algorithm::HS256, json!({}), json!({"iss": 1}));
    assert_eq!(judged(&door, &wrong).await, "`iss` must be a string");
}

#[tokio::test]
async fn the_leeway_is_an_option() {
    for (leeway, expected) in [(0, "the token has expired"), (60, "ann")] {
        let options = JwtOptions { leeway_seconds: leeway, ..jwt_options(Algorithm::HS256) };
        let door = authenticator(&AuthOptions::Jwt(options), &Limits::default(), &Clock::default());
        let late = token(Algorithm::HS256, json!({}), json!({"exp": now() - 40}));
        assert_eq!(judged(&door, &late).await, expected);
    }
}

#[tokio::test]
async fn the_principal_is_what_the_token_says() {
    let door = authenticator(&AuthOptions::Jwt(jwt_options(Algorithm::HS256)), &Limits::default(), &Clock::default());
    let principal = async |more| {
        let token = token(Algorithm::HS256, json!({}), more);
        admission(&door, &bearer(&token)).verdict().await.unwrap()
    };
    let exp = now() + 100;
    let ann = principal(json!({"scope": "read  write", "client_id": "c", "azp": "d", "tenant": 7, "exp": exp})).await;
    assert_eq!((ann.subject(), ann.client(), ann.issuer()), (Some("ann"), Some("c"), Some(ISSUER)));
    assert_eq!(ann.scopes(), ["read", "write"]);
    assert_eq!(ann.claims::<Value>().unwrap()["tenant"], 7);
    assert_eq!(ann.expires_at(), Some(UNIX_EPOCH + Duration::from_secs(exp + 30)));
    assert_eq!(principal(json!({"azp": "d"})).await.client(), Some("d"));
    assert_eq!(principal(json!({"scp": ["a", "b c"]})).await.scopes(), ["a", "b c"]);
    assert_eq!(principal(json!({"scp": "a b"})).await.scopes(), ["a", "b"]);
    // A renewed token is the same owner, another client's is not.
    let owner = async |more| principal(more).await.owner().clone();
    let first = owner(json!({"client_id": "c"})).await;
    assert_eq!(first, owner(json!({"client_id": "c", "exp": exp, "scope": "more"})).await);
    assert_ne!(first, owner(json!({"client_id": "d"})).await);
    assert_ne!(first, owner(json!({"client_id": "c", "sub": "eve"})).await);
}

#[tokio::test]
async fn a_remembered_token_is_refused_once_it_has_expired() {
    let clock = Clock::default();
    let door = authenticator(&AuthOptions::Jwt(jwt_options(Algorithm::ES256)), &Limits::default(), &clock);
    let token = token(Algorithm::ES256, json!({}), json!({"exp": now() + 60}));
    assert_eq!(judged(&door, &token).await, "ann");
    clock.advance(Duration::from_secs(85));
    assert_eq!(judged(&door, &token).await, "ann");
    clock.advance(Duration::from_secs(10));
    assert_eq!(judged(&door, &token).await, "the token has expired");
}

#[tokio::test]
async fn a_remembered_token_costs_no_signature() {
    let time = async |limits: &Limits| {
        let door = authenticator(&AuthOptions::Jwt(jwt_options(Algorithm::ES512)), limits, &Clock::default());
        let token = token(Algorithm::ES512, json!({}), json!({}));
        judged(&door, &token).await;
        let began = std::time::Instant::now();
        for _ in 0..100 {
            assert_eq!(judged(&door, &token).await, "ann");
        }
        began.elapsed()
    };
    let remembered = time(&Limits::default()).await;
    let verified = time(&Limits { remembered_tokens: Some(0), ..Limits::default() }).await;
    assert!(remembered * 3 < verified, "{remembered:?} {verified:?}");
}

/// Tokens that OpenSSL signed, with their keys in both forms.
#[tokio::test]
async fn tokens_of_another_maker() {
    let made: Vec<Value> = serde_json::from_str(include_str!("../fixtures/tokens.json")).unwrap();
    assert_eq!(made.len(), 10);
    let keys: Vec<_> = made.iter().map(|made| made["jwk"].clone()).collect();
    let server = Server::start(move |_| Reply::Json(key_set(&keys))).await;
    for made in &made {
        let algorithm = Algorithm::named(made["alg"].as_str().unwrap()).unwrap();
        let options = JwtOptions { algorithms: vec![algorithm], ..JwtOptions::default() };
        for options in [
            JwtOptions { public_key: made["pem"].as_str().map(str::to_owned), ..options.clone() },
            JwtOptions { jwks_uri: Some(server.url("/")), ..options },
        ] {
            let door = authenticator(&AuthOptions::Jwt(options), &Limits::default(), &Clock::default());
            assert_eq!(judged(&door, made["token"].as_str().unwrap()).await, "ann", "{algorithm}");
        }
    }
}
