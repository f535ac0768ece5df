//! The guarded listener from outside: who comes in, whose sessions are whose, what a credential is good for.

mod connection;
mod limits;
mod matrix;
mod options;
mod secrets;

use mcp_runtime::{Claims, Principal, prelude::*};
use mcp_test_support::{
    PATIENCE,
    http::{Answer, EventStream, request},
    identity::{CLIENT, Provider, hmac_signed, now, over},
    serve_in_application,
};
use serde_json::{Value, json};
use tokio::{task::AbortHandle, time::timeout};

const SECRET: &str = "0123456789abcdef0123456789abcdef";
const ISSUER: &str = "https://idp.test";
const JSON: (&str, &str) = ("Content-Type", "application/json");
const PING: &str = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;

#[derive(serde::Deserialize)]
struct Azp {
    azp: Option<String>,
}

/// Says who calls
#[mcp_tool]
fn who(principal: Principal, claims: Claims<Azp>) -> String {
    let or_none = |text: Option<&str>| text.unwrap_or("-").to_owned();
    let (subject, azp) = (or_none(principal.subject()), or_none(claims.0.azp.as_deref()));
    format!("{} {subject} {azp} {}", principal.method(), principal.scopes().join("+"))
}

/// For administrators
#[mcp_tool(scopes("admin"))]
fn admin() -> &'static str {
    "administrated"
}

/// Asks for a thing that only some may ask for
#[mcp_prompt(scopes("ask"))]
fn guarded_prompt() -> &'static str {
    "asked"
}

/// Is read by some
#[mcp_resource(uri = "test://guarded", scopes("read:all", "read"))]
fn guarded_resource() -> &'static str {
    "read"
}

/// A running server that authenticates, with a handle that stops it when it is dropped.
struct Guarded {
    address: std::net::SocketAddr,
    handle: mcp_runtime::Handle,
    /// The same server in an application, which its clients know by the address of the other.
    mounted: Option<Mounted>,
}

struct Mounted {
    address: std::net::SocketAddr,
    handle: mcp_runtime::Handle,
    application: AbortHandle,
}

impl Guarded {
    async fn start(auth: Value) -> Self {
        Self::with(json!({ "auth": auth })).await
    }

    /// With these options of the listener.
    async fn with(options: Value) -> Self {
        let bound = Self::server(options).bind().await.expect("a server that starts");
        let guarded = Self { address: bound.local_addr().expect("a listener"), handle: bound.handle(), mounted: None };
        tokio::spawn(bound.serve());
        guarded
    }

    /// With these options twice: with a listener of its own, and in an application.
    async fn twice(options: Value) -> Self {
        let mut guarded = Self::with(options.clone()).await;
        let public = json!({"publicUrl": format!("http://{}", guarded.address)});
        let mcp = Self::server(over(options, &public)).into_service().await.expect("a server that starts");
        let handle = mcp.handle();
        let (address, application) = serve_in_application(mcp).await;
        guarded.mounted = Some(Mounted { address, handle, application });
        guarded
    }

    fn server(options: Value) -> McpServer {
        let transport = json!({"type": "sse", "options": over(options, &json!({"port": 0}))});
        let options: ServerOptions =
            serde_json::from_value(json!({"name": "guarded", "transport": transport})).expect("options");
        let server = McpServer::new(options).tool::<who>().tool::<admin>();
        server.prompt::<guarded_prompt>().resource::<guarded_resource>()
    }

    /// Where it is.
    fn addresses(&self) -> impl Iterator<Item = std::net::SocketAddr> {
        [self.address].into_iter().chain(self.mounted.as_ref().map(|mounted| mounted.address))
    }

    async fn jwt() -> Self {
        Self::start(jwt_auth(json!({}))).await
    }

    async fn get(&self, path: &str, headers: &[(&str, &str)]) -> Answer {
        // HEAD would do, were it not 405 on a stream: a refusal has a whole body, and nothing else is asked for here.
        request(self.address, "GET", path, headers, "").await
    }

    async fn post(&self, path: &str, headers: &[(&str, &str)], body: &str) -> Answer {
        let mut all = vec![JSON];
        all.extend_from_slice(headers);
        request(self.address, "POST", path, &all, body).await
    }

    async fn open(&self, headers: &[(&str, &str)]) -> EventStream {
        EventStream::open_with(self.address, "/sse", headers).await
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        self.handle.shut_down();
        if let Some(mounted) = &self.mounted {
            mounted.handle.shut_down();
            mounted.application.abort();
        }
    }
}

/// `jwt` with one secret, and with members over its options.
fn jwt_auth(more: Value) -> Value {
    let options = json!({"algorithms": ["HS256"], "secret": SECRET, "issuer": ISSUER, "audience": "mcp"});
    json!({"type": "jwt", "options": over(options, &more)})
}

