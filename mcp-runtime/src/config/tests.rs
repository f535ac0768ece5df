//! Options objects and what becomes of them, as tables.

use std::{
    fmt,
    sync::{Arc, Mutex},
    time::{Duration, UNIX_EPOCH},
};

use serde_json::{Value, json};
use tracing::{
    Event, Metadata, Subscriber,
    field::{Field, Visit},
    span,
};

use super::{CorsOptions, HttpStreamOptions, ServerOptions, SseOptions, TransportOptions};
use crate::{
    auth::{Algorithm, ApiKey, ApiKeyOptions, ApiKeyValue, AuthOptions, JwtOptions, OAuthOptions},
    limits::Limits,
};

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
fn every_option_of_sse() {
    type Edit = fn(&mut SseOptions);
    let table: [(Value, Edit); 16] = [
        (json!({"port": 0}), |o| o.port = 0),
        (json!({"port": 65535}), |o| o.port = 65535),
        (json!({"host": "::1"}), |o| o.host = "::1".into()),
        (json!({"endpoint": "/e"}), |o| o.endpoint = "/e".into()),
        (json!({"messageEndpoint": "/m"}), |o| o.message_endpoint = "/m".into()),
        (json!({"mcpEndpoint": "/x"}), |o| o.mcp_endpoint = Some("/x".into())),
        (json!({"mcpEndpoint": null}), |o| o.mcp_endpoint = None),
        (json!({"sessions": false}), |o| o.sessions = false),
        (json!({"resumability": true}), |o| o.resumability = true),
        (json!({"cors": {"allowOrigins": []}}), |o| o.cors = Some(CorsOptions::default())),
        (json!({"auth": {"type": "oauth"}}), |o| o.auth = Some(AuthOptions::OAuth(OAuthOptions::default()))),
        (json!({"publicUrl": "https://h/p"}), |o| o.public_url = Some("https://h/p".into())),
        (json!({"allowedHosts": ["h", "h:1"]}), |o| o.allowed_hosts = vec!["h".into(), "h:1".into()]),
        (json!({"limits": {"maxBodyBytes": 1}}), |o| o.limits.max_body_bytes = Some(1)),
        (json!({"healthEndpoint": "/h"}), |o| o.health_endpoint = Some("/h".into())),
        (json!({"healthEndpoint": null}), |o| o.health_endpoint = None),
    ];
    for (given, edit) in table {
        let mut expected = SseOptions::default();
        edit(&mut expected);
        let layer = json!({"transport": {"type": "sse", "options": given}});
        check(layer, Ok(TransportOptions::Sse(expected)));
    }
}

#[test]
fn every_option_of_http_stream() {
    type Edit = fn(&mut HttpStreamOptions);
    let table: [(Value, Edit); 11] = [
        (json!({"port": 1}), |o| o.port = 1),
        (json!({"host": "h"}), |o| o.host = "h".into()),
        (json!({"endpoint": "/e"}), |o| o.endpoint = "/e".into()),
        (json!({"sessions": false}), |o| o.sessions = false),
        (json!({"resumability": true}), |o| o.resumability = true),
        (json!({"cors": {}}), |o| o.cors = Some(CorsOptions::default())),
        (json!({"auth": {"type": "apikey", "options": {"keys": ["k"]}}}), |o| {
            let keys = vec![ApiKey::from("k")];
            o.auth = Some(AuthOptions::ApiKey(ApiKeyOptions { keys, ..ApiKeyOptions::default() }));
        }),
        (json!({"publicUrl": "http://h"}), |o| o.public_url = Some("http://h".into())),
        (json!({"allowedHosts": ["h"]}), |o| o.allowed_hosts = vec!["h".into()]),
        (json!({"limits": {"maxStreams": null}}), |o| o.limits.max_streams = None),
        (json!({"healthEndpoint": null}), |o| o.health_endpoint = None),
    ];
    for (given, edit) in table {
        let mut expected = HttpStreamOptions::default();
        edit(&mut expected);
        let layer = json!({"transport": {"type": "http-stream", "options": given}});
        check(layer, Ok(TransportOptions::HttpStream(expected)));
    }
}

