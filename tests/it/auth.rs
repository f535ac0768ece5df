//! The guarded listener from outside: every credential at every endpoint, sessions and their owners, scopes.

use mcp_runtime::{Claims, Principal, prelude::*};
use mcp_test_support::http::{Answer, EventStream, request};
use serde_json::{Value, json};

// Signed by HMAC-SHA256 under SECRET; those that expire do so in 2100.
const SECRET: &str = "0123456789abcdef0123456789abcdef";
const RIGHT: &str = "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJpc3MiOiJodHRwczovL2lkcC50ZXN0IiwiYXVkIjoibWNwIiwic3ViIjoiYWRhIiwiYXpwIjoiZGVzayIsImV4cCI6NDEwMjQ0NDgwMCwic2NvcGUiOiJyZWFkIn0.Xwkfh9nDumDTv__3_qlwWg5aiYJb7JSRJqUnhN7d_oI";
const OTHER: &str = "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJpc3MiOiJodHRwczovL2lkcC50ZXN0IiwiYXVkIjoibWNwIiwic3ViIjoiZXZlIiwiYXpwIjoiZGVzayIsImV4cCI6NDEwMjQ0NDgwMCwic2NvcGUiOiJyZWFkIn0.8MXmGFGAihKFVVeyuqWR1SktR3TRDi6rSxFbkfzbYt8";
const ADMIN: &str = "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJpc3MiOiJodHRwczovL2lkcC50ZXN0IiwiYXVkIjoibWNwIiwic3ViIjoiYWRhIiwiYXpwIjoiZGVzayIsImV4cCI6NDEwMjQ0NDgwMCwic2NvcGUiOiJyZWFkIGFkbWluIn0.zDzJpfsddWHI2f9Qwx_gsktqCXl7yGkTZVH2aAWnPis";
const EXPIRED: &str = "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJpc3MiOiJodHRwczovL2lkcC50ZXN0IiwiYXVkIjoibWNwIiwic3ViIjoiYWRhIiwiYXpwIjoiZGVzayIsImV4cCI6MSwic2NvcGUiOiJyZWFkIn0.LJNS47Z9zNqGYqL0OcPm2BiYVt1Dw3FkypVlYUlOQSU";
const EARLY: &str = "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJpc3MiOiJodHRwczovL2lkcC50ZXN0IiwiYXVkIjoibWNwIiwic3ViIjoiYWRhIiwiYXpwIjoiZGVzayIsImV4cCI6NDEwMjQ0NDgwMCwic2NvcGUiOiJyZWFkIiwibmJmIjo0MTAyNDQ0NzAwfQ.ywzdiWOGTP8_jzG3f-gqYIekwTllyNTrNLEatU6rkbc";
const WRONG_ISSUER: &str = "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJpc3MiOiJodHRwczovL2V2aWwudGVzdCIsImF1ZCI6Im1jcCIsInN1YiI6ImFkYSIsImF6cCI6ImRlc2siLCJleHAiOjQxMDI0NDQ4MDAsInNjb3BlIjoicmVhZCJ9.2Y1TUlXnsy47Pbm0tZX6rK_p_acA3HI2vL0eDzPJ42I";
const WRONG_AUDIENCE: &str = "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJpc3MiOiJodHRwczovL2lkcC50ZXN0IiwiYXVkIjoib3RoZXIiLCJzdWIiOiJhZGEiLCJhenAiOiJkZXNrIiwiZXhwIjo0MTAyNDQ0ODAwLCJzY29wZSI6InJlYWQifQ.eyhW0hgaG97GyiLX3taezmk2H4isVZyR1EWEg4AzeAc";
const WITHOUT_EXPIRY: &str = "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJpc3MiOiJodHRwczovL2lkcC50ZXN0IiwiYXVkIjoibWNwIiwic3ViIjoiYWRhIiwiYXpwIjoiZGVzayIsInNjb3BlIjoicmVhZCJ9.rI9pmZK5fI6ebHU1BxnMxd_TTLYsVAV9-NRZRV26Bs0";
const FORGED: &str = "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJpc3MiOiJodHRwczovL2lkcC50ZXN0IiwiYXVkIjoibWNwIiwic3ViIjoiYWRhIiwiYXpwIjoiZGVzayIsImV4cCI6NDEwMjQ0NDgwMCwic2NvcGUiOiJyZWFkIn0.YmaAacSuErciPtDqDIpoQ2VXIdY4PgxJ97VQvYVhtgg";
const UNSIGNED: &str = "eyJhbGciOiJub25lIn0.eyJpc3MiOiAiaHR0cHM6Ly9pZHAudGVzdCIsICJhdWQiOiAibWNwIiwgInN1YiI6ICJhZGEiLCAiYXpwIjogImRlc2siLCAiZXhwIjogNDEwMjQ0NDgwMCwgInNjb3BlIjogInJlYWQifQ.";

