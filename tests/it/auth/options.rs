//! Each option of authentication by what it changes: two servers that differ in it, and one request that tells.

use mcp_test_support::{
    http::EventStream,
    identity::{CLIENT, Provider, hmac_signed, now, over},
};
use serde_json::{Value, json};

use super::{Guarded, SECRET, bearer, call, claims, initialize, jwt_auth};

/// What the tool `who` says to this request, or the status of its refusal.
async fn outcome(auth: &Value, header: Option<(&str, &str)>, query: &str) -> String {
    let guarded = Guarded::start(auth.clone()).await;
    let path = format!("/sse{query}");
    let headers: Vec<_> = header.into_iter().collect();
    let knock = guarded.get(&path, &headers).await;
    if knock.status != 200 {
        return knock.status.to_string();
    }
    let mut stream = EventStream::open_with(guarded.address, &path, &headers).await;
    for message in [initialize(), call("who")] {
        let taken = guarded.post(&stream.endpoint.clone(), &headers, &message.to_string()).await;
        assert_eq!(taken.status, 202, "{taken:?}");
    }
    stream.message().await;
    let answer: Value = serde_json::from_str(&stream.message().await).expect("JSON");
    answer["result"]["content"][0]["text"].as_str().expect("a text").to_owned()
}

/// `one` and `other` are options of authentication; what the request gets by each follows them.
async fn check(option: &str, header: Option<(&str, &str)>, query: &str, one: (Value, &str), other: (Value, &str)) {
    assert_ne!(one.1, other.1, "{option}: a difference");
    for (auth, expected) in [one, other] {
        assert_eq!(outcome(&auth, header, query).await, expected, "{option}: {auth}");
    }
}

#[tokio::test]
async fn of_jwt() {
    const ADA: &str = "jwt ada desk read";
    let provider = Provider::start().await;
    let other = Provider::start().await;
    let hs512 = format!("Bearer {}", hmac_signed("HS512", SECRET, &claims(&json!({}))));
    let ec = format!("Bearer {}", provider.jwt(&claims(&json!({}))));
    let right = bearer(json!({}));
    let late = bearer(json!({"exp": now() - 40}));
    let strange = bearer(json!({"iss": "https://other.test"}));
    let elsewhere = bearer(json!({"aud": "other"}));
    let by_key = |more: Value| {
        let options = json!({"algorithms": ["ES256"], "issuer": super::ISSUER, "audience": "mcp"});
        json!({"type": "jwt", "options": over(options, &more)})
    };
    let jwks = |provider: &Provider| by_key(json!({"jwksUri": format!("{}/jwks", provider.issuer)}));
    let plain = || jwt_auth(json!({}));
    for (option, header, one, another) in [
        ("algorithms", &hs512, (jwt_auth(json!({"algorithms": ["HS256", "HS512"]})), ADA), (plain(), "401")),
        ("secret", &right, (plain(), ADA), (jwt_auth(json!({"secret": "s".repeat(32)})), "401")),
        ("publicKey", &ec, (by_key(json!({"publicKey": provider.pem()})), ADA), {
            (by_key(json!({"publicKey": other.pem()})), "401")
        }),
        ("jwksUri", &ec, (jwks(&provider), ADA), (jwks(&other), "401")),
        ("issuer", &strange, (jwt_auth(json!({"issuer": null})), ADA), (plain(), "401")),
        ("audience", &elsewhere, (jwt_auth(json!({"audience": null})), ADA), (plain(), "401")),
        ("leewaySeconds", &late, (jwt_auth(json!({"leewaySeconds": 60})), ADA), (plain(), "401")),
    ] {
        check(option, Some(("Authorization", header)), "", one, another).await;
    }
}