#[test]
fn every_option_of_authentication() {
    let jwt = |edit: fn(&mut JwtOptions)| {
        let mut options = JwtOptions::default();
        edit(&mut options);
        AuthOptions::Jwt(options)
    };
    let keys = |keys: Vec<ApiKey>| AuthOptions::ApiKey(ApiKeyOptions { keys, ..ApiKeyOptions::default() });
    let api_key = |edit: fn(&mut ApiKeyOptions)| {
        let mut options = ApiKeyOptions::default();
        edit(&mut options);
        AuthOptions::ApiKey(options)
    };
    let oauth = |edit: fn(&mut OAuthOptions)| {
        let mut options = OAuthOptions::default();
        edit(&mut options);
        AuthOptions::OAuth(options)
    };
    let entry = |edit: fn(&mut ApiKey)| {
        let mut key = ApiKey::from("k");
        edit(&mut key);
        keys(vec![key])
    };
    const DIGEST: &str = "00ff000000000000000000000000000000000000000000000000000000000001";
    let mut digest = [0; 32];
    (digest[1], digest[31]) = (255, 1);
    let by_digest = ApiKey { value: ApiKeyValue::Sha256(digest), ..ApiKey::from("") };
    let table = [
        ("jwt", json!({}), jwt(|_| {})),
        ("jwt", json!({"algorithms": ["HS256", "EdDSA"]}), {
            jwt(|o| o.algorithms = vec![Algorithm::HS256, Algorithm::EdDSA])
        }),
        ("jwt", json!({"secret": "s"}), jwt(|o| o.secret = Some("s".into()))),
        ("jwt", json!({"publicKey": "p"}), jwt(|o| o.public_key = Some("p".into()))),
        ("jwt", json!({"jwksUri": "u"}), jwt(|o| o.jwks_uri = Some("u".into()))),
        ("jwt", json!({"issuer": "i"}), jwt(|o| o.issuer = Some("i".into()))),
        ("jwt", json!({"audience": "a"}), jwt(|o| o.audience = Some("a".into()))),
        ("jwt", json!({"leewaySeconds": 5}), jwt(|o| o.leeway_seconds = 5)),
        ("apikey", json!({"keys": ["k", "l"]}), keys(vec!["k".into(), "l".into()])),
        ("apikey", json!({"keys": [{"key": "k"}]}), entry(|_| {})),
        ("apikey", json!({"keys": [{"key": "k", "id": "i"}]}), entry(|k| k.id = Some("i".into()))),
        ("apikey", json!({"keys": [{"key": "k", "scopes": ["a"]}]}), entry(|k| k.scopes = vec!["a".into()])),
        ("apikey", json!({"keys": [{"key": "k", "expiresAt": "1970-01-01T00:00:09Z"}]}), {
            entry(|k| k.expires_at = Some(UNIX_EPOCH + Duration::from_secs(9)))
        }),
        ("apikey", json!({"keys": [{"sha256": DIGEST}]}), keys(vec![by_digest])),
        ("apikey", json!({"headerName": "X-K"}), api_key(|o| o.header_name = "X-K".into())),
        ("apikey", json!({"queryParam": "k"}), api_key(|o| o.query_param = Some("k".into()))),
        ("oauth", json!({"issuerUrl": "u"}), oauth(|o| o.issuer_url = "u".into())),
        ("oauth", json!({"clientId": "c"}), oauth(|o| o.client_id = "c".into())),
        ("oauth", json!({"clientSecret": "s"}), oauth(|o| o.client_secret = "s".into())),
        ("oauth", json!({"audience": "a"}), oauth(|o| o.audience = Some("a".into()))),
        ("oauth", json!({"scopes": ["a"]}), oauth(|o| o.scopes = vec!["a".into()])),
    ];
    for (method, options, expected) in table {
        let auth = json!({"type": method, "options": options});
        let layer = json!({"transport": {"type": "sse", "options": {"auth": auth}}});
        let sse = SseOptions { auth: Some(expected.clone()), ..SseOptions::default() };
        check(layer, Ok(TransportOptions::Sse(sse)));
        let layer = json!({"transport": {"type": "http-stream", "options": {"auth": auth}}});
        let http = HttpStreamOptions { auth: Some(expected), ..HttpStreamOptions::default() };
        check(layer, Ok(TransportOptions::HttpStream(http)));
    }
}

