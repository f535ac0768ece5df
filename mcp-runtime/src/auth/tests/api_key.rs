//! API keys, in the header and in the query.

use super::*;

fn door(edit: impl FnOnce(&mut ApiKeyOptions), clock: &Clock) -> Authenticator {
    let mut first = ApiKey::from("first-key");
    first.id = Some("first".into());
    first.scopes = vec!["read".into()];
    let mut options = ApiKeyOptions { keys: vec![first, "second+key%41".into()], ..ApiKeyOptions::default() };
    edit(&mut options);
    authenticator(&AuthOptions::ApiKey(options), &Limits::default(), clock)
}

fn check(door: &Authenticator, head: &Parts, place: Place, expected: &str) {
    match door.authenticate(head, place, &LastCredential::default()) {
        Admission::Now(verdict) => assert_eq!(shown(verdict), expected, "{} {:?}", head.uri, head.headers),
        Admission::Later(_) => panic!("a key needs no time"),
    }
}

const UNKNOWN: &str = "the key is not known";

#[test]
fn in_the_header() {
    let door = door(|_| {}, &Clock::default());
    let with = |headers: &[(&str, &str)]| head("/mcp?x-api-key=first-key&key=first-key", headers);
    for (headers, expected) in [
        (&[("x-api-key", "first-key")][..], "first"),
        (&[("X-API-KEY", "second+key%41")], "-"),
        (&[], "missing"),
        (&[("x-api-key", "")], UNKNOWN),
        (&[("x-api-key", "First-key")], UNKNOWN),
        (&[("x-api-key", "first-ke")], UNKNOWN),
        (&[("x-api-key", "first-key2")], UNKNOWN),
        (&[("x-api-key", "first-key, second+key%41")], UNKNOWN),
        (&[("x-api-key", "second+keyA")], UNKNOWN),
        (&[("x-api-key", "first-key"), ("x-api-key", "first-key")], "the key stands in two headers"),
        (&[("x-api-key", "wrong"), ("x-api-key", "first-key")], "the key stands in two headers"),
        (&[("authorization", "Bearer first-key")], "missing"),
        (&[("authorization", "ApiKey first-key")], "missing"),
        (&[("cookie", "x-api-key=first-key")], "missing"),
        (&[("api-key", "first-key")], "missing"),
    ] {
        check(&door, &with(headers), Place::Anywhere, expected);
        check(&door, &with(headers), Place::EventStream, expected);
    }
    assert_eq!((door.header().as_str(), door.query_param()), ("x-api-key", None));
}

#[test]
fn in_another_header() {
    let door = door(|o| o.header_name = "X-Team-Key".into(), &Clock::default());
    check(&door, &head("/", &[("x-team-key", "first-key")]), Place::Anywhere, "first");
    check(&door, &head("/", &[("x-api-key", "first-key")]), Place::Anywhere, "missing");
    assert_eq!(door.header().as_str(), "x-team-key");
}

#[test]
fn in_the_query() {
    let door = door(|o| o.query_param = Some("key".into()), &Clock::default());
    for (target, expected) in [
        ("/sse?key=first-key", "first"),
        ("/sse?a=b&key=first-key&c", "first"),
        ("/sse?key=%66irst%2Dkey", "first"),
        // Decoded once; a plus is a plus.
        ("/sse?key=second+key%2541", "-"),
        ("/sse?key=second%2Bkey%2541", "-"),
        ("/sse?key=second+key%41", UNKNOWN),
        ("/sse?key=%2566irst-key", UNKNOWN),
        ("/sse?key=first-key%", UNKNOWN),
        ("/sse?key=first-key%4", UNKNOWN),
        ("/sse?key=%+1irst-key", UNKNOWN),
        ("/sse?key=", UNKNOWN),
        ("/sse?key", UNKNOWN),
        ("/sse?Key=first-key", "missing"),
        ("/sse?%6Bey=first-key", "missing"),
        ("/sse?x-api-key=first-key", "missing"),
        ("/sse?access_token=first-key", "missing"),
        ("/sse", "missing"),
        ("/sse?key=first-key&key=first-key", "the key stands in the query twice"),
        ("/sse?key=wrong&key=first-key", "the key stands in the query twice"),
    ] {
        check(&door, &head(target, &[]), Place::EventStream, expected);
        check(&door, &head(target, &[]), Place::Anywhere, "missing");
    }
    // The header decides.
    let both = |key| head("/sse?key=first-key", &[("x-api-key", key)]);
    check(&door, &both("second+key%41"), Place::EventStream, "-");
    check(&door, &both("wrong"), Place::EventStream, UNKNOWN);
    check(&door, &both(""), Place::EventStream, UNKNOWN);
    let wrong_query = head("/sse?key=wrong", &[("x-api-key", "first-key")]);
    check(&door, &wrong_query, Place::EventStream, "first");
    assert_eq!(door.query_param(), Some("key"));
}

#[test]
fn by_digest_with_scopes_and_an_end() {
    let clock = Clock::default();
    let end = UNIX_EPOCH + Duration::from_secs(now() + 60);
    let digest: String = super::super::remembered::sha256(b"first-key").iter().map(|b| format!("{b:02X}")).collect();
    let key = ApiKey {
        id: Some("first".into()),
        scopes: vec!["read".into(), "write".into()],
        expires_at: Some(end),
        ..ApiKey::sha256(&digest).unwrap()
    };
    let door = door(|o| o.keys = vec![key], &clock);
    let request = head("/", &[("x-api-key", "first-key")]);
    let Admission::Now(Ok(principal)) = admission(&door, &request) else { panic!("refused") };
    assert_eq!(principal.scopes(), ["read", "write"]);
    assert_eq!((principal.expires_at(), principal.method().as_str()), (Some(end), "apikey"));
    assert_eq!((principal.client(), principal.issuer()), (None, None));
    assert_eq!(principal.claims::<Value>().unwrap(), json!({}));
    clock.advance(Duration::from_secs(61));
    check(&door, &request, Place::Anywhere, "the key has expired");
}

#[test]
fn each_key_is_an_owner() {
    let door = door(|_| {}, &Clock::default());
    let owner = |key: &str| match admission(&door, &head("/", &[("x-api-key", key)])) {
        Admission::Now(Ok(principal)) => principal.owner().clone(),
        other => panic!("{other:?}"),
    };
    assert_ne!(owner("first-key"), owner("second+key%41"));
    assert_eq!(owner("first-key"), owner("first-key"));
}
