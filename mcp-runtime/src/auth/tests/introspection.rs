//! Opaque tokens, and what a provider says of them.

use super::*;

const ENDPOINT: &str = "/introspect";
const INACTIVE: &str = "the token is not active";

/// A provider that answers questions about tokens with what `answer` says.
async fn provider(answer: impl Fn(&str) -> Reply + Send + Sync + 'static) -> (Server, String) {
    let server = Server::start(|_| Reply::Silence).await;
    let issuer = server.url("");
    let named = issuer.clone();
    server.answers(move |request| {
        if request.starts_with("POST /introspect ") {
            answer(request)
        } else {
            let document = json!({"issuer": named, "introspection_endpoint": format!("{named}{ENDPOINT}")});
            Reply::Json(document.to_string())
        }
    });
    (server, issuer)
}

fn door(issuer: &str, limits: &Limits, clock: &Clock, edit: impl FnOnce(&mut OAuthOptions)) -> Authenticator {
    let options = oauth_options(issuer, |options| {
        options.client_id = "id:with blank".into();
        options.client_secret = "hunter2/ü".into();
        edit(options);
    });
    authenticator(&AuthOptions::OAuth(options), limits, clock)
}

/// An answer that is right.
fn active(more: Value) -> String {
    let mut answer = json!({"active": true, "sub": "ann", "exp": now() + 600, "client_id": "app", "scope": "read"});
    over(&mut answer, more);
    answer.to_string()
}

#[tokio::test]
async fn the_question_and_a_good_answer() {
    let (server, issuer) = provider(|_| Reply::Json(active(json!({})))).await;
    let door = door(&issuer, &Limits::default(), &Clock::default(), |_| {});
    let principal = admission(&door, &bearer("opaque+/~token=")).verdict().await.unwrap();
    assert_eq!((principal.subject(), principal.client()), (Some("ann"), Some("app")));
    assert_eq!((principal.issuer(), principal.scopes()), (Some(issuer.as_str()), &["read".to_owned()][..]));
    assert_eq!(principal.method().as_str(), "oauth");
    let request = server.requests.lock().unwrap().last().unwrap().clone();
    // The client's name and secret, each as a form writes it.
    let basic = STANDARD.encode("id%3Awith+blank:hunter2%2F%C3%BC");
    assert!(request.contains(&format!("authorization: Basic {basic}\r\n")), "{request}");
    assert!(request.contains("content-type: application/x-www-form-urlencoded\r\n"), "{request}");
    assert!(request.ends_with("\r\n\r\ntoken=opaque%2B%2F%7Etoken%3D&token_type_hint=access_token"), "{request}");
}

