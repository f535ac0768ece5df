//! Nothing that a server writes holds a secret: not its log at the most verbose level, not its answers, whatever becomes
//! of a request, and not what it says when it does not start.

use std::{net::SocketAddr, process::Stdio, sync::Mutex};

use mcp_test_support::{
    PATIENCE,
    http::{EventStream, request},
    identity::{CLIENT, Provider, hmac_signed, now, over},
    schema::Shared,
};
use serde_json::json;
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    net::TcpStream,
    process::{Child, Command},
    task::JoinHandle,
    time::timeout,
};

use super::{JSON, PING, call, claims, initialize};

/// A server's process, and all that it said so far by its answers.
struct Process {
    child: Child,
    address: SocketAddr,
    output: JoinHandle<String>,
    said: Mutex<String>,
}

fn command(arguments: &[&str], variables: &[(&str, &str)]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_guarded"));
    command.args(arguments).envs(variables.iter().copied()).kill_on_drop(true);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

impl Process {
    async fn start(variables: &[(&str, &str)]) -> Self {
        let mut child = command(&["--port", "0"], variables).spawn().expect("a process");
        let mut stdout = child.stdout.take().expect("piped");
        let mut stderr = BufReader::new(child.stderr.take().expect("piped"));
        let mut said = String::new();
        let address = loop {
            let before = said.len();
            let read = timeout(PATIENCE, stderr.read_line(&mut said)).await.expect("a line in time");
            assert!(read.expect("UTF-8") > 0, "it ended: {said}");
            if let Some(address) = said[before..].trim_end().strip_prefix("listening on http://") {
                break address.parse().expect("an address");
            }
        };
        // Read all the time, so that no pipe is ever full.
        let output = tokio::spawn(async move {
            let mut printed = String::new();
            let (errors, out) = tokio::join!(stderr.read_to_string(&mut said), stdout.read_to_string(&mut printed));
            errors.and(out).expect("UTF-8");
            said + &printed
        });
        Self { child, address, output, said: Mutex::default() }
    }

    fn note(&self, text: &str) {
        self.said.lock().expect("not poisoned").push_str(text);
    }

    async fn ask(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) {
        let answer = request(self.address, method, path, headers, body).await;
        self.note(&format!("{} {:?} {}\n", answer.status, answer.headers, answer.body));
    }

    /// Sends bytes as they are, and notes what comes back until the connection ends.
    async fn send(&self, bytes: &str) {
        let mut connection = TcpStream::connect(self.address).await.expect("a listener");
        connection.write_all(bytes.as_bytes()).await.expect("a server that reads");
        connection.shutdown().await.expect("a connection");
        let mut answer = Vec::new();
        timeout(PATIENCE, connection.read_to_end(&mut answer)).await.expect("an end in time").expect("an answer");
        let answer = String::from_utf8_lossy(&answer);
        if let Some((_, body)) = answer.split_once("\r\n\r\n").filter(|(_, body)| !body.is_empty()) {
            Shared::default().observe_refusal(body);
        }
        self.note(&answer);
    }

    /// Tries a credential at every place where one could be thought of.
    async fn try_everywhere(&self, credential: &str) {
        let bearer = format!("Bearer {credential}");
        let authorization = ("Authorization", bearer.as_str());
        let in_query = |name: &str| format!("/sse?{name}={credential}");
        for (path, headers) in [
            ("/sse", vec![authorization, authorization]),
            ("/sse", vec![("X-API-Key", credential), ("X-API-Key", credential)]),
            ("/sse", vec![("Authorization", &*format!("{bearer} {bearer}"))]),
            ("/sse", vec![("Authorization", &*format!("Basic {credential}"))]),
            ("/sse", vec![("Cookie", credential), ("Mcp-Session-Id", credential), ("Last-Event-ID", credential)]),
            ("/sse", vec![authorization, ("Origin", &*format!("http://{credential}.test"))]),
            ("/sse", vec![authorization, ("Host", "evil.test")]),
            ("/sse", vec![authorization, ("Accept", credential)]),
            (&*format!("/{credential}"), vec![authorization, ("X-API-Key", credential)]),
            (&*in_query("access_token"), vec![]),
            // Wrong in the header, so that the query does not open it.
            (&*in_query("key"), vec![("X-API-Key", "wrong")]),
            (&*format!("{}&key={credential}", in_query("key")), vec![]),
            (&*format!("/health?key={credential}"), vec![]),
        ] {
            // The same at the other endpoint.
            let streamable = path.replacen("/sse", "/mcp", 1);
            for path in [path, streamable.as_str()] {
                self.ask("GET", path, &headers, "").await;
                self.ask("DELETE", path, &headers, "").await;
                self.ask("POST", path, &[&headers[..], &[JSON]].concat(), PING).await;
            }
        }
        let session = format!("/messages?sessionId={credential}&key={credential}");
        self.ask("POST", &session, &[authorization, JSON], PING).await;
        self.ask("POST", "/messages?sessionId=1", &[authorization, ("Content-Type", credential)], PING).await;
        self.ask("POST", "/messages?sessionId=1", &[authorization, JSON], &format!("{{{credential}")).await;
        // What no client would send, as far as it can be read.
        let head = format!("Host: {}\r\n{}: {bearer}\r\nX-API-Key: {credential}\r\n", self.address, authorization.0);
        for bytes in [
            format!("GET /sse?key={credential} HTTP/3.0\r\n{head}\r\n"),
            format!("{credential} / HTTP/1.1\r\n{head}\r\n"),
            format!("GET /sse?key={credential} HTTP/1.1\r\n{head}Content-Length: +1\r\n\r\n"),
            format!("GET /sse HTTP/1.1\r\n{head}X-API-Key : {credential}\r\n\r\n"),
            format!("GET /sse?key={credential}{} HTTP/1.1\r\n{head}\r\n", "x".repeat(9_000)),
            format!("GET /sse HTTP/1.1\r\n{head}X: {}\r\n\r\n", "x".repeat(40_000)),
            format!("GET /sse?key={credential} HTTP/1.1\r\n{head}"),
            format!("POST /messages?key={credential} HTTP/1.1\r\n{head}Content-Length: 9\r\n\r\n{{"),
        ] {
            self.send(&bytes).await;
        }
    }

    /// Holds a conversation with a credential that is right.
    async fn converse(&self, query: &str, headers: &[(&str, &str)]) {
        let mut stream = EventStream::open_with(self.address, &format!("/sse{query}"), headers).await;
        let endpoint = stream.endpoint.clone();
        // By contract that one event carries the query's credential on.
        assert_eq!(endpoint.contains("key="), !query.is_empty());
        self.note(&format!("{:?} {}\n", stream.headers(), if query.is_empty() { &endpoint } else { "" }));
        let all = [headers, &[JSON]].concat();
        for message in [initialize(), call("who"), call("admin"), call("boom"), call("none")] {
            let answer = request(self.address, "POST", &endpoint, &all, &message.to_string()).await;
            self.note(&format!("{} {:?} {}\n", answer.status, answer.headers, answer.body));
            if answer.status == 202 {
                self.note(&stream.message().await);
            }
        }
        self.ask("POST", &endpoint, &[headers, &[("Content-Type", "text/plain")]].concat(), PING).await;
        if query.is_empty() {
            let begun = request(self.address, "POST", "/mcp", &all, &initialize().to_string()).await;
            self.note(&format!("{} {:?} {}\n", begun.status, begun.headers, begun.body));
            let session = begun.header("mcp-session-id").expect("a session");
            let all = [&all[..], &[("Mcp-Session-Id", session)]].concat();
            for message in [call("who"), call("admin"), call("boom"), call("none")] {
                self.ask("POST", "/mcp", &all, &message.to_string()).await;
            }
            self.ask("DELETE", "/mcp", &all, "").await;
        }
        self.ask("POST", &endpoint, &all, "no JSON").await;
    }

    /// Ends it, and gives all that it ever wrote.
    async fn end(mut self) -> String {
        let id = self.child.id().expect("a process that runs").to_string();
        assert!(std::process::Command::new("kill").arg(id).status().expect("kill").success());
        let end = timeout(PATIENCE, self.child.wait()).await.expect("an end in time").expect("a status");
        assert!(end.success(), "{end}");
        let output = timeout(PATIENCE, self.output).await.expect("an end in time").expect("all of it");
        for posture in ["/messages", ": every request needs ", "/health: open to everybody"] {
            assert!(output.contains(posture), "it says what is guarded, and what is not: {output}");
        }
        output + &self.said.into_inner().expect("not poisoned")
    }
}

/// Nothing of these stands in the text, in any form in which it might get there.
fn check(text: &str, secrets: &[&str]) {
    for secret in secrets {
        let bytes = format!("{:?}", secret.as_bytes());
        let escaped: String = secret.bytes().map(|byte| format!("%{byte:02X}")).collect();
        let encoded = secret.replace('%', "%25").replace('+', "%2B").replace('/', "%2F").replace('=', "%3D");
        let hexadecimal: String = secret.bytes().map(|byte| format!("{byte:02x}")).collect();
        // A JWT's signature alone gives it away as well.
        let signature = secret.rsplit('.').next().expect("one part at least");
        for form in [secret, &*encoded, &*escaped, &*hexadecimal, signature, bytes.trim_matches(['[', ']'])] {
            assert!(form.len() >= 8, "too short to look for: {form}");
            let line = text.lines().find(|line| line.contains(form));
            assert_eq!(line, None, "it holds {form}");
        }
    }
}

#[tokio::test]
async fn of_tokens() {
    const SECRET: &str = "hunter2-hunter2-hunter2-hunter2-hunter2";
    let signed = |more| hmac_signed("HS256", SECRET, &claims(&more));
    let right = signed(json!({}));
    let tokens = [
        right.clone(),
        signed(json!({"exp": 1})),
        signed(json!({"aud": "other"})),
        hmac_signed("HS256", "another-secret-of-thirty-two-bytes", &claims(&json!({}))),
        hmac_signed("HS512", SECRET, &claims(&json!({}))),
        "guessed-token".to_owned(),
        // Taken for one.
        SECRET.to_owned(),
    ];
    let variables = [
        ("MCP_JWT_ALGORITHMS", "HS256"),
        ("MCP_JWT_SECRET", SECRET),
        ("MCP_JWT_ISSUER", super::ISSUER),
        ("MCP_JWT_AUDIENCE", "mcp"),
    ];
    let process = Process::start(&variables).await;
    for token in &tokens {
        process.try_everywhere(token).await;
    }
    process.converse("", &[("Authorization", &format!("Bearer {right}"))]).await;
    let all = process.end().await;
    check(&all, &tokens.each_ref().map(String::as_str));
}

#[tokio::test]
async fn of_keys() {
    let folder = std::env::temp_dir().join(format!("mcp-secrets-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let file = folder.join("keys");
    let keys = ["first-key/0123456789+%41", "second-key-abcdefghijk"];
    std::fs::write(&file, keys.join("\n")).expect("a file");
    let variables = [
        ("MCP_AUTH", "apikey"),
        ("MCP_API_KEYS_FILE", file.to_str().expect("UTF-8")),
        ("MCP_API_KEY_QUERY_PARAM", "key"),
    ];
    let process = Process::start(&variables).await;
    std::fs::remove_dir_all(&folder).expect("a folder");
    for key in ["first-key%2F0123456789%2B%2541", keys[0], keys[1], "guessed-key-zyxwvuts"] {
        process.try_everywhere(key).await;
    }
    for key in keys {
        process.converse("", &[("X-API-Key", key)]).await;
    }
    process.converse("?key=first-key%2F0123456789%2B%2541", &[]).await;
    process.converse("?key=second-key-abcdefghijk", &[]).await;
    let all = process.end().await;
    check(&all, &[keys[0], keys[1], "first-key%2F0123456789%2B%2541", "guessed-key-zyxwvuts"]);
}

#[tokio::test]
async fn of_a_provider() {
    let provider = Provider::start().await;
    let other = Provider::start().await;
    let claims = claims(&json!({"iss": provider.issuer}));
    let opaque = provider.opaque("opaque-token-0123456789", over(claims.clone(), &json!({"active": true})));
    let jwt = provider.jwt(&claims);
    let tokens = [
        jwt.clone(),
        opaque.clone(),
        other.jwt(&claims),
        provider.opaque("late-token-0123456789", json!({"active": true, "exp": now() - 9})),
        "guessed-token-9876543210".to_owned(),
    ];
    let variables = [
        ("MCP_AUTH", "oauth"),
        ("MCP_OAUTH_ISSUER_URL", &*provider.issuer),
        ("MCP_OAUTH_CLIENT_ID", CLIENT.0),
        ("MCP_OAUTH_CLIENT_SECRET", CLIENT.1),
        ("MCP_OAUTH_AUDIENCE", "mcp"),
    ];
    let process = Process::start(&variables).await;
    for token in &tokens {
        process.try_everywhere(token).await;
    }
    for token in [&jwt, &opaque] {
        process.converse("", &[("Authorization", &format!("Bearer {token}"))]).await;
    }
    // With a provider that is gone, there is more to say.
    drop(provider);
    for token in ["unheard-token-0123456789", &*jwt] {
        process.ask("GET", "/sse", &[("Authorization", &format!("Bearer {token}"))], "").await;
    }
    let all = process.end().await;
    assert!(all.contains("503 ") && all.contains("the provider cannot be asked"), "{all}");
    check(&all, &tokens.each_ref().map(String::as_str));
    check(&all, &[CLIENT.1, "unheard-token-0123456789", &basic()]);
}

/// What stands behind `Basic` in a question to the provider.
fn basic() -> String {
    use base64::{Engine as _, engine::general_purpose::STANDARD};

    STANDARD.encode(format!("{}:{}", CLIENT.0, CLIENT.1))
}

#[tokio::test]
async fn of_a_start_that_fails() {
    const SECRET: &str = "hunter2 hunter2";
    let folder = std::env::temp_dir().join(format!("mcp-no-start-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let file = folder.join("options.json");
    let path = file.to_str().expect("UTF-8");
    let secret = SECRET.to_owned();
    let file_of =
        |auth: serde_json::Value| json!({"transport": {"type": "sse", "options": {"auth": auth}}}).to_string();
    type Case<'c> = (&'c [&'c str], &'c [(&'c str, &'c str)], String);
    let table: [Case<'_>; 11] = [
        (&[], &[("MCP_JWT_ALGORITHMS", "HS256"), ("MCP_JWT_SECRET", SECRET)], String::new()),
        (&[], &[("MCP_JWT_ALGORITHMS", SECRET), ("MCP_JWT_SECRET", SECRET)], String::new()),
        (&[], &[("MCP_JWT_SECRET", SECRET), ("MCP_JWT_SECRET_FILE", path)], String::new()),
        (&[], &[("MCP_AUTH", "apikey"), ("MCP_API_KEYS", SECRET)], String::new()),
        (&[], &[("MCP_AUTH", SECRET)], String::new()),
        (&["--jwt-secret", SECRET], &[], String::new()),
        (&["--jwt-secret=hunter2 hunter2"], &[], String::new()),
        (&["--api-keys=hunter2 hunter2"], &[("MCP_AUTH", "apikey")], String::new()),
        (&["--config", path], &[], file_of(json!({"type": "jwt", "options": {"secrets": SECRET}}))),
        (&["--config", path], &[], format!("{{\"secret\": {secret}")),
        (&["--config", path], &[], file_of(json!({"type": "oauth", "options": {"clientSecret": [SECRET]}}))),
    ];
    for (arguments, variables, text) in table {
        std::fs::write(&file, &text).expect("a file");
        let ended = timeout(PATIENCE, command(arguments, variables).output()).await.expect("an end in time");
        let ended = ended.expect("a process");
        let said = String::from_utf8_lossy(&[ended.stdout, ended.stderr].concat()).into_owned();
        assert_eq!(ended.status.code(), Some(1), "{arguments:?} {variables:?}: {said}");
        assert!(said.contains("Error: "), "{said}");
        check(&said, &[SECRET]);
        assert!(!said.contains("hunter2"), "{arguments:?} {variables:?}: {said}");
    }
    std::fs::remove_dir_all(&folder).expect("a folder");
}
