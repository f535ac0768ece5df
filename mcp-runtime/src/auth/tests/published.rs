//! A key server that rotates, fails, dawdles and lies.

use super::*;

const KEYS: &str = "/jwks";
const UNVERIFIED: &str = "the token's signature cannot be verified";

fn options(url: &str) -> AuthOptions {
    AuthOptions::Jwt(JwtOptions {
        algorithms: vec![Algorithm::ES256, Algorithm::RS256],
        jwks_uri: Some(url.into()),
        issuer: Some(ISSUER.into()),
        audience: Some(AUDIENCE.into()),
        ..JwtOptions::default()
    })
}

/// A server that publishes one key, named `a`; a token by it; the door; its clock.
async fn published() -> (Server, Authenticator, Clock) {
    let server = Server::start(|_| Reply::Json(one("a", Signer::of(Algorithm::ES256)))).await;
    let clock = Clock::default();
    // A short time for fetches, so that silence ends soon.
    let limits = Limits { fetch: Some(Duration::from_millis(600)), ..Limits::default() };
    let door = authenticator(&options(&server.url(KEYS)), &limits, &clock);
    (server, door, clock)
}

fn one(kid: &str, signer: &Signer) -> String {
    key_set(&[signer.jwk(json!({"kid": kid}))])
}

fn by(kid: &str) -> String {
    token(Algorithm::ES256, json!({"kid": kid}), json!({"exp": now() + 90_000}))
}

fn by_another(kid: &str, signer: &Signer) -> String {
    let header = header(Algorithm::ES256, json!({"kid": kid})).to_string();
    signed(&header, &claims(json!({"exp": now() + 90_000})).to_string(), Algorithm::ES256, signer)
}

