//! Bounds on what one principal, or strangers, may take: over them a status of their own, and all others are served.

use mcp_test_support::{
    PATIENCE,
    http::Answer,
    identity::{CLIENT, Provider, now},
};
use serde_json::{Value, json};
use tokio::time::timeout;

use super::{Guarded, PING, bearer, jwt_auth};

#[track_caller]
fn refused(answer: &Answer, status: u16, retry_after: &str, code: i64, message: &str) {
    assert_eq!((answer.status, answer.header("retry-after")), (status, Some(retry_after)), "{answer:?}");
    let expected = json!({"jsonrpc": "2.0", "id": null, "error": {"code": code, "message": message}});
    assert_eq!(serde_json::from_str::<Value>(&answer.body).expect("a JSON body"), expected);
}

#[tokio::test]
async fn streams_and_sessions_of_one_principal() {
    let keys = json!([{"id": "ada", "key": "ada-key"}, {"id": "eve", "key": "eve-key"}]);
    let by_key = json!({"type": "apikey", "options": {"keys": keys}});
    // Two tokens of one principal are one principal.
    let tokens = [json!({}), json!({"scope": "read admin"}), json!({"sub": "eve"})].map(bearer);
    let key = ["ada-key", "ada-key", "eve-key"].map(str::to_owned);
    for (auth, header, [ada, again, eve]) in
        [(jwt_auth(json!({})), "Authorization", tokens), (by_key, "X-API-Key", key)]
    {
        const SESSIONS: &str = "too many sessions of this principal are open";
        const STREAMS: &str = "too many streams of this principal are open";
        for (limits, status, retry_after, code, message) in [
            (json!({"maxStreamsPerPrincipal": 2, "maxSessionsPerPrincipal": null}), 429, "1", -32600, STREAMS),
            (json!({"maxStreamsPerPrincipal": null, "maxSessionsPerPrincipal": 2}), 503, "5", -32603, SESSIONS),
        ] {
            let guarded = Guarded::with(json!({"auth": auth, "limits": limits})).await;
            let (ada, again, eve) = ([(header, &*ada)], [(header, &*again)], [(header, &*eve)]);
            let first = guarded.open(&ada).await;
            let mut second = guarded.open(&again).await;
            let third = guarded.get("/sse", &ada).await;
            refused(&third, status, retry_after, code, message);
            // What is open goes on, and so does everybody else.
            assert_eq!(guarded.post(&second.endpoint, &again, PING).await.status, 202);
            assert!(second.message().await.contains(r#""id":1"#));
            let strange = guarded.open(&eve).await;
            assert_eq!(guarded.post(&strange.endpoint, &eve, PING).await.status, 202);
            // Each principal has places of its own, which come back.
            assert_eq!(guarded.handle.sessions(), 3);
            drop(first);
            let gone = async {
                while guarded.handle.sessions() > 2 {
                    tokio::task::yield_now().await;
                }
            };
            timeout(PATIENCE, gone).await.expect("an end that is seen");
            guarded.open(&ada).await;
        }
    }
}

#[tokio::test]
async fn requests_that_wait_for_a_provider() {
    let provider = Provider::start().await;
    let options = json!({"issuerUrl": provider.issuer, "clientId": CLIENT.0, "clientSecret": CLIENT.1});
    let auth = json!({"type": "oauth", "options": options});
    // Nobody is kept waiting by a clock here.
    let limits = json!({"maxUnauthenticatedRequests": 2, "fetchSeconds": null});
    let guarded = Guarded::with(json!({"auth": auth, "limits": limits})).await;
    let good = json!({"active": true, "sub": "ada", "exp": now() + 600});
    provider.opaque("known-good-token", good.clone());
    provider.opaque("unknown-good-token", good);
    for token in ["silence-1", "silence-2", "silence-3"] {
        provider.opaque(token, json!({}));
    }
    let by = |token: &str| format!("Bearer {token}");
    let (known, unknown) = (by("known-good-token"), by("unknown-good-token"));
    let (known, unknown) = ([("Authorization", &*known)], [("Authorization", &*unknown)]);
    assert_eq!(guarded.get("/sse", &known).await.status, 200);

    let silence = [by("silence-1"), by("silence-2"), by("silence-3")];
    let [first, second, third] = silence.each_ref().map(|token| [("Authorization", &**token)]);
    let waiting = async { tokio::join!(guarded.get("/sse", &first), guarded.post("/messages", &second, PING)) };
    let meanwhile = async {
        provider.hangs(2).await;
        for path in ["/sse", "/nowhere"] {
            let one_more = guarded.get(path, &third).await;
            refused(&one_more, 503, "5", -32603, "too many requests wait for authentication");
        }
        // Even with a good token, of which nobody knows yet. Those that are known are served, and who has none is told.
        assert_eq!(guarded.get("/sse", &unknown).await.status, 503);
        assert_eq!(guarded.get("/sse", &[]).await.status, 401);
        let stream = guarded.open(&known).await;
        assert_eq!(guarded.post(&stream.endpoint, &known, PING).await.status, 202);
        provider.answer_all();
    };
    let ((one, another), ()) = tokio::join!(waiting, meanwhile);
    assert_eq!((one.status, another.status), (401, 401));
    // With those who waited their places are free.
    assert_eq!(guarded.get("/sse", &unknown).await.status, 200);
}

#[tokio::test]
async fn a_thousand_guesses() {
    let keys = json!({"type": "apikey", "options": {"keys": ["the-right-key"]}});
    for (auth, header, right, guess) in
        [(jwt_auth(json!({})), "Authorization", bearer(json!({})), bearer(json!({"aud": "other"}))), {
            (keys, "X-API-Key", "the-right-key".to_owned(), "the-wrong-key".to_owned())
        }]
    {
        let guarded = Guarded::start(auth).await;
        let stream = guarded.open(&[(header, &right)]).await;
        for n in 0..1000 {
            let guess = format!("{guess}{n}");
            assert_eq!(guarded.get("/sse", &[(header, &guess)]).await.status, 401);
            if n % 100 == 0 {
                assert_eq!(guarded.post(&stream.endpoint, &[(header, &right)], PING).await.status, 202);
            }
        }
        assert_eq!(guarded.handle.sessions(), 1, "what is refused leaves nothing");
    }
}
