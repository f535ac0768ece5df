//! Authentication as a whole: keys that sign, servers that publish and answer, requests that ask to come in.

mod api_key;
mod attacks;
mod introspection;
mod jwt;
mod keys;
mod options;
mod provider;
mod published;
mod refusals;
mod repeated;
mod tls;

use std::{
    collections::HashMap,
    net::SocketAddr,
    sync::{
        Arc, Mutex, OnceLock,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use aws_lc_rs::{
    encoding::AsDer as _,
    hmac,
    rand::SystemRandom,
    rsa::KeySize,
    signature::{self, EcdsaKeyPair, Ed25519KeyPair, KeyPair as _, RsaKeyPair},
};
use base64::{
    Engine as _,
    engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD},
};
use http::request::Parts;
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpSocket},
};

use super::{clock::Clock, keys::element, *};
use crate::{limits::Limits, principal::Principal};

const SECRET: &str = "a secret of more than thirty-two bytes";
const ISSUER: &str = "https://idp.example";
const AUDIENCE: &str = "https://mcp.example";

/// What signs tokens.
enum Signer {
    Hmac(&'static str),
    Rsa(RsaKeyPair),
    Ec(EcdsaKeyPair),
    Ed(Ed25519KeyPair),
}

impl Signer {
    fn generate(algorithm: Algorithm) -> Self {
        let ec = |kind| Self::Ec(EcdsaKeyPair::generate(kind).unwrap());
        match algorithm {
            Algorithm::HS256 | Algorithm::HS384 | Algorithm::HS512 => Self::Hmac(SECRET),
            Algorithm::ES256 => ec(&signature::ECDSA_P256_SHA256_FIXED_SIGNING),
            Algorithm::ES384 => ec(&signature::ECDSA_P384_SHA384_FIXED_SIGNING),
            Algorithm::ES512 => ec(&signature::ECDSA_P521_SHA512_FIXED_SIGNING),
            Algorithm::EdDSA => Self::Ed(Ed25519KeyPair::generate().unwrap()),
            _ => Self::Rsa(RsaKeyPair::generate(KeySize::Rsa2048).unwrap()),
        }
    }

    /// A key of that kind which is made once, since RSA keys take their time.
    fn of(algorithm: Algorithm) -> &'static Self {
        static SIGNERS: [OnceLock<Signer>; 6] = [const { OnceLock::new() }; 6];
        let index = match algorithm {
            Algorithm::HS256 | Algorithm::HS384 | Algorithm::HS512 => 0,
            Algorithm::ES256 => 1,
            Algorithm::ES384 => 2,
            Algorithm::ES512 => 3,
            Algorithm::EdDSA => 4,
            _ => 5,
        };
        SIGNERS[index].get_or_init(|| Self::generate(algorithm))
    }

    fn sign(&self, algorithm: Algorithm, message: &[u8]) -> Vec<u8> {
        let random = SystemRandom::new();
        match self {
            Self::Hmac(secret) => {
                let hash = match algorithm {
                    Algorithm::HS256 => hmac::HMAC_SHA256,
                    Algorithm::HS384 => hmac::HMAC_SHA384,
                    _ => hmac::HMAC_SHA512,
                };
                hmac::sign(&hmac::Key::new(hash, secret.as_bytes()), message).as_ref().to_vec()
            }
            Self::Rsa(key) => {
                let padding: &dyn signature::RsaEncoding = match algorithm {
                    Algorithm::RS256 => &signature::RSA_PKCS1_SHA256,
                    Algorithm::RS384 => &signature::RSA_PKCS1_SHA384,
                    Algorithm::RS512 => &signature::RSA_PKCS1_SHA512,
                    Algorithm::PS256 => &signature::RSA_PSS_SHA256,
                    Algorithm::PS384 => &signature::RSA_PSS_SHA384,
                    _ => &signature::RSA_PSS_SHA512,
                };
                let mut bytes = vec![0; key.public_modulus_len()];
                key.sign(padding, &random, message, &mut bytes).unwrap();
                bytes
            }
            Self::Ec(key) => key.sign(&random, message).unwrap().as_ref().to_vec(),
            Self::Ed(key) => key.sign(message).as_ref().to_vec(),
        }
    }

    fn der(&self) -> Vec<u8> {
        match self {
            Self::Hmac(_) => Vec::new(),
            Self::Rsa(key) => key.public_key().as_der().unwrap().as_ref().to_vec(),
            Self::Ec(key) => key.public_key().as_der().unwrap().as_ref().to_vec(),
            Self::Ed(key) => key.public_key().as_der().unwrap().as_ref().to_vec(),
        }
    }

    fn pem(&self) -> String {
        let body = STANDARD.encode(self.der());
        let lines: Vec<_> = body.as_bytes().chunks(64).map(|line| std::str::from_utf8(line).unwrap()).collect();
        format!("-----BEGIN PUBLIC KEY-----\n{}\n-----END PUBLIC KEY-----\n", lines.join("\n"))
    }