#[tokio::test]
async fn answers_one_by_one() {
    type Edit = fn(&mut OAuthOptions);
    let plain: Edit = |_| {};
    let with_audience: Edit = |o| o.audience = Some("urn:mcp".into());
    let with_scope: Edit = |o| o.scopes = vec!["read".into(), "write".into()];
    let table: Vec<(String, Edit, &str)> = vec![
        (active(json!({})), plain, "ann"),
        (active(json!({"active": false})), plain, INACTIVE),
        (active(json!({"active": "true"})), plain, INACTIVE),
        (active(json!({"active": 1})), plain, INACTIVE),
        (active(json!({"active": null})), plain, INACTIVE),
        (r#"{"active":false,"active":true,"exp":9e9}"#.into(), plain, "unavailable"),
        (active(json!({"exp": null})), plain, "`exp` is missing"),
        (active(json!({"exp": "9999999999"})), plain, "`exp` must be a number"),
        (active(json!({"exp": now() - 40})), plain, "the token has expired"),
        (active(json!({"nbf": now() + 90})), plain, "the token is not valid yet"),
        (active(json!({"iss": "https://evil.example"})), plain, "the token is of another issuer"),
        (active(json!({"iss": 1})), plain, "`iss` must be a string"),
        (active(json!({"aud": "https://mcp.example/mcp"})), plain, "ann"),
        (active(json!({"aud": "https://other.example"})), plain, "the token is for another audience"),
        (active(json!({"aud": 1})), plain, "`aud` must be a string or a list of strings"),
        (active(json!({})), with_audience, "`aud` is missing"),
        (active(json!({"aud": ["x", "urn:mcp"]})), with_audience, "ann"),
        (active(json!({"aud": "https://mcp.example/mcp"})), with_audience, "the token is for another audience"),
        (active(json!({})), with_scope, "needs read write"),
        (active(json!({"scope": "write read"})), with_scope, "ann"),
        (active(json!({"scope": "readwrite"})), with_scope, "needs read write"),
        ("[]".into(), plain, "unavailable"),
        ("<html></html>".into(), plain, "unavailable"),
        ("".into(), plain, "unavailable"),
    ];
    for (answer, edit, expected) in table {
        let shown = answer.clone();
        let (_server, issuer) = provider(move |_| Reply::Json(answer.clone())).await;
        let door = door(&issuer, &Limits::default(), &Clock::default(), edit);
        assert_eq!(judged(&door, "opaque").await, expected, "{shown}");
    }
}

#[tokio::test]
async fn a_provider_that_does_not_answer() {
    for reply in [
        Reply::Silence,
        Reply::Raw("HTTP/1.1 401 Unauthorized\r\ncontent-length: 0\r\n\r\n".into()),
        Reply::Raw("HTTP/1.1 500 Oops\r\ncontent-length: 0\r\n\r\n".into()),
        Reply::Raw("HTTP/1.1 307 Temporary Redirect\r\nlocation: /elsewhere\r\ncontent-length: 0\r\n\r\n".into()),
        Reply::Raw(String::new()),
    ] {
        let down = Arc::new(std::sync::atomic::AtomicBool::new(false));
        let (is_down, once) = (down.clone(), reply.clone());
        let answer = move |_: &str| {
            if is_down.load(Ordering::SeqCst) { once.clone() } else { Reply::Json(active(json!({}))) }
        };
        let (server, issuer) = provider(answer).await;
        let clock = Clock::default();
        let limits = Limits { fetch: Some(Duration::from_millis(600)), ..Limits::default() };
        let door = door(&issuer, &limits, &clock, |_| {});
        assert_eq!(judged(&door, "opaque").await, "ann");
        down.store(true, Ordering::SeqCst);
        // What it said lately is believed, nothing else; and nothing is remembered of its silence.
        assert_eq!(judged(&door, "opaque").await, "ann");
        assert_eq!(judged(&door, "another").await, "unavailable");
        clock.advance(Duration::from_secs(31));
        assert_eq!(judged(&door, "opaque").await, "unavailable");
        down.store(false, Ordering::SeqCst);
        assert_eq!(judged(&door, "opaque").await, "ann");
        assert_eq!(server.count("/elsewhere"), 0);
    }
}

#[tokio::test]
async fn answers_are_believed_for_a_time() {
    let (server, issuer) = provider(|request| {
        let is_good = request.contains("token=good");
        Reply::Json(if is_good { active(json!({"exp": now() + 40})) } else { r#"{"active":false}"#.into() })
    })
    .await;
    let clock = Clock::default();
    let door = door(&issuer, &Limits::default(), &clock, |_| {});
    let check = async |token: &str, advance: u64, expected: &str, asked: usize| {
        clock.advance(Duration::from_secs(advance));
        assert_eq!(judged(&door, token).await, expected);
        assert_eq!(server.count(ENDPOINT), asked, "{token} {advance}");
    };
    check("good", 0, "ann", 1).await;
    check("good", 29, "ann", 1).await;
    check("good", 2, "ann", 2).await;
    check("bad", 0, INACTIVE, 3).await;
    check("bad", 4, INACTIVE, 3).await;
    check("bad", 2, INACTIVE, 4).await;
    // A token is remembered as a whole.
    check("goo", 0, INACTIVE, 5).await;
    // Never past its end: 40 s and the leeway have gone by.
    check("good", 34, "the token has expired", 6).await;
}

#[tokio::test]
async fn no_answer_outlives_its_token() {
    let (server, issuer) = provider(|_| Reply::Json(active(json!({"exp": now() + 10})))).await;
    let clock = Clock::default();
    let door = door(&issuer, &Limits::default(), &clock, |_| {});
    assert_eq!(judged(&door, "late").await, "ann");
    assert_eq!(judged(&door, "late").await, "ann");
    assert_eq!(server.count(ENDPOINT), 1);
    // Without a leeway: the provider keeps the time of its tokens.
    clock.advance(Duration::from_secs(12));
    assert_eq!(judged(&door, "late").await, "the token has expired");
}

#[tokio::test]
async fn the_limits_are_options() {
    let (server, issuer) = provider(|_| Reply::Json(active(json!({})))).await;
    let asked = async |limits: Limits, tokens: &[&str]| {
        let before = server.count(ENDPOINT);
        let door = door(&issuer, &limits, &Clock::default(), |_| {});
        for token in tokens {
            assert_eq!(judged(&door, token).await, "ann");
        }
        server.count(ENDPOINT) - before
    };
    let limits = Limits::default;
    assert_eq!(asked(limits(), &["a", "a", "b", "a"]).await, 2);
    assert_eq!(asked(Limits { introspection: Some(Duration::ZERO), ..limits() }, &["a", "a"]).await, 2);
    assert_eq!(asked(Limits { introspection_entries: Some(0), ..limits() }, &["a", "a"]).await, 2);
    assert_eq!(asked(Limits { introspection_entries: Some(1), ..limits() }, &["a", "a", "b", "a"]).await, 3);
    assert_eq!(asked(Limits { introspection: None, introspection_entries: None, ..limits() }, &["a", "a"]).await, 1);
}

#[tokio::test]
async fn a_flood_of_guesses_asks_few_at_a_time() {
    let open = Arc::new(AtomicUsize::new(0));
    let most = Arc::new(AtomicUsize::new(0));
    let (server, issuer) = provider(|_| Reply::Late(Duration::from_millis(20), r#"{"active":false}"#.into())).await;
    let door = door(&issuer, &Limits::default(), &Clock::default(), |_| {});
    judged(&door, "first").await;
    let mut flood = tokio::task::JoinSet::new();
    for n in 0..200 {
        let admission = admission(&door, &bearer(&format!("guess{n}")));
        let (open, most, connections) = (open.clone(), most.clone(), server.open.clone());
        flood.spawn(async move {
            open.fetch_add(1, Ordering::SeqCst);
            let verdict = shown(admission.verdict().await);
            most.fetch_max(connections.load(Ordering::SeqCst), Ordering::SeqCst);
            verdict
        });
    }
    while let Some(verdict) = flood.join_next().await {
        assert_eq!(verdict.unwrap(), INACTIVE);
    }
    assert_eq!(open.load(Ordering::SeqCst), 200);
    assert!(most.load(Ordering::SeqCst) <= 64, "{most:?}");
}

#[tokio::test]
async fn of_one_token_one_question_is_open_however_many_come_with_it() {
    for (reply, expected) in [
        (active(json!({})), "ann"),
        (r#"{"active":false}"#.into(), INACTIVE),
        // An answer that cannot be used is none for anybody.
        ("nonsense".into(), "unavailable"),
    ] {
        let answer = reply.clone();
        let (server, issuer) = provider(move |_| Reply::Late(Duration::from_millis(50), answer.clone())).await;
        let door = door(&issuer, &Limits::default(), &Clock::default(), |_| {});
        // Whoever came first may go.
        let first = tokio::spawn(admission(&door, &bearer("opaque")).verdict());
        while server.count(ENDPOINT) == 0 {
            tokio::task::yield_now().await;
        }
        let mut crowd = tokio::task::JoinSet::new();
        for _ in 0..100 {
            let admission = admission(&door, &bearer("opaque"));
            crowd.spawn(async move { shown(admission.verdict().await) });
        }
        // Each has joined once all were polled.
        tokio::task::yield_now().await;
        first.abort();
        while let Some(verdict) = crowd.join_next().await {
            assert_eq!(verdict.unwrap(), expected);
        }
        assert_eq!(server.count(ENDPOINT), 1, "{reply}");
    }
}

#[tokio::test]
async fn a_question_ends_with_the_last_who_waits_for_its_answer() {
    let (server, issuer) = provider(|_| Reply::Silence).await;
    let limits = Limits { fetch: None, ..Limits::default() };
    let door = door(&issuer, &limits, &Clock::default(), |_| {});
    for times in 1..=3 {
        let waiting: Vec<_> = (0..40).map(|_| tokio::spawn(admission(&door, &bearer("opaque")).verdict())).collect();
        while server.count(ENDPOINT) < times {
            tokio::task::yield_now().await;
        }
        for waiting in waiting {
            waiting.abort();
        }
        let ended = async {
            while server.open.load(Ordering::SeqCst) > 0 {
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(Duration::from_secs(20), ended).await.expect("an end in time");
        assert_eq!(server.count(ENDPOINT), times);
    }
}

#[tokio::test]
async fn behind_a_provider_that_hangs_nobody_waits_long() {
    let (_server, issuer) = provider(|_| Reply::Silence).await;
    let limits = Limits { fetch: Some(Duration::from_millis(200)), ..Limits::default() };
    let door = door(&issuer, &limits, &Clock::default(), |_| {});
    let mut crowd = tokio::task::JoinSet::new();
    let began = std::time::Instant::now();
    for n in 0..300 {
        let admission = admission(&door, &bearer(&format!("token{n}")));
        crowd.spawn(async move { shown(admission.verdict().await) });
    }
    while let Some(verdict) = crowd.join_next().await {
        assert_eq!(verdict.unwrap(), "unavailable");
    }
    assert!(began.elapsed() < Duration::from_millis(1500), "{:?}", began.elapsed());
}

#[tokio::test]
async fn a_provider_that_answers_no_questions() {
    let server = Server::start(|_| Reply::Silence).await;
    let issuer = server.url("");
    let named = issuer.clone();
    server.answers(move |_| Reply::Json(json!({"issuer": named, "jwks_uri": format!("{named}/jwks")}).to_string()));
    let door = door(&issuer, &Limits::default(), &Clock::default(), |_| {});
    assert_eq!(judged(&door, "opaque").await, "the token is malformed");
}
