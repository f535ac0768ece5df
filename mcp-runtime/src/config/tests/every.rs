//! Every option, as it is written and as what it becomes.

use std::time::{Duration, UNIX_EPOCH};

use serde_json::{Value, json};

use super::{
    super::{CorsOptions, HttpStreamOptions, SseOptions, TransportOptions},
    check,
};
use crate::{
    auth::{Algorithm, ApiKey, ApiKeyOptions, ApiKeyValue, AuthOptions, JwtOptions, OAuthOptions},
    limits::Limits,
};

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
