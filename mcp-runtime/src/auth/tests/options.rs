//! Options that cannot be right.

use super::*;
use crate::secret::Secret;

/// What is wrong, each with its option; the text is not repeated here beyond a part of it.
#[track_caller]
fn check(options: &AuthOptions, expected: &[(&str, &str)]) {
    let found: Vec<_> = options.problems().into_iter().map(|it| (it.option, it.reason)).collect();
    let fits = found.len() == expected.len()
        && found.iter().zip(expected).all(|((option, reason), (name, part))| option == name && reason.contains(part));
    assert!(fits, "{options:?}\n{found:#?}\n{expected:#?}");
    for (_, reason) in found {
        assert!(!reason.contains("hunter2"), "{reason}");
    }
}

#[test]
fn of_jwt() {
    use Algorithm::{ES256, EdDSA, HS256, RS256};
    let jwt = |edit: &dyn Fn(&mut JwtOptions)| {
        let mut options = JwtOptions { algorithms: vec![HS256], secret: Some(SECRET.into()), ..JwtOptions::default() };
        edit(&mut options);
        AuthOptions::Jwt(options)
    };
    let rsa = || Some(Signer::of(RS256).pem());
    let uri = |uri: &str| Some(uri.to_owned());
    check(&jwt(&|_| {}), &[]);
    check(&jwt(&|o| o.algorithms.clear()), &[("algorithms", "is missing")]);
    check(&jwt(&|o| o.secret = None), &[("secret", "no key is given")]);
    check(&AuthOptions::Jwt(JwtOptions::default()), &[("algorithms", "is missing"), ("jwksUri", "no key is given")]);
    check(&jwt(&|o| o.secret = Some("hunter2".into())), &[("secret", "too short")]);
    check(&jwt(&|o| o.secret = Some("s".repeat(31).into())), &[("secret", "too short")]);
    check(&jwt(&|o| o.secret = rsa().map(Secret::from)), &[("secret", "is a PEM key")]);
    // Exactly one source, and what fits it.
    check(&jwt(&|o| o.public_key = rsa()), &[("publicKey", "cannot stand beside `secret`")]);
    check(&jwt(&|o| o.jwks_uri = uri("https://i/")), &[("jwksUri", "cannot stand beside `secret`")]);
    check(&jwt(&|o| o.algorithms = vec![RS256]), &[("algorithms", "RS256 cannot go with `secret`")]);
    check(&jwt(&|o| o.algorithms = vec![HS256, RS256]), &[("algorithms", "RS256 cannot go with `secret`")]);
    let public = |algorithms: &[Algorithm]| {
        jwt(&|o| (o.algorithms, o.secret, o.public_key) = (algorithms.to_vec(), None, rsa()))
    };
    check(&public(&[RS256]), &[]);
    check(&public(&[HS256]), &[("algorithms", "HS256 cannot go with `publicKey`")]);
    check(&public(&[HS256, RS256]), &[("algorithms", "HS256 cannot go with `publicKey`")]);
    check(&public(&[RS256, ES256]), &[("publicKey", "does not fit ES256")]);
    check(&public(&[EdDSA]), &[("publicKey", "does not fit EdDSA")]);
    let small = include_str!("../fixtures/rsa1024.pub.pem").to_owned();
    check(
        &jwt(&|o| (o.algorithms, o.secret, o.public_key) = (vec![RS256], None, Some(small.clone()))),
        &[("publicKey", "fewer than 2048")],
    );
    check(
        &jwt(&|o| (o.algorithms, o.secret, o.public_key) = (vec![RS256], None, Some("hunter2".into()))),
        &[("publicKey", "is no PEM text")],
    );
    let published = |url: &str, algorithms: &[Algorithm]| {
        jwt(&|o| (o.algorithms, o.secret, o.jwks_uri) = (algorithms.to_vec(), None, uri(url)))
    };
    check(&published("https://idp.example/jwks", &[RS256, ES256]), &[]);
    check(&published("http://localhost:1/jwks", &[RS256]), &[]);
    check(&published("https://idp.example/jwks", &[HS256]), &[("algorithms", "HS256 cannot go with `jwksUri`")]);
    for wrong in ["http://idp.example/jwks", "https://u:hunter2@idp.example/", "file:///jwks", "idp.example", ""] {
        check(&published(wrong, &[RS256]), &[("jwksUri", "must ")]);
    }
    check(&jwt(&|o| o.leeway_seconds = 60), &[]);
    check(&jwt(&|o| o.leeway_seconds = 61), &[("leewaySeconds", "60 is the most")]);
    check(&jwt(&|o| o.issuer = Some(" ".into())), &[("issuer", "must not be empty")]);
    check(&jwt(&|o| o.audience = Some(String::new())), &[("audience", "must not be empty")]);
}