#[tokio::test]
async fn of_api_keys() {
    // The digest of `first-key`.
    const FIRST: &str = "9e24b55356ef2a121ab5fd1a3ee8a3c9191e837f3853e399a369e9044ff183f7";
    const SOMEBODY: &str = "apikey - - ";
    let keys = |keys: Value, more: Value| json!({"type": "apikey", "options": over(json!({ "keys": keys }), &more)});
    let entry = |more: Value| keys(json!([over(json!({"key": "first-key"}), &more)]), json!({}));
    let plain = |key: &str| keys(json!([key]), json!({}));
    let some = |more: Value| keys(json!(["first-key"]), more);
    let sha256 = |digest: &str| keys(json!([{ "sha256": digest }]), json!({}));
    let by_default = Some(("X-API-Key", "first-key"));
    for (option, header, query, one, another) in [
        ("keys", by_default, "", (plain("first-key"), SOMEBODY), (plain("second-key"), "401")),
        ("keys.key", by_default, "", (entry(json!({})), SOMEBODY), (entry(json!({"key": "second-key"})), "401")),
        ("keys.sha256", by_default, "", (sha256(FIRST), SOMEBODY), (sha256(&"0".repeat(64)), "401")),
        ("keys.id", by_default, "", (entry(json!({"id": "ada"})), "apikey ada - "), (entry(json!({})), SOMEBODY)),
        ("keys.scopes", by_default, "", (entry(json!({"scopes": ["a", "b"]})), "apikey - - a+b"), {
            (entry(json!({})), SOMEBODY)
        }),
        ("keys.expiresAt", by_default, "", (entry(json!({"expiresAt": "2001-01-01T00:00:00Z"})), "401"), {
            (entry(json!({"expiresAt": "2101-01-01T00:00:00Z"})), SOMEBODY)
        }),
        ("headerName", Some(("X-Team-Key", "first-key")), "", (some(json!({"headerName": "X-Team-Key"})), SOMEBODY), {
            (some(json!({})), "401")
        }),
        ("headerName, the other way", by_default, "", (some(json!({"headerName": "X-Team-Key"})), "401"), {
            (some(json!({})), SOMEBODY)
        }),
        ("queryParam", None, "?team_key=first-key", (some(json!({"queryParam": "team_key"})), SOMEBODY), {
            (some(json!({})), "401")
        }),
    ] {
        check(option, header, query, one, another).await;
    }
}

#[tokio::test]
async fn of_oauth() {
    let provider = Provider::start().await;
    let other = Provider::start().await;
    let auth = |more: Value| {
        let options = json!({"issuerUrl": provider.issuer, "clientId": CLIENT.0, "clientSecret": CLIENT.1,
            "audience": "mcp"});
        json!({"type": "oauth", "options": over(options, &more)})
    };
    let plain = || auth(json!({}));
    let ours = claims(&json!({"iss": provider.issuer}));
    let jwt = format!("Bearer {}", provider.jwt(&ours));
    let opaque = format!("Bearer {}", provider.opaque("opaque-token", over(ours.clone(), &json!({"active": true}))));
    const ADA: &str = "oauth ada desk read";
    for (option, header, one, another) in [
        ("issuerUrl", &jwt, (plain(), ADA), (auth(json!({"issuerUrl": other.issuer})), "401")),
        ("clientId", &opaque, (plain(), ADA), (auth(json!({"clientId": "somebody"})), "503")),
        ("clientSecret", &opaque, (plain(), ADA), (auth(json!({"clientSecret": "another"})), "503")),
        // Without it the endpoints are the audience.
        ("audience", &jwt, (plain(), ADA), (auth(json!({"audience": null})), "401")),
        ("audience", &opaque, (plain(), ADA), (auth(json!({"audience": "other"})), "401")),
        ("scopes", &jwt, (auth(json!({"scopes": ["read"]})), ADA), (auth(json!({"scopes": ["read", "write"]})), "403")),
        ("scopes", &opaque, (plain(), ADA), (auth(json!({"scopes": ["rea"]})), "403")),
    ] {
        check(option, Some(("Authorization", header)), "", one, another).await;
    }
}
