//! What a refused request is answered: status, challenge, text.

use super::*;

fn oauth(scopes: &[&str]) -> AuthOptions {
    let scopes = scopes.iter().map(|&scope| scope.into()).collect();
    AuthOptions::OAuth(oauth_options(ISSUER, |options| options.scopes = scopes))
}

#[test]
fn each_refusal_by_each_method() {
    let door = |options: &AuthOptions| authenticator(options, &Limits::default(), &Clock::default());
    let jwt = door(&AuthOptions::Jwt(jwt_options(Algorithm::HS256)));
    let keys = door(&AuthOptions::ApiKey(ApiKeyOptions { keys: vec!["k".into()], ..ApiKeyOptions::default() }));
    let oauth = door(&oauth(&["read"]));
    let missing = AuthError::Missing;
    let wrong = AuthError::InvalidToken("the token has expired");
    let twice = AuthError::InvalidRequest("there are two Authorization headers");
    let scope = AuthError::InsufficientScope(vec!["read".into(), "write".into(), "a\"b".into(), "c\r\nd".into()]);
    let down = AuthError::Unavailable("the keys that verify tokens are unavailable; try again soon");
    let check = |door: &Authenticator, error: &AuthError, path: &str, status: u16, challenge: Option<&str>| {
        let refusal = door.refusal(error, path);
        assert_eq!(refusal.status.as_u16(), status, "{error:?}");
        assert_eq!(refusal.challenge.as_ref().map(|it| it.to_str().unwrap()), challenge, "{error:?}");
        assert_eq!(refusal.retry_after.is_some(), status == 503);
        assert!(!refusal.message.is_empty() && refusal.message.len() < 80);
    };
    check(&jwt, &missing, "/mcp", 401, Some(r#"Bearer realm="mcp""#));
    check(
        &jwt,
        &wrong,
        "/mcp",
        401,
        Some(r#"Bearer realm="mcp", error="invalid_token", error_description="the token has expired""#),
    );
    check(
        &jwt,
        &twice,
        "/mcp",
        400,
        Some(r#"Bearer realm="mcp", error="invalid_request", error_description="there are two Authorization headers""#),
    );
    // What could not stand in a header is left out.
    check(
        &jwt,
        &scope,
        "/mcp",
        403,
        Some(
            r#"Bearer realm="mcp", error="insufficient_scope", error_description="the credential lacks a scope", scope="read write""#,
        ),
    );
    check(&jwt, &down, "/mcp", 503, None);
    check(&keys, &missing, "/mcp", 401, Some(r#"ApiKey realm="mcp", header="X-API-Key""#));
    check(
        &keys,
        &wrong,
        "/mcp",
        401,
        Some(
            r#"ApiKey realm="mcp", header="X-API-Key", error="invalid_token", error_description="the token has expired""#,
        ),
    );
    let metadata =
        |path: &str| format!("resource_metadata=\"https://mcp.example/.well-known/oauth-protected-resource{path}\"");
    for (path, named) in [("/sse", "/sse"), ("/mcp", "/mcp"), ("/messages", "/sse"), ("/other", "/sse")] {
        let challenge = format!(r#"Bearer realm="mcp", scope="read", {}"#, metadata(named));
        check(&oauth, &missing, path, 401, Some(&challenge));
    }
    let challenge = format!(
        r#"Bearer realm="mcp", error="invalid_token", error_description="the token has expired", scope="read", {}"#,
        metadata("/mcp")
    );
    check(&oauth, &wrong, "/mcp", 401, Some(&challenge));
    let challenge = format!(
        r#"Bearer realm="mcp", error="insufficient_scope", error_description="the credential lacks a scope", scope="read write", {}"#,
        metadata("/mcp")
    );
    check(&oauth, &scope, "/mcp", 403, Some(&challenge));
    check(&oauth, &down, "/mcp", 503, None);
}

#[tokio::test]
async fn a_function_demands_all_its_scopes() {
    let door = authenticator(&oauth(&["read"]), &Limits::default(), &Clock::default());
    let jwt = authenticator(&AuthOptions::Jwt(jwt_options(Algorithm::HS256)), &Limits::default(), &Clock::default());
    let token = token(Algorithm::HS256, json!({}), json!({"scope": "read files:read"}));
    let principal = admission(&jwt, &bearer(&token)).verdict().await.unwrap();
    assert_eq!(door.demand(&principal, &[]), Ok(()));
    assert_eq!(door.demand(&principal, &["files:read", "read"]), Ok(()));
    let needs = |scopes: &[&str]| Err(AuthError::InsufficientScope(scopes.iter().map(|&scope| scope.into()).collect()));
    assert_eq!(door.demand(&principal, &["files"]), needs(&["read", "files"]));
    assert_eq!(door.demand(&principal, &["files:read", "files:write"]), needs(&["read", "files:read", "files:write"]));
    assert_eq!(jwt.demand(&principal, &["Read"]), needs(&["Read"]));
}

#[test]
fn metadata_documents() {
    let of = |public_url: &str, scopes: &[&str]| {
        let site = Site { public_url: public_url.into(), ..site() };
        let door = Authenticator::new(&oauth(scopes), &Limits::default(), &site).unwrap();
        let documents = door
            .documents()
            .iter()
            .map(|document| (document.paths.clone(), serde_json::from_str::<Value>(&document.body).unwrap()));
        documents.collect::<Vec<_>>()
    };
    const WELL_KNOWN: &str = "/.well-known/oauth-protected-resource";
    let documents = of("http://127.0.0.1:8080", &["read"]);
    assert_eq!(documents.len(), 3);
    let (paths, document) = &documents[0];
    assert_eq!(paths, &[format!("{WELL_KNOWN}/sse"), WELL_KNOWN.to_owned()]);
    assert_eq!(
        document,
        &json!({"resource": "http://127.0.0.1:8080/sse", "authorization_servers": [ISSUER],
            "bearer_methods_supported": ["header"], "scopes_supported": ["read"]})
    );
    let (paths, document) = &documents[2];
    assert_eq!(paths, &[format!("{WELL_KNOWN}/mcp")]);
    assert_eq!(document["resource"], "http://127.0.0.1:8080/mcp");
    // Below a path, with letters that clients write small, without scopes.
    let documents = of("HTTPS://MCP.example/Base/", &[]);
    let (paths, document) = &documents[2];
    assert_eq!(paths, &[format!("{WELL_KNOWN}/mcp"), format!("{WELL_KNOWN}/Base/mcp")]);
    assert_eq!(document["resource"], "https://mcp.example/Base/mcp");
    assert!(document.get("scopes_supported").is_none());
    let jwt = authenticator(&AuthOptions::Jwt(jwt_options(Algorithm::HS256)), &Limits::default(), &Clock::default());
    assert!(jwt.documents().is_empty());
}

#[test]
fn the_posture_is_told() {
    let check = |options: &AuthOptions, public_url: &str, first: &str, doubts: &[&str]| {
        let site = Site { public_url: public_url.into(), ..site() };
        let door = Authenticator::new(options, &Limits::default(), &site).unwrap();
        let lines = door.posture();
        assert_eq!(
            lines[0],
            Posture { is_doubtful: false, line: format!("/sse, /messages, /mcp: every request needs {first}") }
        );
        let found: Vec<_> = lines[1..].iter().map(|posture| posture.line.as_str()).collect();
        assert!(
            found.len() == doubts.len() && found.iter().zip(doubts).all(|(line, part)| line.contains(part)),
            "{found:?}"
        );
    };
    let loopback = "http://127.0.0.1:8080";
    let jwt = jwt_options(Algorithm::HS256);
    let line = "a JWT, signed with HS256, issuer `https://idp.example`, audience `https://mcp.example`";
    check(&AuthOptions::Jwt(jwt.clone()), loopback, line, &[]);
    check(&AuthOptions::Jwt(jwt.clone()), "http://[::1]:1/x", line, &[]);
    check(
        &AuthOptions::Jwt(jwt.clone()),
        "http://mcp.example",
        line,
        &["`publicUrl` is http://mcp.example: on plain HTTP"],
    );
    for (issuer, doubts) in [
        ("http://idp.example/realm", &["`issuer` is http://idp.example: on plain HTTP"][..]),
        ("http://127.0.0.1.idp.example", &["on plain HTTP"]),
        ("http://localhost:3000/realm", &[]),
        ("urn:issuer", &[]),
    ] {
        let line = format!("a JWT, signed with HS256, issuer `{issuer}`, audience `https://mcp.example`");
        let jwt = JwtOptions { issuer: Some(issuer.into()), ..jwt.clone() };
        check(&AuthOptions::Jwt(jwt), loopback, &line, doubts);
    }
    let open = JwtOptions {
        algorithms: vec![Algorithm::RS256, Algorithm::ES256],
        jwks_uri: Some("https://idp.example/jwks".into()),
        ..JwtOptions::default()
    };
    let line = "a JWT, signed with RS256, ES256, issuer any, audience any";
    check(&AuthOptions::Jwt(open), loopback, line, &["set `audience`", "set `issuer`"]);
    let keys = ApiKeyOptions { keys: vec!["hunter2".into(), "k".repeat(16).into()], ..ApiKeyOptions::default() };
    check(&AuthOptions::ApiKey(keys.clone()), loopback, "one of 2 API keys in `X-API-Key`", &["1 of the API keys"]);
    let keys = ApiKeyOptions { query_param: Some("key".into()), ..keys };
    let line = "one of 2 API keys in `X-API-Key`, or the query parameter `key` of an event stream";
    check(&AuthOptions::ApiKey(keys), loopback, line, &["1 of the API keys"]);
    let line = "an access token of `https://idp.example`, audience the URLs of the endpoints";
    check(&oauth(&[]), "https://mcp.example", line, &[]);
}