#[test]
fn of_api_keys() {
    let keys = |keys: &[&str]| ApiKeyOptions {
        keys: keys.iter().map(|&key| ApiKey::from(key)).collect(),
        ..ApiKeyOptions::default()
    };
    let of = |edit: &dyn Fn(&mut ApiKeyOptions)| {
        let mut options = keys(&["k", "l"]);
        edit(&mut options);
        AuthOptions::ApiKey(options)
    };
    check(&of(&|_| {}), &[]);
    check(&of(&|o| o.keys.clear()), &[("keys", "is missing")]);
    for wrong in ["hunter2 ", " ", "hunter2\n", "hun\tter2", "hunter2\u{0}", "hünter2", "\u{7f}"] {
        check(&of(&|o| o.keys[1] = wrong.into()), &[("keys[1]", "must be visible ASCII")]);
    }
    check(&of(&|o| o.keys[1] = "".into()), &[("keys[1]", "must not be empty")]);
    check(&of(&|o| o.keys[1] = "k".into()), &[("keys[1]", "twice")]);
    // The digest of `k`.
    let digest = "8254c329a92850f6d539dd376f4816ee2764517da5e0235514af433164480d7a";
    check(&of(&|o| o.keys[1] = ApiKey::sha256(digest).unwrap()), &[("keys[1]", "twice")]);
    let named = |id: &str| ApiKey { id: Some(id.into()), ..ApiKey::from("x") };
    check(&of(&|o| o.keys[1] = named("a")), &[]);
    check(&of(&|o| o.keys[1] = named(" ")), &[("keys[1].id", "must be a name")]);
    check(&of(&|o| o.keys[1] = named("a\n")), &[("keys[1].id", "must be a name")]);
    check(&of(&|o| (o.keys[0].id, o.keys[1].id) = (Some("a".into()), Some("a".into()))), &[("keys[1].id", "twice")]);
    for wrong in ["a b", "", "a\"", "a\\", "é"] {
        check(&of(&|o| o.keys[1].scopes = vec![wrong.into()]), &[("keys[1].scopes", "words")]);
    }
    for wrong in ["", "X Key", "X-Key:", "X-Kéy", "X-Key\r\nX: y"] {
        check(&of(&|o| o.header_name = wrong.into()), &[("headerName", "must be the name of a header")]);
    }
    for taken in ["Authorization", "cookie", "Host", "Content-Type", "Mcp-Session-Id", "Origin"] {
        check(&of(&|o| o.header_name = taken.into()), &[("headerName", "another meaning")]);
    }
    check(&of(&|o| o.query_param = Some("api_key".into())), &[]);
    for wrong in ["", "a b", "a=b", "a&b", "a%20", "é", "sessionId", "sessionid"] {
        check(&of(&|o| o.query_param = Some(wrong.into())), &[("queryParam", "must ")]);
    }
    for wrong in ["", "0", &"0".repeat(63), &"g".repeat(64), &"é".repeat(32)] {
        assert!(ApiKey::sha256(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn of_oauth() {
    let of = |edit: &dyn Fn(&mut OAuthOptions)| AuthOptions::OAuth(oauth_options(ISSUER, edit));
    check(&of(&|_| {}), &[]);
    check(
        &AuthOptions::OAuth(OAuthOptions::default()),
        &[("issuerUrl", "is missing"), ("clientId", "is missing"), ("clientSecret", "is missing")],
    );
    check(&of(&|o| o.issuer_url = "http://localhost:3000/realm/".into()), &[]);
    for wrong in ["http://idp.example", "https://idp.example/#x", "https://u@idp.example", "https://idp.example?x", "x"]
    {
        check(&of(&|o| o.issuer_url = wrong.into()), &[("issuerUrl", "must ")]);
    }
    check(&of(&|o| o.audience = Some(" ".into())), &[("audience", "must not be empty")]);
    check(&of(&|o| o.scopes = vec!["read".into(), "a:b/c.*".into()]), &[]);
    check(&of(&|o| o.scopes = vec!["read write".into()]), &[("scopes", "words")]);
}

#[test]
fn nothing_shows_a_secret() {
    let options = [
        AuthOptions::Jwt(JwtOptions { secret: Some("hunter2".into()), ..JwtOptions::default() }),
        AuthOptions::ApiKey(ApiKeyOptions {
            keys: vec!["hunter2".into(), ApiKey::sha256(&"ab".repeat(32)).unwrap()],
            ..ApiKeyOptions::default()
        }),
        AuthOptions::OAuth(OAuthOptions { client_secret: "hunter2".into(), ..OAuthOptions::default() }),
    ];
    for options in options {
        let shown = format!("{options:?} {options:#?}");
        assert!(!shown.contains("hunter2") && !shown.contains("171") && shown.contains("[hidden]"), "{shown}");
        if let Ok(door) = Authenticator::new(&options, &Limits::default(), &site()) {
            assert!(!format!("{door:?}").contains("hunter2"));
        }
    }
}