#[test]
fn mistakes_of_authentication() {
    let check = |method: &str, options: Value, message: &str| {
        let auth = json!({"type": method, "options": options});
        let message = message.replace("AUTH", "transport.options.auth.options");
        check(json!({"transport": {"type": "sse", "options": {"auth": auth}}}), Err(&message));
    };
    check(
        "jwt",
        json!({"algorithms": "HS256"}),
        "option `AUTH.algorithms`: expected a list of algorithms, got a string",
    );
    check(
        "jwt",
        json!({"algorithms": ["RS256", "none"]}),
        "option `AUTH.algorithms[1]`: expected `HS256`, `HS384`, `HS512`, `RS256`, `RS384`, `RS512`, `PS256`, \
         `PS384`, `PS512`, `ES256`, `ES384`, `ES512` or `EdDSA`, got a string",
    );
    check("jwt", json!({"secret": 1}), "option `AUTH.secret`: expected a string or null, got a number");
    check("jwt", json!({"leewaySeconds": 1.5}), {
        "option `AUTH.leewaySeconds`: expected a whole number of seconds, got a number"
    });
    check("jwt", json!({"jwksUrl": "u"}), "unknown option `AUTH.jwksUrl`; did you mean `jwksUri`?");
    check("jwt", json!({"clientSecret": "s"}), "unknown option `AUTH.clientSecret`");
    check("apikey", json!({"keys": "hunter2"}), "option `AUTH.keys`: expected a list of keys, got a string");
    check("apikey", json!({"keys": [1]}), {
        "option `AUTH.keys[0]`: expected a string, or an object with `key` or `sha256`, got a number"
    });
    check("apikey", json!({"keys": [{}]}), "option `AUTH.keys[0]`: needs either `key` or `sha256`");
    check("apikey", json!({"keys": [{"key": "hunter2", "sha256": "0".repeat(64)}]}), {
        "option `AUTH.keys[0]`: needs either `key` or `sha256`"
    });
    check("apikey", json!({"keys": [{"sha256": "hunter2"}]}), {
        "option `AUTH.keys[0].sha256`: must be a SHA-256 digest, 64 hexadecimal digits"
    });
    check("apikey", json!({"keys": [{"key": "hunter2", "expiresAt": "soon"}]}), {
        "option `AUTH.keys[0].expiresAt`: expected a time such as `2027-01-31T12:00:00Z`, got a string"
    });
    check("apikey", json!({"keys": [{"key": "hunter2", "scope": []}]}), {
        "unknown option `AUTH.keys[0].scope`; did you mean `scopes`?"
    });
    check("oauth", json!({"scopes": "a b"}), "option `AUTH.scopes`: expected a list of strings, got a string");
    check("oauth", json!({"clientSecret": null}), "option `AUTH.clientSecret`: expected a string, got null");
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
fn every_limit() {
    let seconds = |n| Some(Duration::from_secs_f64(n));
    // In full, so that a new limit cannot be forgotten here.
    let limits = Limits {
        max_request_line_bytes: Some(1),
        max_header_bytes: Some(2),
        max_headers: Some(3),
        header_read: seconds(4.0),
        max_body_bytes: Some(5),
        body_read: seconds(6.5),
        idle_connection: seconds(7.0),
        max_connections: Some(8),
        max_unauthenticated_requests: Some(9),
        max_json_depth: Some(10),
        max_batch: Some(0),
        max_line_bytes: Some(12),
        max_sessions: Some(13),
        max_sessions_per_principal: Some(14),
        session_idle: seconds(15.0),
        session_unused: seconds(16.0),
        max_streams: Some(17),
        max_streams_per_principal: Some(18),
        stream_queue_messages: Some(19),
        stream_queue_bytes: Some(20),
        replay_events: Some(0),
        replay_bytes: Some(0),
        replay: seconds(0.0),
        stalled_write: seconds(0.25),
        keep_alive: None,
        max_requests_per_session: Some(23),
        max_subscription_uris: Some(0),
        call_timeout: seconds(24.0),
        max_call: None,
        max_rounds: Some(40),
        state_age: seconds(41.0),
        max_state_bytes: Some(42),
        max_tasks: Some(43),
        max_tasks_per_principal: Some(44),
        task_ttl: None,
        max_task_ttl: seconds(45.0),
        max_blocking_threads: Some(26),
        blocking_queue: Some(0),
        shutdown_grace: seconds(0.0),
        fetch: seconds(29.0),
        max_fetch_bytes: Some(30),
        max_keys: Some(31),
        jwks_age: seconds(32.0),
        jwks_refetch: seconds(0.5),
        jwks_grace: seconds(0.0),
        introspection: seconds(0.0),
        introspection_entries: Some(0),
        max_log_lines: Some(43),
        remembered_tokens: Some(0),
    };
    let text = r#"{"transport": {"type": "sse", "options": {"limits": {
        "maxRequestLineBytes": 1, "maxHeaderBytes": 2, "maxHeaders": 3, "headerReadSeconds": 4,
        "maxBodyBytes": 5, "bodyReadSeconds": 6.5, "idleConnectionSeconds": 7,
        "maxConnections": 8, "maxUnauthenticatedRequests": 9, "maxJsonDepth": 10, "maxBatch": 0,
        "maxLineBytes": 12, "maxSessions": 13, "maxSessionsPerPrincipal": 14,
        "sessionIdleSeconds": 15, "sessionUnusedSeconds": 16, "maxStreams": 17,
        "maxStreamsPerPrincipal": 18, "streamQueueMessages": 19, "streamQueueBytes": 20,
        "replayEvents": 0, "replayBytes": 0, "replaySeconds": 0, "stalledWriteSeconds": 0.25, "keepAliveSeconds": null,
        "maxRequestsPerSession": 23, "maxSubscriptionUris": 0, "callTimeoutSeconds": 24, "maxCallSeconds": null,
        "maxRounds": 40, "stateSeconds": 41, "maxStateBytes": 42,
        "maxTasks": 43, "maxTasksPerPrincipal": 44, "taskTtlSeconds": null, "maxTaskTtlSeconds": 45, "maxBlockingThreads": 26,
        "blockingQueue": 0, "shutdownGraceSeconds": 0, "fetchSeconds": 29, "maxFetchBytes": 30, "maxKeys": 31,
        "jwksAgeSeconds": 32, "jwksRefetchSeconds": 0.5, "jwksGraceSeconds": 0, "introspectionSeconds": 0,
        "introspectionEntries": 0, "maxLogLinesPerSecond": 43, "rememberedTokens": 0
    }}}}"#;
    let layer = serde_json::from_str(text).unwrap();
    let sse = SseOptions { limits, ..SseOptions::default() };
    check(layer, Ok(TransportOptions::Sse(sse)));
}