    /// The published key, with members over it.
    fn jwk(&self, more: Value) -> Value {
        let encoded = |bytes: &[u8]| URL_SAFE_NO_PAD.encode(bytes);
        let mut jwk = match self {
            Self::Hmac(secret) => json!({"kty": "oct", "k": encoded(secret.as_bytes())}),
            Self::Rsa(key) => {
                let (key, _) = element(key.public_key().as_ref(), 0x30).unwrap();
                let (n, rest) = element(key, 2).unwrap();
                let (e, _) = element(rest, 2).unwrap();
                json!({"kty": "RSA", "n": encoded(&n[1..]), "e": encoded(e)})
            }
            Self::Ec(key) => {
                let point = &key.public_key().as_ref()[1..];
                let (x, y) = point.split_at(point.len() / 2);
                let curve = match x.len() {
                    32 => "P-256",
                    48 => "P-384",
                    _ => "P-521",
                };
                json!({"kty": "EC", "crv": curve, "x": encoded(x), "y": encoded(y)})
            }
            Self::Ed(key) => json!({"kty": "OKP", "crv": "Ed25519", "x": encoded(key.public_key().as_ref())}),
        };
        over(&mut jwk, more);
        jwk
    }
}

/// Lays members over an object; `null` takes one out.
fn over(object: &mut Value, more: Value) {
    for (name, value) in more.as_object().unwrap() {
        if value.is_null() {
            object.as_object_mut().unwrap().remove(name);
        } else {
            object[name] = value.clone();
        }
    }
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs()
}

/// The claims of a token that is right.
fn claims(more: Value) -> Value {
    let mut claims = json!({"iss": ISSUER, "aud": AUDIENCE, "sub": "ann", "exp": now() + 600, "iat": now()});
    over(&mut claims, more);
    claims
}

fn header(algorithm: Algorithm, more: Value) -> Value {
    let mut header = json!({"alg": algorithm.name(), "typ": "JWT"});
    over(&mut header, more);
    header
}

/// A token of these texts, signed.
fn signed(header: &str, claims: &str, algorithm: Algorithm, signer: &Signer) -> String {
    let message = format!("{}.{}", URL_SAFE_NO_PAD.encode(header), URL_SAFE_NO_PAD.encode(claims));
    let signature = URL_SAFE_NO_PAD.encode(signer.sign(algorithm, message.as_bytes()));
    format!("{message}.{signature}")
}

/// A token with these members over those of a right one.
fn token(algorithm: Algorithm, more_header: Value, more_claims: Value) -> String {
    let (header, claims) = (header(algorithm, more_header), claims(more_claims));
    signed(&header.to_string(), &claims.to_string(), algorithm, Signer::of(algorithm))
}

fn site() -> Site {
    Site {
        public_url: AUDIENCE.into(),
        endpoints: vec!["/sse".into(), "/messages".into(), "/mcp".into()],
        message_endpoint: Some("/messages".into()),
    }
}

/// The head of a request.
fn head(target: &str, headers: &[(&str, &str)]) -> Parts {
    let mut request = http::Request::builder().uri(target);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    request.body(()).unwrap().into_parts().0
}

fn bearer(token: &str) -> Parts {
    head("/mcp", &[("authorization", &format!("Bearer {token}"))])
}

fn authenticator(options: &AuthOptions, limits: &Limits, clock: &Clock) -> Authenticator {
    Authenticator::with_clock(options, limits, &site(), clock.clone()).unwrap()
}

/// `oauth` that nothing is wrong with, changed.
fn oauth_options(issuer: &str, edit: impl FnOnce(&mut OAuthOptions)) -> OAuthOptions {
    let mut options = OAuthOptions {
        issuer_url: issuer.into(),
        client_id: "id".into(),
        client_secret: "hunter2".into(),
        ..OAuthOptions::default()
    };
    edit(&mut options);
    options
}

/// `jwt` with one key for one algorithm, as most tests want it.
fn jwt_options(algorithm: Algorithm) -> JwtOptions {
    let mut options = JwtOptions {
        algorithms: vec![algorithm],
        issuer: Some(ISSUER.into()),
        audience: Some(AUDIENCE.into()),
        ..JwtOptions::default()
    };
    match Signer::of(algorithm) {
        Signer::Hmac(secret) => options.secret = Some((*secret).into()),
        signer => options.public_key = Some(signer.pem()),
    }
    options
}

/// What becomes of the first request of a connection.
fn admission(authenticator: &Authenticator, head: &Parts) -> Admission {
    authenticator.authenticate(head, Place::Anywhere, &LastCredential::default())
}

/// What becomes of a token, said shortly: the subject, or the refusal's text.
async fn judged(authenticator: &Authenticator, token: &str) -> String {
    shown(admission(authenticator, &bearer(token)).verdict().await)
}

