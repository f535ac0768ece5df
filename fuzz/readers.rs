//! The small readers: URIs against templates, URLs, configuration files, tokens, and the seal on what clients keep.
//!
//! The first byte of an input says which of them reads the rest.

#![no_main]

use std::{
    io::ErrorKind,
    time::{SystemTime, UNIX_EPOCH},
};

use aws_lc_rs::hmac;
use base64::{Engine as _, prelude::BASE64_URL_SAFE_NO_PAD};
use libfuzzer_sys::fuzz_target;
use mcp_runtime::{
    __private::Segment::{self, Literal, Reserved, Variable},
    Algorithm, AuthOptions, JwtOptions, ServerOptions,
    config::{Layers, Outcome},
    fuzzing,
    testing::CredentialCheck,
};
use serde_json::{Map, Value, value::RawValue};

fuzz_target!(|bytes: &[u8]| {
    let Some((reader, bytes)) = bytes.split_first() else { return };
    match reader {
        b't' => with_text(bytes, template),
        b'u' => with_text(bytes, url),
        b'j' => config("options.json", bytes),
        b'c' => config("options.toml", bytes),
        b'b' => with_text(bytes, credential),
        b's' => seal(bytes),
        _ => token(bytes),
    }
});

fn with_text(bytes: &[u8], read: fn(&str)) {
    if let Ok(text) = std::str::from_utf8(bytes) {
        read(text);
    }
}

/// What a URI gives is what stands in it, and a plain variable is one segment.
fn template(uri: &str) {
    const TEMPLATES: [&[Segment]; 5] = [
        &[Literal("://"), Variable("a")],
        &[Literal(":///"), Reserved("path")],
        &[Reserved("path"), Literal("/"), Variable("a"), Literal(".")],
        &[Literal("://"), Reserved("path"), Literal("/-/"), Variable("b")],
        &[Literal("://"), Variable("a"), Literal("--"), Variable("b"), Literal("-"), Reserved("path")],
    ];
    for template in TEMPLATES {
        let Some(values) = fuzzing::variables(template, uri) else { continue };
        let mut left = values.iter();
        let mut again = String::new();
        for segment in template {
            let name = match segment {
                Literal(text) => {
                    again.push_str(text);
                    continue;
                }
                Variable(name) | Reserved(name) => name,
            };
            let (found, value) = left.next().unwrap();
            assert_eq!(found, name);
            assert!(!value.is_empty() && !value.contains('\0'));
            assert!(*name == "path" || !value.contains('/') && value != "." && value != "..", "{value:?}");
            again.extend(value.bytes().map(|byte| match byte {
                b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' => char::from(byte).to_string(),
                _ => format!("%{byte:02X}"),
            }));
        }
        assert_eq!(left.next(), None);
        if again.len() <= 8 * 1024 {
            assert_eq!(fuzzing::variables(template, &again), Some(values), "{again}");
        }
    }
}

fn url(text: &str) {
    let Some((origin, path, target)) = fuzzing::url(text) else { return };
    assert!(text.bytes().all(|byte| byte.is_ascii_graphic()));
    assert!(text.starts_with(&format!("{origin}{path}")) && path.starts_with(['/'; 1]) | path.is_empty());
    assert!(target.starts_with('/') && target.ends_with(&text[origin.len()..]), "{target}");
}

/// A file is refused, or its options are valid.
fn config(name: &'static str, bytes: &[u8]) {
    let bytes = bytes.to_vec();
    let none: [(&str, &str); 0] = [];
    let layers = Layers::new(["--config", name], none, move |path| {
        if path.as_os_str() == name { Ok(bytes.clone()) } else { Err(ErrorKind::NotFound.into()) }
    });
    match layers.apply(ServerOptions::default()) {
        Ok(Outcome::Serve(options)) => options.validate().unwrap(),
        Ok(_) => unreachable!("nobody asked to be shown something"),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

const SECRET: &str = "0123456789abcdef0123456789abcdef";

fn options() -> AuthOptions {
    AuthOptions::Jwt(JwtOptions {
        algorithms: vec![Algorithm::HS256],
        secret: Some(SECRET.into()),
        issuer: Some("me".to_owned()),
        audience: Some("you".to_owned()),
        ..Default::default()
    })
}

/// Nobody knows the secret.
fn credential(text: &str) {
    assert!(!CredentialCheck::new(&options(), text).is_some_and(|check| check.admits(1)), "{text:?}");
}

/// Head and claims, a line each, and rightly signed: they are admitted only where they are right themselves.
fn token(bytes: &[u8]) {
    let cut = bytes.iter().position(|byte| *byte == b'\n').unwrap_or(0);
    let (head, claims) = bytes.split_at(cut);
    let claims = claims.get(1..).unwrap_or_default();
    let signed = format!("{}.{}", BASE64_URL_SAFE_NO_PAD.encode(head), BASE64_URL_SAFE_NO_PAD.encode(claims));
    let signature = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, SECRET.as_bytes()), signed.as_bytes());
    let token = format!("Bearer {signed}.{}", BASE64_URL_SAFE_NO_PAD.encode(signature));
    if !CredentialCheck::new(&options(), &token).unwrap().admits(1) {
        return;
    }
    let [head, claims] = [head, claims].map(|part| serde_json::from_slice::<Map<String, Value>>(part).unwrap());
    assert_eq!(head["alg"], "HS256");
    assert!(!head.contains_key("crit"));
    assert_eq!(claims["iss"], "me");
    assert!(claims["aud"] == "you" || claims["aud"].as_array().unwrap().contains(&Value::from("you")));
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs_f64();
    assert!(claims["exp"].as_f64().unwrap() > now - 60.0);
    assert!(claims.get("nbf").is_none_or(|begin| begin.as_f64().unwrap() < now + 60.0));
}

/// Two parameters, a line each: what was sealed for the one opens for the other only where they say the same, and not
/// after a change.
fn seal(bytes: &[u8]) {
    let Some((place, bytes)) = bytes.split_first() else { return };
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let mut lines = text.split('\n').map(serde_json::from_str::<&RawValue>);
    let (Some(Ok(params)), Some(Ok(other))) = (lines.next(), lines.next()) else { return };
    let content = text.as_bytes();
    assert_eq!(fuzzing::unsealed(content, params, params, |_| {}).as_deref(), Some(content));
    let changed = fuzzing::unsealed(content, params, params, |sealed| {
        let place = usize::from(*place) % sealed.len();
        let other = if &sealed[place..=place] == "A" { "B" } else { "A" };
        sealed.replace_range(place..=place, other);
    });
    assert_eq!(changed, None);
    if fuzzing::unsealed(content, params, other, |_| {}).is_some() {
        let of_all_rounds = |raw: &RawValue| {
            let mut params: Value = serde_json::from_str(raw.get()).ok()?;
            if let Some(members) = params.as_object_mut() {
                members.retain(|name, _| !["_meta", "inputResponses", "requestState"].contains(&&**name));
            }
            Some(params)
        };
        if let (Some(params), Some(other)) = (of_all_rounds(params), of_all_rounds(other)) {
            assert_eq!(params, other);
        }
    }
}