/// The claims of Ada's token, with members over them.
fn claims(more: &Value) -> Value {
    let claims = json!({"iss": ISSUER, "aud": "mcp", "sub": "ada", "azp": "desk", "scope": "read", "exp": now() + 600});
    over(claims, more)
}

/// A token for [`jwt_auth`], as a header's value.
fn bearer(more: Value) -> String {
    format!("Bearer {}", hmac_signed("HS256", SECRET, &claims(&more)))
}

fn call(tool: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": tool}})
}

fn initialize() -> Value {
    json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": "2025-06-18"}})
}

#[tokio::test]
async fn every_path_asks_but_those_that_are_open() {
    let guarded = Guarded::jwt().await;
    let right = bearer(json!({}));
    assert_eq!(guarded.get("/health", &[]).await.status, 200);
    for (method, path) in
        [("GET", "/nowhere"), ("GET", "/messages"), ("PUT", "/sse"), ("DELETE", "/"), ("HEAD", "/sse")]
    {
        let stranger = request(guarded.address, method, path, &[], "").await;
        assert_eq!(stranger.status, 401, "{method} {path}");
        let known = request(guarded.address, method, path, &[("Authorization", &right)], "").await;
        assert!(matches!(known.status, 404 | 405), "{method} {path}: {known:?}");
    }
}