/// Waits for that many fetches in the background, whose answers have a moment to arrive.
async fn fetched(server: &Server, times: usize) {
    for _ in 0..400 {
        if server.count(KEYS) >= times && server.open.load(Ordering::SeqCst) == 0 {
            return tokio::time::sleep(Duration::from_millis(20)).await;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    panic!("{:?}", server.counts());
}

const SECONDS: fn(u64) -> Duration = Duration::from_secs;

#[tokio::test]
async fn the_set_is_fetched_once_and_by_need() {
    let (server, door, _) = published().await;
    assert_eq!(server.count(KEYS), 0);
    // What is wrong by itself costs no fetch.
    let expired = token(Algorithm::ES256, json!({"kid": "a"}), json!({"exp": 1}));
    assert_eq!(judged(&door, &expired).await, "the token has expired");
    assert_eq!(judged(&door, "a.b.c").await, "the token is malformed");
    assert_eq!(server.count(KEYS), 0);
    // A crowd shares one fetch.
    let mut crowd = tokio::task::JoinSet::new();
    for n in 0..50 {
        let token = token(Algorithm::ES256, json!({"kid": "a"}), json!({"n": n}));
        let admission = admission(&door, &bearer(&token));
        assert!(matches!(admission, Admission::Later(_)));
        crowd.spawn(async move { shown(admission.verdict().await) });
    }
    while let Some(verdict) = crowd.join_next().await {
        assert_eq!(verdict.unwrap(), "ann");
    }
    assert_eq!(server.count(KEYS), 1);
    // From then on it takes no time at all.
    assert!(matches!(admission(&door, &bearer(&by("a"))), Admission::Now(Ok(_))));
    let request = server.requests.lock().unwrap()[0].clone();
    assert!(request.starts_with("GET /jwks HTTP/1.1\r\n") && request.contains(&format!("host: {}", server.address)));
    assert!(!request.to_ascii_lowercase().contains("authorization"));
}

#[tokio::test]
async fn ahead_of_the_first_request() {
    let (server, door, _) = published().await;
    door.prepare().await.unwrap();
    fetched(&server, 1).await;
    assert_eq!(judged(&door, &by("a")).await, "ann");
    assert_eq!(server.count(KEYS), 1);
}

#[tokio::test]
async fn a_storm_of_unknown_kids() {
    let (server, door, clock) = published().await;
    assert_eq!(judged(&door, &by("a")).await, "ann");
    clock.advance(SECONDS(31));
    server.answers(|_| Reply::Late(Duration::from_millis(200), one("a", Signer::of(Algorithm::ES256))));
    let mut storm = tokio::task::JoinSet::new();
    for n in 0..300 {
        let unknown = admission(&door, &bearer(&by(&format!("random-{n}"))));
        storm.spawn(async move { shown(unknown.verdict().await) });
        // An honest request goes by.
        let honest = token(Algorithm::ES256, json!({"kid": "a"}), json!({"n": n}));
        assert!(matches!(admission(&door, &bearer(&honest)), Admission::Now(Ok(_))));
    }
    while let Some(verdict) = storm.join_next().await {
        assert_eq!(verdict.unwrap(), UNVERIFIED);
    }
    assert_eq!(server.count(KEYS), 2);
    // Within the next 30 s there is no other fetch, after them one.
    for n in 0..20 {
        assert_eq!(judged(&door, &by(&format!("more-{n}"))).await, UNVERIFIED);
    }
    assert_eq!(server.count(KEYS), 2);
    clock.advance(SECONDS(31));
    assert_eq!(judged(&door, &by("late")).await, UNVERIFIED);
    assert_eq!(server.count(KEYS), 3);
}

#[tokio::test]
async fn a_rotated_key() {
    let (server, door, clock) = published().await;
    let (old, new) = (by("a"), Signer::generate(Algorithm::ES256));
    let renewed = by_another("b", &new);
    assert_eq!(judged(&door, &old).await, "ann");
    assert_eq!(judged(&door, &old).await, "ann");
    let set = one("b", &new);
    server.answers(move |_| Reply::Json(set.clone()));
    // So soon after a fetch the new key is not looked for.
    assert_eq!(judged(&door, &renewed).await, UNVERIFIED);
    assert_eq!(server.count(KEYS), 1);
    clock.advance(SECONDS(31));
    assert_eq!(judged(&door, &renewed).await, "ann");
    assert_eq!(server.count(KEYS), 2);
    // The old key stops with the fetch, remembered tokens included.
    assert_eq!(judged(&door, &old).await, UNVERIFIED);
}

#[tokio::test]
async fn a_key_that_changes_under_its_name() {
    let (server, door, clock) = published().await;
    assert_eq!(judged(&door, &by("a")).await, "ann");
    let new = Signer::generate(Algorithm::ES256);
    let (set, renewed) = (one("a", &new), by_another("a", &new));
    server.answers(move |_| Reply::Json(set.clone()));
    clock.advance(SECONDS(31));
    assert_eq!(judged(&door, &renewed).await, "ann");
    assert_eq!(judged(&door, &by("a")).await, UNVERIFIED);
}

#[tokio::test]
async fn a_removed_key_stops_with_the_age_of_the_set() {
    let (server, door, clock) = published().await;
    assert_eq!(judged(&door, &by("a")).await, "ann");
    server.answers(|_| Reply::Json(key_set(&[])));
    clock.advance(SECONDS(479));
    assert_eq!(judged(&door, &by("a")).await, "ann");
    assert_eq!(server.count(KEYS), 1);
    clock.advance(SECONDS(122));
    assert_eq!(judged(&door, &by("a")).await, UNVERIFIED);
    assert_eq!(server.count(KEYS), 2);
}

#[tokio::test]
async fn the_server_may_ask_to_be_asked_sooner() {
    let with = |directive: &str| {
        let body = one("a", Signer::of(Algorithm::ES256));
        Reply::Raw(format!("HTTP/1.1 200 OK\r\ncache-control: {directive}\r\nconnection: close\r\n\r\n{body}"))
    };
    for (directive, age) in [
        ("public, max-age=120", 120),
        // Within bounds: not more often than unknown kids may, not less often than the limit says.
        ("max-age=1", 30),
        ("no-store", 30),
        ("no-cache, max-age=500", 30),
        ("max-age=86400", 600),
        ("max-age=nonsense", 600),
    ] {
        let (server, door, clock) = published().await;
        server.answers(move |_| with(directive));
        assert_eq!(judged(&door, &by("a")).await, "ann");
        clock.advance(SECONDS(age / 5 * 4 - 1));
        assert_eq!(judged(&door, &by("a")).await, "ann");
        assert_eq!(server.count(KEYS), 1, "{directive}");
        clock.advance(SECONDS(age / 5 + 2));
        assert_eq!(judged(&door, &by("a")).await, "ann");
        assert_eq!(server.count(KEYS), 2, "{directive}");
    }
}

#[tokio::test]
async fn a_set_is_renewed_before_its_time() {
    let (server, door, clock) = published().await;
    assert_eq!(judged(&door, &by("a")).await, "ann");
    clock.advance(SECONDS(500));
    assert!(matches!(admission(&door, &bearer(&by("a"))), Admission::Now(Ok(_))));
    fetched(&server, 2).await;
    clock.advance(SECONDS(400));
    assert!(matches!(admission(&door, &bearer(&by("a"))), Admission::Now(Ok(_))));
    assert_eq!(server.count(KEYS), 2);
}

/// Answers of which none is a key set.
fn failures() -> Vec<Reply> {
    let raw = |text: String| Reply::Raw(text);
    let set = one("a", Signer::of(Algorithm::ES256));
    let many: Vec<_> = (0..101).map(|n| Signer::of(Algorithm::ES256).jwk(json!({"kid": n.to_string()}))).collect();
    let padding = " ".repeat(1024 * 1024);
    let length = set.len();
    vec![
        Reply::Silence,
        raw("HTTP/1.1 302 Found\r\nlocation: /elsewhere\r\ncontent-length: 0\r\n\r\n".into()),
        raw("HTTP/1.1 307 Temporary Redirect\r\nlocation: http://169.254.169.254/\r\n\r\n".into()),
        raw("HTTP/1.1 500 Oops\r\ncontent-length: 0\r\n\r\n".into()),
        raw("HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n".into()),
        raw(format!("HTTP/1.1 206 Partial\r\ncontent-length: {length}\r\n\r\n{set}")),
        raw(format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{set}", length + 1)),
        raw(format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{}", length - 2, &set[..length - 2])),
        raw("HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 13\r\n\r\n<html></html>".into()),
        raw("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\n{\"key".into()),
        raw("garbage\r\n\r\n".into()),
        raw(String::new()),
        Reply::Json(format!("{padding}{set}")),
        Reply::Json(key_set(&many)),
        Reply::Json("{}".into()),
    ]
}

#[tokio::test]
async fn without_any_set_there_is_503_until_the_server_is_well() {
    for failure in failures() {
        let (server, door, clock) = published().await;
        let reply = failure.clone();
        server.answers(move |_| reply.clone());
        assert_eq!(judged(&door, &by("a")).await, "unavailable");
        let before = server.counts().values().sum::<usize>();
        assert_eq!(server.count(KEYS), before, "a redirect was followed");
        // It is left in peace for a moment, and asked again then.
        assert!(matches!(admission(&door, &bearer(&by("a"))), Admission::Now(Err(_))));
        assert_eq!(server.count(KEYS), before);
        server.answers(|_| Reply::Json(one("a", Signer::of(Algorithm::ES256))));
        clock.advance(SECONDS(3));
        assert_eq!(judged(&door, &by("a")).await, "ann");
    }
}

#[tokio::test]
async fn with_a_set_known_keys_serve_on() {
    for failure in failures() {
        let (server, door, clock) = published().await;
        assert_eq!(judged(&door, &by("a")).await, "ann");
        let reply = failure.clone();
        server.answers(move |_| reply.clone());
        clock.advance(SECONDS(31));
        assert_eq!(judged(&door, &by("b")).await, UNVERIFIED);
        assert_eq!(server.count(KEYS), 2);
        assert_eq!(judged(&door, &by("a")).await, "ann");
        // Out of date, within the grace: at most the first waits, and it waits less than a second.
        clock.advance(SECONDS(600));
        for n in 0..5 {
            let began = std::time::Instant::now();
            let token = token(Algorithm::ES256, json!({"kid": "a"}), json!({"n": n, "exp": now() + 90_000}));
            assert_eq!(judged(&door, &token).await, "ann");
            assert!(began.elapsed() < Duration::from_millis(900), "{:?}", began.elapsed());
        }
        // Beyond the grace nobody comes in, remembered or not.
        clock.advance(SECONDS(3600));
        assert_eq!(judged(&door, &by("a")).await, "unavailable");
    }
}

#[tokio::test]
async fn a_server_that_hangs_delays_nobody_for_long() {
    let server = Server::start(|_| Reply::Json(one("a", Signer::of(Algorithm::ES256)))).await;
    let clock = Clock::default();
    let door = authenticator(&options(&server.url(KEYS)), &Limits::default(), &clock);
    assert_eq!(judged(&door, &by("a")).await, "ann");
    server.answers(|_| Reply::Silence);
    clock.advance(SECONDS(601));
    let began = std::time::Instant::now();
    assert_eq!(judged(&door, &by("a")).await, "ann");
    assert!(began.elapsed() < Duration::from_millis(900), "{:?}", began.elapsed());
}

#[tokio::test]
async fn after_an_outage_all_is_as_before() {
    let (server, door, clock) = published().await;
    assert_eq!(judged(&door, &by("a")).await, "ann");
    server.answers(|_| Reply::Raw(String::new()));
    clock.advance(SECONDS(601));
    assert_eq!(judged(&door, &by("a")).await, "ann");
    server.answers(|_| Reply::Json(one("a", Signer::of(Algorithm::ES256))));
    clock.advance(SECONDS(31));
    assert_eq!(judged(&door, &by("b")).await, UNVERIFIED);
    // The set is new again, and its end is waited for.
    server.answers(|_| Reply::Json(key_set(&[])));
    clock.advance(SECONDS(601));
    assert_eq!(judged(&door, &by("a")).await, UNVERIFIED);
}

#[tokio::test]
async fn the_server_is_down_at_start() {
    let (address, socket) = nobody();
    let clock = Clock::default();
    let door = authenticator(&options(&format!("http://{address}{KEYS}")), &Limits::default(), &clock);
    door.prepare().await.unwrap();
    assert_eq!(judged(&door, &by("a")).await, "unavailable");
    let server = Server::on(socket, |_| Reply::Json(one("a", Signer::of(Algorithm::ES256))));
    clock.advance(SECONDS(3));
    assert_eq!(judged(&door, &by("a")).await, "ann");
    assert_eq!(server.count(KEYS), 1);
}

#[tokio::test]
async fn a_client_that_leaves_does_not_stop_the_fetch() {
    let (server, door, _) = published().await;
    server.answers(|_| Reply::Late(Duration::from_millis(100), one("a", Signer::of(Algorithm::ES256))));
    drop(admission(&door, &bearer(&by("a"))));
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert!(matches!(admission(&door, &bearer(&by("a"))), Admission::Now(Ok(_))));
    assert_eq!(server.count(KEYS), 1);
}

#[tokio::test]
async fn the_limits_are_options() {
    let set = || one("a", Signer::of(Algorithm::ES256));
    let judged_with = async |limits: Limits| {
        let server = Server::start(move |_| Reply::Late(Duration::from_millis(100), set())).await;
        judged(&authenticator(&options(&server.url(KEYS)), &limits, &Clock::default()), &by("a")).await
    };
    let limits = Limits::default;
    assert_eq!(judged_with(limits()).await, "ann");
    assert_eq!(judged_with(Limits { fetch: Some(Duration::from_millis(50)), ..limits() }).await, "unavailable");
    assert_eq!(judged_with(Limits { fetch: None, ..limits() }).await, "ann");
    assert_eq!(judged_with(Limits { max_fetch_bytes: Some(set().len() - 1), ..limits() }).await, "unavailable");
    assert_eq!(judged_with(Limits { max_fetch_bytes: Some(set().len()), ..limits() }).await, "ann");
    assert_eq!(judged_with(Limits { max_fetch_bytes: None, max_keys: None, ..limits() }).await, "ann");
    assert_eq!(judged_with(Limits { max_keys: Some(0), ..limits() }).await, "unavailable");
}

#[tokio::test]
async fn the_times_are_options() {
    let set = || one("a", Signer::of(Algorithm::ES256));
    // What becomes of a token some time after the first, and how many fetches there were.
    let check = async |limits: Limits, after: u64, is_down: bool, by: &str, expected: &str, fetches: usize| {
        let server = Server::start(move |_| Reply::Json(set())).await;
        let clock = Clock::default();
        let door = authenticator(&options(&server.url(KEYS)), &limits, &clock);
        assert_eq!(judged(&door, &self::by("a")).await, "ann");
        if is_down {
            server.answers(|_| Reply::Raw("HTTP/1.1 500 Oops\r\ncontent-length: 0\r\n\r\n".into()));
        }
        clock.advance(SECONDS(after));
        assert_eq!(judged(&door, &self::by(by)).await, expected, "{after} {by} {limits:?}");
        fetched(&server, fetches).await;
    };
    let limits = Limits::default;
    // Its age: by default the set is still new. (One fetch for `a`, one for `b`.)
    check(limits(), 60, false, "a", "ann", 1).await;
    check(Limits { jwks_age: Some(SECONDS(50)), ..limits() }, 60, false, "a", "ann", 2).await;
    // Its grace.
    check(limits(), 800, true, "a", "ann", 2).await;
    check(Limits { jwks_grace: Some(SECONDS(100)), ..limits() }, 800, true, "a", "unavailable", 2).await;
    // How soon an unknown key is asked for again.
    check(limits(), 10, false, "c", UNVERIFIED, 1).await;
    check(Limits { jwks_refetch: Some(SECONDS(5)), ..limits() }, 10, false, "c", UNVERIFIED, 2).await;
}

#[tokio::test]
async fn a_token_without_a_kid_is_tried_by_the_keys_of_its_kind() {
    let (server, door, _) = published().await;
    let keys = [
        Signer::of(Algorithm::RS256).jwk(json!({"kid": "r"})),
        Signer::generate(Algorithm::ES256).jwk(json!({"kid": "x"})),
        Signer::of(Algorithm::ES256).jwk(json!({"kid": "a"})),
    ];
    server.answers(move |_| Reply::Json(key_set(&keys)));
    assert_eq!(judged(&door, &token(Algorithm::ES256, json!({}), json!({}))).await, "ann");
    assert_eq!(judged(&door, &token(Algorithm::RS256, json!({"kid": "r"}), json!({}))).await, "ann");
    // A kid is to the letter, and means its own key alone.
    for kid in ["A", "a ", "", "x", "r"] {
        assert_eq!(judged(&door, &by(kid)).await, UNVERIFIED, "{kid}");
    }
    // Unlisted here, though the key could.
    let other = token(Algorithm::RS512, json!({"kid": "r"}), json!({}));
    assert_eq!(judged(&door, &other).await, "the token's algorithm is not accepted");
}