#[test]
fn mistakes_with_their_paths() {
    let sse = |options: Value| json!({"transport": {"type": "sse", "options": options}});
    let http = |options: Value| json!({"transport": {"type": "http-stream", "options": options}});
    let limits = |limits: Value| sse(json!({"limits": limits}));
    let table = [
        // unknown keys, level by level
        (json!({"nam": "x"}), "unknown option `nam`; did you mean `name`?"),
        (json!({"zzz": "x"}), "unknown option `zzz`"),
        (json!({"": "x"}), "unknown option ``"),
        (json!({"port": 1}), "unknown option `port`; did you mean `transport.options.port`?"),
        (json!({"transport": {"typ": "sse"}}), "unknown option `transport.typ`; did you mean `type`?"),
        (
            json!({"transport": {"type": "sse", "endpoint": "/x"}}),
            "unknown option `transport.endpoint`; did you mean `transport.options.endpoint`?",
        ),
        (
            sse(json!({"message_endpoint": "/m"})),
            "unknown option `transport.options.message_endpoint`; did you mean `messageEndpoint`?",
        ),
        (sse(json!({"prot": 1})), "unknown option `transport.options.prot`; did you mean `port`?"),
        (sse(json!({"PORT": 1})), "unknown option `transport.options.PORT`; did you mean `port`?"),
        (
            sse(json!({"maxBodyBytes": 1})),
            "unknown option `transport.options.maxBodyBytes`; did you mean \
             `transport.options.limits`?",
        ),
        (http(json!({"endpont": "/m"})), "unknown option `transport.options.endpont`; did you mean `endpoint`?"),
        (
            sse(json!({"cors": {"allowedOrigins": []}})),
            "unknown option `transport.options.cors.allowedOrigins`; did you mean `allowOrigins`?",
        ),
        (
            sse(json!({"auth": {"type": "jwt", "option": {}}})),
            "unknown option `transport.options.auth.option`; did you mean `options`?",
        ),
        (
            limits(json!({"maxBodyByte": 1})),
            "unknown option `transport.options.limits.maxBodyByte`; did you mean `maxBodyBytes`?",
        ),
        // options of the other transport
        (
            http(json!({"messageEndpoint": "/m"})),
            "option `transport.options.messageEndpoint`: only the transport `sse` has this option; \
             `http-stream` has one `endpoint`",
        ),
        (
            http(json!({"mcpEndpoint": null})),
            "option `transport.options.mcpEndpoint`: only the transport `sse` has this option; \
             `http-stream` has one `endpoint`",
        ),
        (
            json!({"transport": {"type": "stdio", "options": {"port": 1}}}),
            "option `transport.options.port`: the transport `stdio` has no options; remove it, or \
             choose the type `sse` or `http-stream`",
        ),
        (
            json!({"transport": {"options": {"auth": {"type": "jwt"}}}}),
            "option `transport.options.auth`: the transport `stdio` has no options; remove it, or \
             choose the type `sse` or `http-stream`",
        ),
        // wrong types
        (json!([]), "option `(all)`: expected an object, got a list"),
        (json!({"name": null}), "option `name`: expected a string, got null"),
        (json!({"version": 1.5}), "option `version`: expected a string, got the number 1.5"),
        (json!({"instructions": []}), "option `instructions`: expected a string or null, got a list"),
        (json!({"transport": "sse"}), "option `transport`: expected an object, {\"type\": \"sse\"}"),
        (json!({"transport": "http"}), "option `transport`: expected an object, got the string `http`"),
        (
            json!({"transport": {"type": "http"}}),
            "option `transport.type`: expected `stdio`, `sse` or `http-stream`, got the string \
             `http`",
        ),
        (
            json!({"transport": {"type": "httpstream", "options": {"port": 1}}}),
            "option `transport.type`: expected `stdio`, `sse` or `http-stream` (did you mean \
             `http-stream`?), got the string `httpstream`",
        ),
        (
            json!({"transport": {"type": "sse", "options": 1}}),
            "option `transport.options`: expected an object, got the number 1",
        ),
        (
            sse(json!({"port": "8080"})),
            "option `transport.options.port`: expected a port, 0 to 65535, got the string `8080`",
        ),
        (
            sse(json!({"port": 65536})),
            "option `transport.options.port`: expected a port, 0 to 65535, got the number 65536",
        ),
        (sse(json!({"host": 1})), "option `transport.options.host`: expected a string, got the number 1"),
        (sse(json!({"endpoint": null})), "option `transport.options.endpoint`: expected a string, got null"),
        (
            sse(json!({"messageEndpoint": null})),
            "option `transport.options.messageEndpoint`: expected a string, got null",
        ),
        (
            sse(json!({"mcpEndpoint": false})),
            "option `transport.options.mcpEndpoint`: expected a string or null, got false",
        ),
        (
            sse(json!({"sessions": "true"})),
            "option `transport.options.sessions`: expected true or false, got the string `true`",
        ),
        (
            sse(json!({"resumability": {}})),
            "option `transport.options.resumability`: expected true or false, got an object",
        ),
        (
            sse(json!({"publicUrl": 1})),
            "option `transport.options.publicUrl`: expected a string or null, got the number 1",
        ),
        (
            sse(json!({"healthEndpoint": true})),
            "option `transport.options.healthEndpoint`: expected a string or null, got true",
        ),
        (
            sse(json!({"allowedHosts": "h"})),
            "option `transport.options.allowedHosts`: expected a list of strings, got the string \
             `h`",
        ),
        (
            sse(json!({"cors": {"allowOrigins": ["https://a", 1]}})),
            "option `transport.options.cors.allowOrigins[1]`: expected a string, got the number 1",
        ),
        (sse(json!({"cors": true})), "option `transport.options.cors`: expected an object, got true"),
        // authentication, without its values
        (sse(json!({"auth": "hunter2"})), "option `transport.options.auth`: expected an object, got a string"),
        (
            sse(json!({"auth": {"options": {}}})),
            "option `transport.options.auth.type`: is missing; expected `jwt`, `apikey` or `oauth`",
        ),
        (
            sse(json!({"auth": {"type": "hunter2"}})),
            "option `transport.options.auth.type`: expected `jwt`, `apikey` or `oauth`, got a \
             string",
        ),
        (
            sse(json!({"auth": {"type": "jwt", "options": "hunter2"}})),
            "option `transport.options.auth.options`: expected an object, got a string",
        ),
        // limits
        (limits(json!([])), "option `transport.options.limits`: expected an object, got a list"),
        (
            limits(json!({"maxSessions": 1.5})),
            "option `transport.options.limits.maxSessions`: expected a whole number, or null to \
             switch the limit off, got the number 1.5",
        ),
        (
            limits(json!({"callTimeoutSeconds": -1})),
            "option `transport.options.limits.callTimeoutSeconds`: expected a number of seconds \
             (up to 1000000000), or null to switch the limit off, got the number -1",
        ),
        (
            limits(json!({"callTimeoutSeconds": 1e10})),
            "option `transport.options.limits.callTimeoutSeconds`: expected a number of seconds \
             (up to 1000000000), or null to switch the limit off, got the number 10000000000.0",
        ),
        (
            limits(json!({"keepAliveSeconds": 0})),
            "option `transport.options.limits.keepAliveSeconds`: 0 leaves nothing that can be \
             served; write null to switch the limit off",
        ),
        (
            limits(json!({"maxSessions": 0})),
            "option `transport.options.limits.maxSessions`: 0 leaves nothing that can be served; \
             write null to switch the limit off",
        ),
        (
            limits(json!({"maxJsonDepth": 129})),
            "option `transport.options.limits.maxJsonDepth`: 129 is too deep; 128 is the most that \
             the parser bears",
        ),
    ];
    for (layer, message) in table {
        check(layer, Err(message));
    }
}

