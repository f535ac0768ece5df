//! Which room answers at which path, also where options put two at one: they never open a door, and never end the start.

use serde_json::json;

use super::{
    super::{EventStreamPaths, HttpOptions, McpEndpoint},
    Server, call,
    client::post,
};
use crate::auth::{ApiKeyOptions, AuthOptions, options::OAuthOptions};

const WELL_KNOWN: &str = "/.well-known/oauth-protected-resource";

/// One key.
pub(super) fn api_key() -> AuthOptions {
    let keys = vec!["key-of-a-client".into()];
    AuthOptions::ApiKey(ApiKeyOptions { keys, ..ApiKeyOptions::default() })
}

/// A provider that is down: no token is good.
pub(super) fn oauth() -> AuthOptions {
    AuthOptions::OAuth(OAuthOptions {
        issuer_url: "http://127.0.0.1:1".to_owned(),
        client_id: "client".to_owned(),
        client_secret: "secret".into(),
        audience: None,
        scopes: Vec::new(),
    })
}

/// The listener's paths: event stream, messages, Streamable HTTP, health.
fn at([endpoint, message_endpoint, mcp, health]: [&str; 4]) -> impl FnOnce(&mut HttpOptions) {
    let event_stream =
        EventStreamPaths { endpoint: endpoint.to_owned(), message_endpoint: message_endpoint.to_owned() };
    let mcp = McpEndpoint { path: mcp.to_owned(), sessions: true, resumability: false };
    let health = health.to_owned();
    move |options| {
        options.event_stream = Some(event_stream);
        options.mcp = Some(mcp);
        options.health_endpoint = Some(health);
        options.auth = Some(oauth());
    }
}

#[tokio::test]
async fn no_collision_of_paths_opens_a_door_or_ends_the_start() {
    const APART: [&str; 4] = ["/sse", "/messages", "/mcp", "/health"];
    let of_sse = format!("{WELL_KNOWN}/sse");
    let paths = ["/sse", "/sse/", "/sse/a", "/{a}", "/", WELL_KNOWN, &of_sse];
    for (first, second) in (0..4).flat_map(|first| (first + 1..4).map(move |second| (first, second))) {
        for (of_first, of_second) in paths.iter().flat_map(|one| paths.iter().map(move |other| (one, other))) {
            let mut chosen = APART;
            (chosen[first], chosen[second]) = (of_first, of_second);
            let server = Server::start(at(chosen)).await;
            let [endpoint, messages, mcp, _] = chosen;
            let message = call(1, "add", &json!({"a": 1, "b": 2}));
            for (case, request) in [
                ("event stream", format!("GET {endpoint} HTTP/1.1\r\nHost: localhost\r\n\r\n")),
                ("message", post(messages, &message)),
                ("message of Streamable HTTP", post(mcp, &message)),
                ("stream of Streamable HTTP", format!("GET {mcp} HTTP/1.1\r\nHost: localhost\r\n\r\n")),
                ("session's end", format!("DELETE {mcp} HTTP/1.1\r\nHost: localhost\r\n\r\n")),
            ] {
                let status = server.ask(request).await.status;
                assert_eq!(status, 401, "{case} of {chosen:?}");
            }
        }
    }
}

#[tokio::test]
async fn what_is_for_everybody_is_read_and_nothing_else() {
    let guarded = |options: &mut HttpOptions| {
        options.auth = Some(oauth());
        options.public_url = Some("http://localhost".to_owned());
    };
    for server in Server::each(guarded).await {
        for path in ["/health", WELL_KNOWN, &format!("{WELL_KNOWN}/mcp")] {
            for (method, status) in [("GET", 200), ("HEAD", 200), ("POST", 401), ("DELETE", 401), ("OPTIONS", 401)] {
                let request = format!("{method} {path} HTTP/1.1\r\nHost: localhost\r\n\r\n");
                let mut connection = server.sent(request).await;
                assert_eq!(connection.head().await.status, status, "{method} {path}");
            }
        }
    }
}

#[tokio::test]
async fn a_document_is_found_by_the_url_that_clients_know() {
    for server in Server::each(|options| {
        at(["/a/mcp", "/messages", "/mcp", "/health"])(options);
        options.public_url = Some("https://mcp.test/a".to_owned());
    })
    .await
    {
        for (path, resource) in [("/a/mcp", "/a/mcp"), ("/mcp", "/a/mcp"), ("/a/a/mcp", "/a/a/mcp"), ("", "/a/a/mcp")] {
            let request = format!("GET {WELL_KNOWN}{path} HTTP/1.1\r\nHost: localhost\r\n\r\n");
            let reply = server.ask(request).await;
            assert_eq!(reply.status, 200, "{path}");
            assert_eq!(reply.json()["resource"], format!("https://mcp.test{resource}"), "{path}");
        }
    }
}