const JSON: (&str, &str) = ("Content-Type", "application/json");
const PING: &str = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;

#[derive(serde::Deserialize)]
struct Azp {
    azp: String,
}

/// Says who calls
#[mcp_tool]
fn who(principal: Principal, claims: Claims<Azp>) -> String {
    format!("{} {} {}", principal.method(), principal.subject().unwrap_or_default(), claims.0.azp)
}

/// For administrators
#[mcp_tool(scopes("admin"))]
fn admin() -> &'static str {
    "administrated"
}

/// A running server that authenticates, with a handle that stops it when it is dropped.
struct Guarded {
    address: std::net::SocketAddr,
    handle: mcp_runtime::Handle,
}

impl Guarded {
    async fn start(auth: Value) -> Self {
        let options: ServerOptions = serde_json::from_value(json!({
            "name": "guarded",
            "transport": {"type": "sse", "options": {"port": 0, "auth": auth}},
        }))
        .expect("options");
        let bound = McpServer::new(options).tool::<who>().tool::<admin>().bind().await.expect("a server that starts");
        let guarded = Self { address: bound.local_addr().expect("a listener"), handle: bound.handle() };
        tokio::spawn(bound.serve());
        guarded
    }

    async fn jwt() -> Self {
        let options =
            json!({"algorithms": ["HS256"], "secret": SECRET, "issuer": "https://idp.test", "audience": "mcp"});
        Self::start(json!({"type": "jwt", "options": options})).await
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
}

impl Drop for Guarded {
    fn drop(&mut self) {
        self.handle.shut_down();
    }
}

fn bearer(token: &str) -> String {
    format!("Bearer {token}")
}

#[tokio::test]
async fn every_credential_at_every_endpoint() {
    let guarded = Guarded::jwt().await;
    let right = bearer(RIGHT);
    let stream = EventStream::open_with(guarded.address, "/sse", &[("Authorization", &right)]).await;
    let huge = "x".repeat(20_000);
    for (name, token, error) in [
        ("none", None, None),
        ("malformed", Some("x.y"), Some("invalid_token")),
        ("empty", Some(""), Some("invalid_token")),
        ("forged", Some(FORGED), Some("invalid_token")),
        ("unsigned", Some(UNSIGNED), Some("invalid_token")),
        ("expired", Some(EXPIRED), Some("invalid_token")),
        ("too early", Some(EARLY), Some("invalid_token")),
        ("wrong issuer", Some(WRONG_ISSUER), Some("invalid_token")),
        ("wrong audience", Some(WRONG_AUDIENCE), Some("invalid_token")),
        ("without expiry", Some(WITHOUT_EXPIRY), Some("invalid_token")),
        ("huge", Some(huge.as_str()), Some("invalid_token")),
    ] {
        let value = token.map(bearer);
        let headers: Vec<_> = value.iter().map(|value| ("Authorization", value.as_str())).collect();
        let get = guarded.get("/sse", &headers).await;
        let post = guarded.post(&stream.endpoint, &headers, PING).await;
        let nowhere = guarded.get("/nowhere", &headers).await;
        for answer in [get, post, nowhere] {
            assert_eq!(answer.status, 401, "{name}: {answer:?}");
            let challenge = answer.header("www-authenticate").expect("a challenge");
            assert!(challenge.starts_with("Bearer"), "{name}: {challenge}");
            match error {
                Some(error) => assert!(challenge.contains(&format!("error=\"{error}\"")), "{name}: {challenge}"),
                None => assert!(!challenge.contains("error"), "{name}: {challenge}"),
            }
            let body: Value = serde_json::from_str(&answer.body).expect("a JSON body");
            assert_eq!(body["error"]["code"], -32600, "{name}: {body}");
            assert!(!answer.body.contains("eyJ"), "{name}: nothing of the token comes back: {answer:?}");
        }
    }
    assert_eq!(guarded.post(&stream.endpoint, &[("Authorization", &right)], PING).await.status, 202);
    assert_eq!(guarded.get("/health", &[]).await.status, 200);
    assert_eq!(guarded.get("/nowhere", &[("Authorization", &right)]).await.status, 404);
}

#[tokio::test]
async fn a_session_is_its_owners_alone() {
    let guarded = Guarded::jwt().await;
    let (right, other, admin) = (bearer(RIGHT), bearer(OTHER), bearer(ADMIN));
    let mut stream = EventStream::open_with(guarded.address, "/sse", &[("Authorization", &right)]).await;
    let strange = guarded.post(&stream.endpoint, &[("Authorization", &other)], PING).await;
    let unknown = stream.endpoint.replace("sessionId=", "sessionId=x");
    let unknown = guarded.post(&unknown, &[("Authorization", &other)], PING).await;
    assert_eq!((strange.status, &strange.body), (404, &unknown.body), "to others it does not exist");
    // The same principal with another token goes on.
    assert_eq!(guarded.post(&stream.endpoint, &[("Authorization", &admin)], PING).await.status, 202);
    assert!(stream.message().await.contains(r#""id":1"#));
}

#[tokio::test]
async fn handlers_know_who_calls_and_scopes_are_asked_for() {
    let guarded = Guarded::jwt().await;
    let (right, admin) = (bearer(RIGHT), bearer(ADMIN));
    let mut stream = EventStream::open_with(guarded.address, "/sse", &[("Authorization", &right)]).await;
    let initialize =
        json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": "2025-06-18"}});
    let call =
        |tool: &str| json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": tool}}).to_string();
    let endpoint = stream.endpoint.clone();
    guarded.post(&endpoint, &[("Authorization", &right)], &initialize.to_string()).await;
    stream.message().await;
    assert_eq!(guarded.post(&endpoint, &[("Authorization", &right)], &call("who")).await.status, 202);
    assert!(stream.message().await.contains("jwt ada desk"));

    let refused = guarded.post(&endpoint, &[("Authorization", &right)], &call("admin")).await;
    assert_eq!(refused.status, 403, "{refused:?}");
    let challenge = refused.header("www-authenticate").expect("a challenge");
    assert!(challenge.contains("error=\"insufficient_scope\"") && challenge.contains("scope=\"admin\""), "{challenge}");
    let body: Value = serde_json::from_str(&refused.body).expect("a JSON body");
    assert_eq!((&body["id"], &body["error"]["code"]), (&json!(7), &json!(-32600)), "{body}");
    assert_eq!(guarded.post(&endpoint, &[("Authorization", &admin)], &call("admin")).await.status, 202);
    assert!(stream.message().await.contains("administrated"));
}

#[tokio::test]
async fn a_key_opens_by_header_and_where_it_is_told_by_query() {
    let options = json!({"keys": ["first-key", {"id": "second", "key": "second-key"}], "queryParam": "key"});
    let guarded = Guarded::start(json!({"type": "apikey", "options": options})).await;
    for headers in [&[][..], &[("X-API-Key", "wrong")], &[("Authorization", "Bearer first-key")]] {
        let answer = guarded.get("/sse", headers).await;
        assert_eq!(answer.status, 401, "{headers:?}: {answer:?}");
        assert!(answer.header("www-authenticate").expect("a challenge").contains("X-API-Key"), "{answer:?}");
    }
    let by_header = EventStream::open_with(guarded.address, "/sse", &[("X-API-Key", "first-key")]).await;
    assert_eq!(guarded.post(&by_header.endpoint, &[("X-API-Key", "first-key")], PING).await.status, 202);
    assert_eq!(guarded.post(&by_header.endpoint, &[("X-API-Key", "second-key")], PING).await.status, 404);
    let with_query = format!("{}&key=first-key", by_header.endpoint);
    assert_eq!(guarded.post(&with_query, &[], PING).await.status, 401, "the query counts where it opened the stream");

    let by_query = EventStream::open_with(guarded.address, "/sse?key=second-key", &[]).await;
    assert!(by_query.endpoint.ends_with("&key=second-key"), "{}", by_query.endpoint);
    assert_eq!(guarded.post(&by_query.endpoint, &[], PING).await.status, 202);
    let wrong = guarded.get("/sse?key=second-key", &[("X-API-Key", "wrong")]).await;
    assert_eq!(wrong.status, 401, "a wrong header is refused whatever the query says");
}