#[test]
fn what_stdio_tolerates() {
    for options in [json!(null), json!({})] {
        let layer = json!({"transport": {"type": "stdio", "options": options}});
        check(layer, Ok(TransportOptions::Stdio));
    }
}

#[test]
fn all_mistakes_at_once() {
    let layer = json!({"nam": 1, "version": 2, "transport": {
        "type": "ssse", "oops": 0, "options": {"port": -1, "prot": 1, "auth": {"kind": 1}}}});
    let messages = "option `version`: expected a string, got the number 2\n\
        option `transport.type`: expected `stdio`, `sse` or `http-stream` (did you mean `sse`?), \
        got the string `ssse`\n\
        option `transport.options.port`: expected a port, 0 to 65535, got the number -1\n\
        option `transport.options.auth.type`: is missing; expected `jwt`, `apikey` or `oauth`\n\
        unknown option `transport.options.auth.kind`\n\
        unknown option `transport.options.prot`; did you mean `port`?\n\
        unknown option `transport.oops`\n\
        unknown option `nam`; did you mean `name`?";
    check(layer, Err(messages));
}

#[test]
fn a_layer_over_others() {
    let sse = SseOptions { port: 1, auth: jwt(), cors: Some(CorsOptions::default()), ..SseOptions::default() };
    let http =
        HttpStreamOptions { port: 1, auth: jwt(), cors: Some(CorsOptions::default()), ..HttpStreamOptions::default() };
    let over_sse = |layer: Value, expected: Result<TransportOptions, &str>, lines: &str| {
        check_over(TransportOptions::Sse(sse.clone()), layer, expected, lines);
    };
    let of_sse = |edit: fn(&mut SseOptions)| {
        let mut options = sse.clone();
        edit(&mut options);
        Ok(TransportOptions::Sse(options))
    };
    // What the layer lacks stays; a type need not be repeated.
    over_sse(json!({}), of_sse(|_| {}), "");
    let layer = json!({"transport": {"options": {"host": "h"}}});
    over_sse(layer, of_sse(|o| o.host = "h".into()), "");
    let layer = json!({"transport": {"options": {"cors": null}}});
    over_sse(layer, of_sse(|o| o.cors = None), "");
    // Authentication can be changed, not switched off.
    let layer = json!({"transport": {"options": {"auth": {"type": "apikey"}}}});
    over_sse(layer, of_sse(|o| o.auth = Some(AuthOptions::ApiKey(ApiKeyOptions::default()))), "jwt");
    let layer = json!({"transport": {"options": {"auth": {"options": {"issuer": "i"}}}}});
    let with_issuer = |o: &mut SseOptions| {
        if let Some(AuthOptions::Jwt(jwt)) = &mut o.auth {
            jwt.issuer = Some("i".into());
        }
    };
    over_sse(layer, of_sse(with_issuer), "");
    let refusal = "option `transport.options.auth` in the layer: authentication that is on cannot \
                   be switched off from outside; remove the null, or choose another `type` or the \
                   transport `stdio`";
    let layer = json!({"transport": {"options": {"auth": null}}});
    over_sse(layer, Err(refusal), "");
    let layer = json!({"transport": {"type": "http-stream", "options": {"auth": null}}});
    over_sse(layer, Err(refusal), "");
    // Another transport keeps what both have; an endpoint that nobody set follows the type.
    let layer = json!({"transport": {"type": "http-stream"}});
    over_sse(layer, Ok(TransportOptions::HttpStream(http.clone())), "");
    let layer = json!({"transport": {"type": "stdio"}});
    over_sse(layer, Ok(TransportOptions::Stdio), "port, cors, auth");
    let layer = json!({"transport": {"type": "sse"}});
    check_over(TransportOptions::HttpStream(http.clone()), layer, of_sse(|_| {}), "");
    let base = SseOptions { endpoint: "/own".into(), message_endpoint: "/m".into(), mcp_endpoint: None, ..sse.clone() };
    check_over(
        TransportOptions::Sse(base.clone()),
        json!({"transport": {"type": "http-stream"}}),
        Ok(TransportOptions::HttpStream(HttpStreamOptions { endpoint: "/own".into(), ..http })),
        "messageEndpoint, mcpEndpoint",
    );
    // A type without a meaning, and the name of the layer.
    check_over(
        TransportOptions::Sse(base),
        json!({"transport": {"options": {"prot": 1}}}),
        Err("unknown option `transport.options.prot` in the layer; did you mean `port`?"),
        "",
    );
}

