//! Credentials for tests: tokens that say anything, and a provider on this machine that vouches for them.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
    time::{SystemTime, UNIX_EPOCH},
};

use aws_lc_rs::{
    encoding::AsDer as _,
    hmac,
    rand::SystemRandom,
    signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair as _},
};
use base64::{
    Engine as _,
    engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD},
};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    sync::watch,
    task::{AbortHandle, JoinSet},
    time::timeout,
};

use crate::PATIENCE;

/// Seconds since 1970.
pub fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).expect("a clock that is right").as_secs()
}

/// An object with members over it; `null` takes one out.
pub fn over(mut object: Value, more: &Value) -> Value {
    for (name, value) in more.as_object().expect("an object") {
        if value.is_null() {
            object.as_object_mut().expect("an object").remove(name);
        } else {
            object[name] = value.clone();
        }
    }
    object
}

/// A JWT signed with that secret by HS256, or by HS512 where the algorithm says so.
pub fn hmac_signed(algorithm: &str, secret: &str, claims: &Value) -> String {
    let hash = if algorithm == "HS512" { hmac::HMAC_SHA512 } else { hmac::HMAC_SHA256 };
    let key = hmac::Key::new(hash, secret.as_bytes());
    signed(&json!({"alg": algorithm, "typ": "JWT"}), claims, |message| hmac::sign(&key, message).as_ref().to_vec())
}

fn signed(header: &Value, claims: &Value, sign: impl FnOnce(&[u8]) -> Vec<u8>) -> String {
    let encoded = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
    let message = format!("{}.{}", encoded(header), encoded(claims));
    let signature = URL_SAFE_NO_PAD.encode(sign(message.as_bytes()));
    format!("{message}.{signature}")
}

/// Who may ask the provider about tokens, and with which secret.
pub const CLIENT: (&str, &str) = ("resource-server", "introspector-secret-0123456789");

/// An issuer of tokens: discovered, with a published key, and with an answer to questions about opaque tokens.
#[derive(Debug)]
pub struct Provider {
    /// Its URL.
    pub issuer: String,
    key: EcdsaKeyPair,
    opaque: Arc<Mutex<HashMap<String, Value>>>,
    /// How many questions are open that it does not answer yet.
    hanging: watch::Receiver<usize>,
    answers: watch::Sender<bool>,
    serving: AbortHandle,
}

impl Provider {
    /// A provider with a key of its own.
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let issuer = format!("http://{}", listener.local_addr().expect("an address"));
        let key = EcdsaKeyPair::generate(&ECDSA_P256_SHA256_FIXED_SIGNING).expect("a key");
        let (x, y) = key.public_key().as_ref()[1..].split_at(32);
        let encoded = |bytes: &[u8]| URL_SAFE_NO_PAD.encode(bytes);
        let jwk = json!({"kty": "EC", "crv": "P-256", "kid": "one", "x": encoded(x), "y": encoded(y)});
        let (hangs, hanging) = watch::channel(0);
        let (answers, all) = watch::channel(false);
        let site = Arc::new(Site {
            discovery: json!({"issuer": issuer, "jwks_uri": format!("{issuer}/jwks"),
                "introspection_endpoint": format!("{issuer}/introspect")}),
            keys: json!({ "keys": [jwk] }),
            opaque: Arc::default(),
            hangs,
            all,
        });
        let opaque = Arc::clone(&site.opaque);
        let serving = tokio::spawn(async move {
            let mut connections = JoinSet::new();
            while let Ok((stream, _)) = listener.accept().await {
                connections.spawn(Arc::clone(&site).serve(stream));
            }
        });
        Self { issuer, key, opaque, hanging, answers, serving: serving.abort_handle() }
    }

    /// A JWT with its signature.
    pub fn jwt(&self, claims: &Value) -> String {
        let header = json!({"alg": "ES256", "typ": "at+jwt", "kid": "one"});
        let sign =
            |message: &[u8]| self.key.sign(&SystemRandom::new(), message).expect("a signature").as_ref().to_vec();
        signed(&header, claims, sign)
    }

    /// An opaque token, of which it says this; without `active` it does not answer questions about it until
    /// it is told to.
    pub fn opaque(&self, token: &str, answer: Value) -> String {
        self.opaque.lock().expect("not poisoned").insert(token.to_owned(), answer);
        token.to_owned()
    }

    /// Its public key, as PEM.
    pub fn pem(&self) -> String {
        let key = STANDARD.encode(self.key.public_key().as_der().expect("a key").as_ref());
        format!("-----BEGIN PUBLIC KEY-----\n{key}\n-----END PUBLIC KEY-----\n")
    }

    /// Answers what it has not answered yet: that the token is none.
    pub fn answer_all(&self) {
        self.answers.send_replace(true);
    }

    /// Waits until so many questions are open that it does not answer.
    pub async fn hangs(&self, questions: usize) {
        let mut hanging = self.hanging.clone();
        let open = timeout(PATIENCE, hanging.wait_for(|open| *open == questions)).await;
        open.expect("as many questions in time").expect("a provider that runs");
    }
}

impl Drop for Provider {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

/// What it has to say.
struct Site {
    discovery: Value,
    keys: Value,
    opaque: Arc<Mutex<HashMap<String, Value>>>,
    hangs: watch::Sender<usize>,
    /// Whether it answers everything by now.
    all: watch::Receiver<bool>,
}

impl Site {
    /// Answers one request.
    async fn serve(self: Arc<Self>, mut stream: TcpStream) {
        let Some(request) = read(&mut stream).await else { return };
        let path = request.split(' ').nth(1).unwrap_or_default();
        let (status, body) = match path {
            "/.well-known/oauth-authorization-server" => ("200 OK", self.discovery.clone()),
            "/jwks" => ("200 OK", self.keys.clone()),
            "/introspect" => match self.judge(&request) {
                Some(answer) if answer["active"].is_null() => {
                    self.hangs.send_modify(|open| *open += 1);
                    let _ = self.all.clone().wait_for(|all| *all).await;
                    ("200 OK", json!({"active": false}))
                }
                Some(answer) => ("200 OK", answer),
                None => ("401 Unauthorized", json!({"error": "invalid_client"})),
            },
            _ => ("404 Not Found", json!({})),
        };
        let body = body.to_string();
        let head = format!("HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {}", body.len());
        let _ = stream.write_all(format!("{head}\r\nconnection: close\r\n\r\n{body}").as_bytes()).await;
    }

    /// What it says of the token in a question; nothing to a client that it does not know.
    fn judge(&self, request: &str) -> Option<Value> {
        let credentials = STANDARD.encode(format!("{}:{}", CLIENT.0, CLIENT.1));
        request.contains(&format!("Basic {credentials}\r\n")).then_some(())?;
        let token = request.rsplit_once("\r\n\r\n")?.1.split('&').find_map(|pair| pair.strip_prefix("token="))?;
        let answer = self.opaque.lock().expect("not poisoned").get(token).cloned();
        Some(answer.unwrap_or_else(|| json!({"active": false})))
    }
}

/// A request with its body; none where the client went away.
async fn read(stream: &mut TcpStream) -> Option<String> {
    let mut request = Vec::new();
    loop {
        let mut buffer = [0; 4096];
        let read = stream.read(&mut buffer).await.ok().filter(|read| *read > 0)?;
        request.extend_from_slice(&buffer[..read]);
        let text = String::from_utf8_lossy(&request);
        let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
        if body.len() >= length.map_or(0, |length| length.parse().unwrap_or(0)) {
            return Some(text.into_owned());
        }
    }
}