fn shown(verdict: Result<Arc<Principal>, AuthError>) -> String {
    match verdict {
        Ok(principal) => principal.subject().unwrap_or("-").to_owned(),
        Err(AuthError::Missing) => "missing".into(),
        Err(AuthError::InvalidToken(reason) | AuthError::InvalidRequest(reason)) => reason.into(),
        Err(AuthError::InsufficientScope(scopes)) => format!("needs {}", scopes.join(" ")),
        Err(AuthError::Unavailable(_)) => "unavailable".into(),
    }
}

/// What a server answers.
#[derive(Clone)]
enum Reply {
    Json(String),
    /// Status line, headers and body, as they are.
    Raw(String),
    /// Nothing, until the client goes.
    Silence,
    /// The same as JSON, after a time.
    Late(Duration, String),
}

type Answer = dyn Fn(&str) -> Reply + Send + Sync;

/// A key server or a provider on this machine. Its answers can be changed while it runs.
struct Server {
    address: SocketAddr,
    answer: Arc<Mutex<Arc<Answer>>>,
    requests: Arc<Mutex<Vec<String>>>,
    /// Connections that are open.
    open: Arc<AtomicUsize>,
    accepting: tokio::task::JoinHandle<()>,
}

impl Server {
    /// `answer` gets the whole request, which begins `GET /path `.
    async fn start(answer: impl Fn(&str) -> Reply + Send + Sync + 'static) -> Self {
        let (_, socket) = nobody();
        Self::on(socket, answer)
    }

    /// Listens where nobody did until now.
    fn on(socket: TcpSocket, answer: impl Fn(&str) -> Reply + Send + Sync + 'static) -> Self {
        let listener = socket.listen(1024).unwrap();
        let address = listener.local_addr().unwrap();
        let answer: Arc<Mutex<Arc<Answer>>> = Arc::new(Mutex::new(Arc::new(answer)));
        let (requests, open) = (Arc::<Mutex<Vec<String>>>::default(), Arc::<AtomicUsize>::default());
        let shared = (answer.clone(), requests.clone(), open.clone());
        let accepting = tokio::spawn(async move {
            let mut connections = tokio::task::JoinSet::new();
            while let Ok((mut stream, _)) = listener.accept().await {
                let (answer, requests, open) = shared.clone();
                connections.spawn(async move {
                    open.fetch_add(1, Ordering::SeqCst);
                    let mut request = Vec::new();
                    loop {
                        let mut buffer = [0; 4096];
                        let read = stream.read(&mut buffer).await.unwrap_or(0);
                        request.extend_from_slice(&buffer[..read]);
                        if read == 0 || is_whole(&request) {
                            break;
                        }
                    }
                    let request = String::from_utf8_lossy(&request).into_owned();
                    requests.lock().unwrap().push(request.clone());
                    let reply = answer.lock().unwrap().clone()(&request);
                    let json = |body: String| {
                        let length = body.len();
                        format!("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}")
                    };
                    let text = match reply {
                        Reply::Json(body) => json(body),
                        Reply::Raw(text) => text,
                        Reply::Silence => {
                            let _ = stream.read(&mut [0]).await;
                            String::new()
                        }
                        Reply::Late(time, body) => {
                            tokio::time::sleep(time).await;
                            json(body)
                        }
                    };
                    let _ = stream.write_all(text.as_bytes()).await;
                    let _ = stream.shutdown().await;
                    open.fetch_sub(1, Ordering::SeqCst);
                });
            }
        });
        Self { address, answer, requests, open, accepting }
    }

    fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    fn answers(&self, answer: impl Fn(&str) -> Reply + Send + Sync + 'static) {
        *self.answer.lock().unwrap() = Arc::new(answer);
    }

    /// How many requests there were, by path.
    fn counts(&self) -> HashMap<String, usize> {
        let mut counts = HashMap::new();
        for request in self.requests.lock().unwrap().iter() {
            let path = request.split(' ').nth(1).unwrap_or("").to_owned();
            *counts.entry(path).or_default() += 1;
        }
        counts
    }

    fn count(&self, path: &str) -> usize {
        self.counts().get(path).copied().unwrap_or(0)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

fn is_whole(request: &[u8]) -> bool {
    let text = String::from_utf8_lossy(request);
    let Some((head, body)) = text.split_once("\r\n\r\n") else { return false };
    let length =
        head.lines().find_map(|line| line.to_ascii_lowercase().strip_prefix("content-length: ").map(str::to_owned));
    body.len() >= length.map_or(0, |length| length.trim().parse().unwrap())
}

/// A set of published keys.
fn key_set(keys: &[Value]) -> String {
    json!({ "keys": keys }).to_string()
}

/// An address of this machine where nobody listens, and the socket that holds it.
fn nobody() -> (SocketAddr, TcpSocket) {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    (socket.local_addr().unwrap(), socket)
}