#[tokio::test]
async fn a_session_is_its_owners_alone() {
    let guarded = Guarded::jwt().await;
    let right = bearer(json!({}));
    let mut stream = guarded.open(&[("Authorization", &right)]).await;
    let unknown = stream.endpoint.replace("sessionId=", "sessionId=x");
    let unknown = guarded.post(&unknown, &[("Authorization", &right)], PING).await;
    assert_eq!(unknown.status, 404);
    // Method, issuer, subject and client are whose it is; all of them.
    for other in [json!({"sub": "eve"}), json!({"sub": null}), json!({"azp": "phone"}), json!({"client_id": "phone"})] {
        let strange = guarded.post(&stream.endpoint, &[("Authorization", &bearer(other.clone()))], PING).await;
        assert_eq!((strange.status, &strange.body), (404, &unknown.body), "to {other} it does not exist");
    }
    // A session's id is no credential.
    assert_eq!(guarded.post(&stream.endpoint, &[], PING).await.status, 401);
    // The same principal with another token goes on.
    let another = bearer(json!({"scope": "read admin", "exp": now() + 1800}));
    assert_eq!(guarded.post(&stream.endpoint, &[("Authorization", &another)], PING).await.status, 202);
    assert!(stream.message().await.contains(r#""id":1"#));

    // Without `issuer` tokens of many come in, and none takes another's for its own.
    let guarded = Guarded::start(jwt_auth(json!({"issuer": null}))).await;
    let stream = guarded.open(&[("Authorization", &right)]).await;
    let namesake = bearer(json!({"iss": "https://other.test"}));
    assert_eq!(guarded.post(&stream.endpoint, &[("Authorization", &namesake)], PING).await.status, 404);
    assert_eq!(guarded.post(&stream.endpoint, &[("Authorization", &right)], PING).await.status, 202);
}

#[tokio::test]
async fn handlers_know_who_calls_and_scopes_are_asked_for() {
    let guarded = Guarded::jwt().await;
    let right = bearer(json!({}));
    let mut stream = guarded.open(&[("Authorization", &right)]).await;
    let endpoint = stream.endpoint.clone();
    guarded.post(&endpoint, &[("Authorization", &right)], &initialize().to_string()).await;
    stream.message().await;
    assert_eq!(guarded.post(&endpoint, &[("Authorization", &right)], &call("who").to_string()).await.status, 202);
    assert!(stream.message().await.contains("jwt ada desk read"));

    let message = |method: &str, params: Value| json!({"jsonrpc": "2.0", "id": 7, "method": method, "params": params});
    for (message, needed, done) in [
        (call("admin"), "admin", "administrated"),
        (message("prompts/get", json!({"name": "guarded_prompt"})), "ask", "asked"),
        // One of the two is there, and does not do.
        (message("resources/read", json!({"uri": "test://guarded"})), "read:all read", "\"read\""),
    ] {
        let refused = guarded.post(&endpoint, &[("Authorization", &right)], &message.to_string()).await;
        assert_eq!(refused.status, 403, "{refused:?}");
        let challenge = refused.header("www-authenticate").expect("a challenge");
        let named = format!("scope=\"{needed}\"");
        assert!(challenge.contains("error=\"insufficient_scope\"") && challenge.contains(&named), "{challenge}");
        let body: Value = serde_json::from_str(&refused.body).expect("a JSON body");
        assert_eq!((&body["id"], &body["error"]["code"]), (&json!(7), &json!(-32600)), "{body}");
        // Scopes are whole words.
        let lookalike = bearer(json!({"scope": format!("{}s x{needed}", needed.replace(' ', "s "))}));
        let refused = guarded.post(&endpoint, &[("Authorization", &lookalike)], &message.to_string()).await;
        assert_eq!(refused.status, 403, "{refused:?}");
        let enough = bearer(json!({ "scope": needed }));
        let taken = guarded.post(&endpoint, &[("Authorization", &enough)], &message.to_string()).await;
        assert_eq!(taken.status, 202, "{taken:?}");
        // The first thing on the stream: of what was refused nothing is there.
        let said = stream.message().await;
        assert!(said.contains(done), "{said}");
    }
}

#[tokio::test]
async fn a_stream_ends_with_its_credential() {
    // Without a leeway, so that a token which has just begun to count ends while somebody waits for it.
    let guarded = Guarded::start(jwt_auth(json!({"leewaySeconds": 0}))).await;
    let brief = bearer(json!({"exp": now() + 3}));
    let mut stream = guarded.open(&[("Authorization", &brief)]).await;
    // Sooner than it would for want of use.
    let end = timeout(PATIENCE, stream.event()).await.expect("an end in time");
    assert_eq!(end, None, "it ends, and says nothing more");
    assert_eq!(guarded.get("/sse", &[("Authorization", &brief)]).await.status, 401, "it was remembered as right");
    let right = bearer(json!({}));
    assert_eq!(guarded.post(&stream.endpoint, &[("Authorization", &right)], PING).await.status, 404);
}

#[tokio::test]
async fn a_key_opens_by_header_and_where_it_is_told_by_query() {
    let options = json!({"keys": ["first-key", {"id": "second", "key": "second-key"}], "queryParam": "key"});
    let guarded = Guarded::start(json!({"type": "apikey", "options": options})).await;
    let by_header = guarded.open(&[("X-API-Key", "first-key")]).await;
    assert!(!by_header.endpoint.contains("key"), "{}", by_header.endpoint);
    assert_eq!(guarded.post(&by_header.endpoint, &[("X-API-Key", "first-key")], PING).await.status, 202);
    assert_eq!(guarded.post(&by_header.endpoint, &[("X-API-Key", "second-key")], PING).await.status, 404);
    let with_query = format!("{}&key=first-key", by_header.endpoint);
    assert_eq!(guarded.post(&with_query, &[], PING).await.status, 401, "the query counts where it opened the stream");

    let by_query = EventStream::open_with(guarded.address, "/sse?key=second%2Dkey", &[]).await;
    assert!(by_query.endpoint.ends_with("&key=second%2Dkey"), "{}", by_query.endpoint);
    assert_eq!(guarded.post(&by_query.endpoint, &[], PING).await.status, 202);
    assert_eq!(guarded.post(&by_query.endpoint, &[("X-API-Key", "first-key")], PING).await.status, 404);
    let wrong = guarded.get("/sse?key=second-key", &[("X-API-Key", "wrong")]).await;
    assert_eq!(wrong.status, 401, "a wrong header is refused whatever the query says");
    let both = EventStream::open_with(guarded.address, "/sse?key=second-key", &[("X-API-Key", "first-key")]).await;
    assert!(!both.endpoint.contains("key"), "the header decided: {}", both.endpoint);
}

#[tokio::test]
async fn credentials_are_looked_at_before_anything_else() {
    let guarded = Guarded::jwt().await;
    let stream = guarded.open(&[("Authorization", &bearer(json!({})))]).await;
    let huge = "x".repeat(5 * 1024 * 1024);
    // Each of these would have a status of its own, had the request come in.
    for (path, headers, body) in [
        (stream.endpoint.as_str(), &[("Content-Type", "text/plain")][..], "{}"),
        ("/messages?sessionId=1", &[JSON], "no JSON"),
        ("/messages", &[JSON], PING),
        ("/nowhere", &[JSON, ("Accept", "nothing")], PING),
    ] {
        let refused = request(guarded.address, "POST", path, headers, body).await;
        assert_eq!(refused.status, 401, "{path} {headers:?}");
        assert_eq!(refused.header("connection"), Some("close"), "the body was not read");
    }
    // Said to be huge, and never sent.
    let head = [JSON, ("Content-Length", &*huge.len().to_string())];
    let refused = request(guarded.address, "PUT", &stream.endpoint, &head, "").await;
    assert_eq!(refused.status, 401, "{refused:?}");
}

#[tokio::test]
async fn browsers_are_told_before_they_are_asked() {
    const PAGE: &str = "https://app.test";
    let keys = json!({"type": "apikey", "options": {"keys": ["the-right-key"], "headerName": "X-Team-Key"}});
    for (auth, header, other) in
        [(jwt_auth(json!({})), "authorization", "x-team-key"), (keys, "x-team-key", "x-api-key")]
    {
        let guarded = Guarded::with(json!({"auth": auth, "cors": {"allowOrigins": [PAGE]}})).await;
        for path in ["/sse", "/messages", "/nowhere"] {
            let preflight = [("Origin", PAGE), ("Access-Control-Request-Method", "POST")];
            let answer = request(guarded.address, "OPTIONS", path, &preflight, "").await;
            assert_eq!((answer.status, answer.header("access-control-allow-origin")), (200, Some(PAGE)), "{path}");
            let allowed = answer.header("access-control-allow-headers").expect("headers").to_ascii_lowercase();
            let names: Vec<_> = allowed.split(',').map(str::trim).collect();
            for name in [header, "content-type", "accept", "mcp-protocol-version", "mcp-session-id", "last-event-id"] {
                assert!(names.contains(&name), "{name}: {allowed}");
            }
            assert!(!names.contains(&other) && !names.contains(&"*"), "{allowed}");
            // A page may read why it was refused.
            let refused = guarded.get(path, &[("Origin", PAGE)]).await;
            assert_eq!((refused.status, refused.header("access-control-allow-origin")), (401, Some(PAGE)), "{path}");
            let exposed = refused.header("access-control-expose-headers").expect("headers").to_ascii_lowercase();
            assert!(exposed.contains("www-authenticate") && exposed.contains("mcp-session-id"), "{exposed}");
            assert!(refused.header("vary").expect("a header").contains("origin"), "{refused:?}");
            assert_eq!(refused.header("access-control-allow-credentials"), None);
            // Other pages are refused before they are asked who they are.
            for page in ["https://evil.test", "null"] {
                assert_eq!(guarded.get(path, &[("Origin", page)]).await.status, 403, "{path} {page}");
            }
        }
    }
}

#[tokio::test]
async fn whose_tokens_are_taken_is_told_to_all() {
    const WELL_KNOWN: &str = "/.well-known/oauth-protected-resource";
    let provider = Provider::start().await;
    let options = json!({"issuerUrl": provider.issuer, "clientId": CLIENT.0, "clientSecret": CLIENT.1});
    let auth = json!({"type": "oauth", "options": options});
    for public in [None, Some("https://mcp.test/base")] {
        let guarded = Guarded::with(json!({"auth": auth, "publicUrl": public})).await;
        let url = public.map_or_else(|| format!("http://{}", guarded.address), str::to_owned);
        let own = format!("localhost:{}", guarded.address.port());
        let forwarded = [("Host", &*own), ("X-Forwarded-Host", "evil.test"), ("Forwarded", "host=evil.test")];
        for (path, endpoint) in [(WELL_KNOWN, "/sse"), (&*format!("{WELL_KNOWN}/sse"), "/sse")] {
            for headers in [&[][..], &forwarded] {
                let answer = guarded.get(path, headers).await;
                assert_eq!(answer.status, 200, "{path}: {answer:?}");
                assert_eq!(answer.header("access-control-allow-origin"), Some("*"), "pages of any origin may read it");
                let document: Value = serde_json::from_str(&answer.body).expect("JSON");
                assert_eq!(document["resource"], format!("{url}{endpoint}"), "{path} {headers:?}");
                assert_eq!(document["authorization_servers"], json!([provider.issuer]));
            }
        }
        // The challenge leads there.
        let refused = guarded.get("/sse", &forwarded).await;
        let origin = url.trim_end_matches("/base");
        let named = format!("resource_metadata=\"{origin}{WELL_KNOWN}{}/sse\"", &url[origin.len()..]);
        assert!(refused.header("www-authenticate").expect("a challenge").contains(&named), "{refused:?}");
    }
}

#[tokio::test]
async fn ids_of_sessions_are_nobodys_choice() {
    let guarded = Guarded::jwt().await;
    let right = bearer(json!({}));
    let wish = "0123456789abcdef0123456789abcdef";
    let mut ids = std::collections::HashSet::new();
    for _ in 0..50 {
        let headers = [("Authorization", &*right), ("Mcp-Session-Id", wish)];
        let stream = EventStream::open_with(guarded.address, &format!("/sse?sessionId={wish}"), &headers).await;
        let id = stream.endpoint.strip_prefix("/messages?sessionId=").expect("an id").to_owned();
        // 128 bits, hexadecimal.
        assert!(id.len() == 32 && id.bytes().all(|byte| byte.is_ascii_hexdigit()), "{id}");
        assert!(id != wish && ids.insert(id.clone()), "{id}");
    }
    for position in 0..32 {
        let digits: std::collections::HashSet<_> = ids.iter().map(|id| id.as_bytes()[position]).collect();
        assert!(digits.len() > 4, "the digit at {position} is no accident: {ids:?}");
    }
}