#[test]
fn every_option_that_stdio_lacks_is_named() {
    let base = SseOptions {
        port: 1,
        host: "h".into(),
        endpoint: "/e".into(),
        message_endpoint: "/m".into(),
        mcp_endpoint: None,
        sessions: false,
        resumability: true,
        cors: Some(CorsOptions::default()),
        auth: jwt(),
        public_url: Some("http://h".into()),
        allowed_hosts: vec!["h".into()],
        limits: Limits { max_batch: None, ..Limits::default() },
        health_endpoint: None,
    };
    check_over(
        TransportOptions::Sse(base),
        json!({"transport": {"type": "stdio"}}),
        Ok(TransportOptions::Stdio),
        "port, host, endpoint, sessions, resumability, cors, auth, publicUrl, allowedHosts, \
         limits, healthEndpoint, messageEndpoint, mcpEndpoint",
    );
}

#[test]
fn what_cannot_be_served() {
    let sse = |edit: fn(&mut SseOptions)| {
        let mut options = SseOptions::default();
        edit(&mut options);
        TransportOptions::Sse(options)
    };
    let http = |edit: fn(&mut HttpStreamOptions)| {
        let mut options = HttpStreamOptions::default();
        edit(&mut options);
        TransportOptions::HttpStream(options)
    };
    fn origins(origins: &[&str]) -> Option<CorsOptions> {
        let allow_origins = origins.iter().map(|&origin| origin.into()).collect();
        Some(CorsOptions { allow_origins })
    }
    const ORIGIN: &str = "must be `scheme://host` or `scheme://host:port`, without a path or a final `/`, or `*`";
    let origin =
        |index: usize, shown: &str| format!("option `transport.options.cors.allowOrigins[{index}]`: {shown} {ORIGIN}");
    let table = [
        (sse(|_| {}), String::new()),
        (http(|_| {}), String::new()),
        (sse(|o| o.endpoint = "sse".into()), "option `transport.options.endpoint`: `sse` must begin with `/`".into()),
        (
            sse(|o| o.message_endpoint = "".into()),
            "option `transport.options.messageEndpoint`: `` must begin with `/`".into(),
        ),
        (
            sse(|o| o.mcp_endpoint = Some("/a?b".into())),
            "option `transport.options.mcpEndpoint`: `/a?b` must be a plain path, without `?`".into(),
        ),
        (
            http(|o| o.health_endpoint = Some("/a b".into())),
            "option `transport.options.healthEndpoint`: `/a b` must be a plain path, without ` `".into(),
        ),
        (
            http(|o| o.endpoint = "/{x}".into()),
            "option `transport.options.endpoint`: `/{x}` must be a plain path, without `{`".into(),
        ),
        (
            http(|o| o.endpoint = "/x*".into()),
            "option `transport.options.endpoint`: `/x*` must be a plain path, without `*`".into(),
        ),
        (
            http(|o| o.endpoint = "/x#".into()),
            "option `transport.options.endpoint`: `/x#` must be a plain path, without `#`".into(),
        ),
        (
            http(|o| o.endpoint = "/x\n".into()),
            "option `transport.options.endpoint`: `/x\\n` must be a plain path, without `\\n`".into(),
        ),
        (
            http(|o| o.endpoint = "//evil.example".into()),
            "option `transport.options.endpoint`: `//evil.example` must be a path as clients send \
             it, without a leading `//`, `.` or `..`"
                .into(),
        ),
        (
            http(|o| o.endpoint = "/a/../b".into()),
            "option `transport.options.endpoint`: `/a/../b` must be a path as clients send it, \
             without a leading `//`, `.` or `..`"
                .into(),
        ),
        (
            http(|o| o.endpoint = "/:a".into()),
            "option `transport.options.endpoint`: `/:a` must not have a part that begins with `:`".into(),
        ),
        (
            sse(|o| o.message_endpoint = "/sse".into()),
            "options `transport.options.endpoint` and `transport.options.messageEndpoint` are both \
             `/sse`; each endpoint needs a path of its own"
                .into(),
        ),
        (
            sse(|o| o.endpoint = "/mcp".into()),
            "options `transport.options.endpoint` and `transport.options.mcpEndpoint` are both \
             `/mcp`; each endpoint needs a path of its own"
                .into(),
        ),
        (
            sse(|o| {
                o.endpoint = "/mcp".into();
                o.mcp_endpoint = None;
            }),
            String::new(),
        ),
        (
            http(|o| o.endpoint = "/health".into()),
            "options `transport.options.endpoint` and `transport.options.healthEndpoint` are both \
             `/health`; each endpoint needs a path of its own"
                .into(),
        ),
        (
            sse(|o| {
                o.message_endpoint = "/sse".into();
                o.health_endpoint = Some("/sse".into());
            }),
            "options `transport.options.endpoint` and `transport.options.messageEndpoint` are both \
             `/sse`; each endpoint needs a path of its own\n\
             options `transport.options.endpoint` and `transport.options.healthEndpoint` are both \
             `/sse`; each endpoint needs a path of its own"
                .into(),
        ),
        (
            sse(|o| o.host = String::new()),
            "option `transport.options.host`: must not be empty; 127.0.0.1 listens on this machine \
             only, 0.0.0.0 on all addresses"
                .into(),
        ),
        (
            http(|o| o.host = "localhost:80".into()),
            "option `transport.options.host`: `localhost:80` must be a host name or an address \
             alone, without a scheme, a port or brackets"
                .into(),
        ),
        (http(|o| o.host = "::".into()), String::new()),
        (http(|o| o.host = "0.0.0.0".into()), String::new()),
        (
            sse(|o| {
                o.cors = origins(&["*"]);
                o.auth = jwt();
            }),
            "option `transport.options.cors.allowOrigins`: `*` cannot stand together with `auth`; \
             list the origins that may call"
                .into(),
        ),
        (sse(|o| o.cors = origins(&["*"])), String::new()),
        (
            http(|o| {
                o.cors = origins(&["https://a.example:1", "http://[::1]:1"]);
                o.auth = jwt();
            }),
            String::new(),
        ),
        (
            http(|o| o.cors = origins(&["null"])),
            "option `transport.options.cors.allowOrigins[0]`: `null` is what any sandboxed page \
             sends; list the origins that may call"
                .into(),
        ),
        (
            http(|o| o.cors = origins(&["https://a", "https://a/", "a.example", "https://u:p@a"])),
            [origin(1, "`https://a/`"), origin(2, "`a.example`"), origin(3, "a text that is not repeated here")]
                .join("\n"),
        ),
        (
            http(|o| o.cors = origins(&["https://*.a", "https://a:0", "://a"])),
            [origin(0, "`https://*.a`"), origin(1, "`https://a:0`"), origin(2, "`://a`")].join("\n"),
        ),
        (http(|o| o.public_url = Some("https://a.example:8443/base/".into())), String::new()),
        (
            http(|o| o.public_url = Some("https://a/?x".into())),
            "option `transport.options.publicUrl`: `https://a/?x` must be an http:// or https:// \
             URL without user, query or fragment"
                .into(),
        ),
        (
            sse(|o| o.public_url = Some("ftp://a".into())),
            "option `transport.options.publicUrl`: `ftp://a` must be an http:// or https:// URL \
             without user, query or fragment"
                .into(),
        ),
        (
            sse(|o| o.public_url = Some("http://user:pass@a".into())),
            "option `transport.options.publicUrl`: a text that is not repeated here must be an \
             http:// or https:// URL without user, query or fragment"
                .into(),
        ),
        (
            sse(|o| o.allowed_hosts = vec!["a.example:1".into(), "http://a".into(), "".into()]),
            "option `transport.options.allowedHosts[1]`: `http://a` must be a host name or \
             address, with or without a port\n\
             option `transport.options.allowedHosts[2]`: `` must be a host name or address, with or \
             without a port"
                .into(),
        ),
        (
            http(|o| o.limits.max_json_depth = Some(200)),
            "option `transport.options.limits.maxJsonDepth`: 200 is too deep; 128 is the most that \
             the parser bears"
                .into(),
        ),
    ];
    for (transport, problems) in table {
        let mut options = ServerOptions::new("n", "v");
        options.transport = transport;
        let found = options.validate().err().map_or(String::new(), |e| e.to_string());
        assert_eq!(found, problems, "{options:?}");
    }
    let nameless = ServerOptions::new(" ", "v").validate().unwrap_err();
    assert_eq!(nameless.to_string(), "option `name`: must not be empty");
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

/// What a layer over a transport amounts to, and the options that the log calls dropped.
#[track_caller]
fn check_over(base: TransportOptions, layer: Value, expected: Result<TransportOptions, &str>, dropped: &str) {
    let mut options = ServerOptions::new("n", "v");
    options.transport = base;
    let before = options.clone();
    let (result, lines) = logged(|| options.apply(&layer, "the layer"));
    match expected {
        Ok(transport) => {
            result.unwrap();
            assert_eq!(options.transport, transport, "{layer}");
        }
        Err(message) => {
            assert_eq!(result.unwrap_err().to_string(), message, "{layer}");
            assert_eq!(options, before, "a refused layer must change nothing");
        }
    }
    let expected = if dropped.is_empty() {
        0
    } else {
        assert!(lines[0].contains(&format!("options={dropped} ")), "{lines:?}");
        1
    };
    assert_eq!(lines.len(), expected, "{layer}: {lines:?}");
}

/// What `run` returns, and the lines that it logs on this thread.
pub(super) fn logged<T>(run: impl FnOnce() -> T) -> (T, Vec<String>) {
    let log = Log::default();
    let lines = log.0.clone();
    let result = tracing::subscriber::with_default(log, run);
    let lines = lines.lock().unwrap().clone();
    (result, lines)
}

#[derive(Default)]
struct Log(Arc<Mutex<Vec<String>>>);

impl Subscriber for Log {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, _: &span::Attributes<'_>) -> span::Id {
        span::Id::from_u64(1)
    }

    fn record(&self, _: &span::Id, _: &span::Record<'_>) {}

    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut line = Line(event.metadata().level().to_string());
        event.record(&mut line);
        self.0.lock().unwrap().push(line.0 + " ");
    }

    fn enter(&self, _: &span::Id) {}

    fn exit(&self, _: &span::Id) {}
}

struct Line(String);

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.0 += &format!(" {}={value:?}", field.name());
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.0 += &format!(" {}={value}", field.name());
    }
}
