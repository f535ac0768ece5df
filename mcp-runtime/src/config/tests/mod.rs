//! Options objects and what becomes of them, as tables.

mod every;
pub(super) mod log;
mod mistakes;
mod over;
mod unservable;

use serde_json::{Value, json};

use super::{CorsOptions, HttpStreamOptions, ServerOptions, SseOptions, TransportOptions};
use crate::auth::{Algorithm, AuthOptions, JwtOptions};

/// `jwt` that nothing is wrong with.
pub(super) fn jwt() -> Option<AuthOptions> {
    Some(AuthOptions::Jwt(JwtOptions {
        algorithms: vec![Algorithm::HS256],
        secret: Some("hunter2hunter2hunter2hunter2hunter2".into()),
        ..JwtOptions::default()
    }))
}

#[test]
fn the_object_of_the_documentation() {
    let options: ServerOptions = serde_json::from_value(json!({
        "name": "weather", "version": "1.0.0",
        "transport": { "type": "sse", "options": {
            "port": 8080, "endpoint": "/sse", "messageEndpoint": "/messages",
            "cors": { "allowOrigins": ["https://app.example.com"] },
            "auth": { "type": "jwt", "options": {
                "jwksUri": "https://idp.example.com/jwks", "algorithms": ["RS256"],
                "issuer": "https://idp.example.com", "audience": "https://mcp.example.com" } } } }
    }))
    .unwrap();
    let expected = ServerOptions {
        name: "weather".into(),
        version: "1.0.0".into(),
        instructions: None,
        state_keys: Vec::new(),
        transport: TransportOptions::Sse(SseOptions {
            cors: Some(CorsOptions { allow_origins: vec!["https://app.example.com".into()] }),
            auth: Some(AuthOptions::Jwt(JwtOptions {
                algorithms: vec![Algorithm::RS256],
                jwks_uri: Some("https://idp.example.com/jwks".into()),
                issuer: Some("https://idp.example.com".into()),
                audience: Some("https://mcp.example.com".into()),
                ..JwtOptions::default()
            })),
            ..SseOptions::default()
        }),
    };
    assert_eq!(options, expected);
    options.validate().unwrap();
}

#[test]
fn an_empty_object_is_the_default() {
    let options: ServerOptions = serde_json::from_str("{}").unwrap();
    assert_eq!(options, ServerOptions::default());
    assert!(options.name.starts_with("mcp_runtime"), "{}", options.name);
    assert_eq!(options.version, "0.0.0");
    assert_eq!(options.transport, TransportOptions::Stdio);
}

#[test]
fn defaults() {
    let sse = SseOptions::default();
    let http = HttpStreamOptions::default();
    assert_eq!(
        (sse.endpoint, sse.message_endpoint, sse.mcp_endpoint),
        ("/sse".into(), "/messages".into(), Some("/mcp".into()))
    );
    assert_eq!(http.endpoint, "/mcp");
    assert_eq!((http.port, http.host, http.sessions, http.resumability), (8080, "127.0.0.1".into(), true, false));
    assert_eq!((http.cors, http.auth, http.public_url), (None, None, None));
    assert_eq!(http.health_endpoint, Some("/health".into()));
    assert!(http.allowed_hosts.is_empty());
}

#[test]
fn options_beside_the_transport() {
    let options: ServerOptions =
        serde_json::from_value(json!({"name": "n", "version": "v", "instructions": "i"})).unwrap();
    let mut expected = ServerOptions::new("n", "v");
    expected.instructions = Some("i".into());
    assert_eq!(options, expected);
}

#[test]
fn what_stdio_tolerates() {
    for options in [json!(null), json!({})] {
        let layer = json!({"transport": {"type": "stdio", "options": options}});
        check(layer, Ok(TransportOptions::Stdio));
    }
}

/// What a layer alone amounts to.
#[track_caller]
fn check(layer: Value, expected: Result<TransportOptions, &str>) {
    let found = serde_json::from_value::<ServerOptions>(layer.clone());
    let found = found.map(|options| options.transport);
    match expected {
        Ok(transport) => assert_eq!(found.unwrap(), transport, "{layer}"),
        Err(message) => assert_eq!(found.unwrap_err().to_string(), message, "{layer}"),
    }
}
