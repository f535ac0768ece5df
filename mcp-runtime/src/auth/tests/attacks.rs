//! The known attacks on JWTs.

use super::*;

const UNVERIFIED: &str = "the token's signature cannot be verified";
const UNLISTED: &str = "the token's algorithm is not accepted";
const MALFORMED: &str = "the token is malformed";
const EXTENDED: &str = "the token's header asks for an extension";

async fn check(algorithm: Algorithm, token: &str, expected: &str) {
    let door = authenticator(&AuthOptions::Jwt(jwt_options(algorithm)), &Limits::default(), &Clock::default());
    let shown: String = token.chars().take(200).collect();
    assert_eq!(judged(&door, token).await, expected, "{algorithm} {shown}");
}

fn encoded(text: &str) -> String {
    URL_SAFE_NO_PAD.encode(text)
}

#[tokio::test]
async fn no_algorithm() {
    for none in ["none", "None", "NONE", "nOnE", "none ", "", "\u{0}none", "ＮＯＮＥ"] {
        let header = json!({"alg": none, "typ": "JWT"}).to_string();
        let message = format!("{}.{}", encoded(&header), encoded(&claims(json!({})).to_string()));
        for signature in ["", "AA", "bm9uZQ"] {
            check(Algorithm::RS256, &format!("{message}.{signature}"), UNLISTED).await;
            check(Algorithm::HS256, &format!("{message}.{signature}"), UNLISTED).await;
        }
        check(Algorithm::RS256, &message, MALFORMED).await;
    }
    for alg in [json!(null), json!(["RS256"]), json!(0), json!({}), json!(true)] {
        let header = json!({"typ": "JWT", "alg": alg}).to_string();
        let text = signed(&header, &claims(json!({})).to_string(), Algorithm::RS256, Signer::of(Algorithm::RS256));
        check(Algorithm::RS256, &text, MALFORMED).await;
    }
}

#[tokio::test]
async fn swapped_case() {
    for (algorithm, name) in [(Algorithm::RS256, "rs256"), (Algorithm::HS256, "Hs256"), (Algorithm::EdDSA, "EDDSA")] {
        check(algorithm, &token(algorithm, json!({"alg": name}), json!({})), UNLISTED).await;
        check(algorithm, &token(algorithm, json!({"alg": null, "ALG": algorithm.name()}), json!({})), MALFORMED).await;
    }
}

#[tokio::test]
async fn the_public_key_as_a_secret() {
    for algorithm in [Algorithm::RS256, Algorithm::ES256, Algorithm::EdDSA] {
        let signer = Signer::of(algorithm);
        let (pem, der) = (signer.pem(), signer.der());
        let body: String = pem.lines().filter(|line| !line.starts_with('-')).collect();
        let secrets: [Vec<u8>; 7] = [
            pem.clone().into(),
            pem.trim_end().into(),
            pem.replace('\n', "\r\n").into(),
            body.clone().into(),
            format!("{body}\n").into(),
            der,
            signer.jwk(json!({})).to_string().into(),
        ];
        for secret in secrets {
            for (hash, name) in [(hmac::HMAC_SHA256, "HS256"), (hmac::HMAC_SHA512, "HS512")] {
                let header = json!({"alg": name, "typ": "JWT"}).to_string();
                let message = format!("{}.{}", encoded(&header), encoded(&claims(json!({})).to_string()));
                let mac = hmac::sign(&hmac::Key::new(hash, &secret), message.as_bytes());
                let forged = format!("{message}.{}", URL_SAFE_NO_PAD.encode(mac.as_ref()));
                check(algorithm, &forged, UNLISTED).await;
                // With the header of the listed algorithm the mac is no signature, either.
                let header = header.replace(name, algorithm.name());
                let message = format!("{}.{}", encoded(&header), encoded(&claims(json!({})).to_string()));
                let mac = hmac::sign(&hmac::Key::new(hash, &secret), message.as_bytes());
                let forged = format!("{message}.{}", URL_SAFE_NO_PAD.encode(mac.as_ref()));
                check(algorithm, &forged, UNVERIFIED).await;
            }
        }
    }
}

#[tokio::test]
async fn keys_that_the_token_brings_along() {
    let server = Server::start(|_| Reply::Json("{}".into())).await;
    for algorithm in [Algorithm::RS256, Algorithm::ES256, Algorithm::EdDSA] {
        let own = Signer::generate(algorithm);
        let url = server.url("/keys");
        for more in [
            json!({"jwk": own.jwk(json!({}))}),
            json!({"jwk": own.jwk(json!({"kid": "a"})), "kid": "a"}),
            json!({"x5c": [STANDARD.encode(own.der())]}),
            json!({"jku": url}),
            json!({"x5u": url}),
            json!({"kid": url}),
        ] {
            let (header, claims) = (header(algorithm, more), claims(json!({"iss": ISSUER})));
            check(algorithm, &signed(&header.to_string(), &claims.to_string(), algorithm, &own), UNVERIFIED).await;
        }
        // Beside a right signature they do no harm, and nobody asks for them.
        check(algorithm, &token(algorithm, json!({"jku": url, "x5u": url, "x5t": "x"}), json!({})), "ann").await;
    }
    assert!(server.counts().is_empty());
}

#[tokio::test]
async fn kids_of_all_kinds() {
    let algorithm = Algorithm::HS256;
    for kid in ["../../../../dev/null", "' OR 1=1 --", "\u{0}", "😀", "/dev/null", "$(id)", &"k".repeat(5000)] {
        check(algorithm, &token(algorithm, json!({"kid": kid}), json!({})), "ann").await;
        // The key of an empty file.
        let message = format!("{}.{}", encoded(&header(algorithm, json!({"kid": kid})).to_string()), encoded("{}"));
        let mac = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, b""), message.as_bytes());
        check(algorithm, &format!("{message}.{}", URL_SAFE_NO_PAD.encode(mac.as_ref())), "`exp` is missing").await;
        let message = format!(
            "{}.{}",
            encoded(&header(algorithm, json!({"kid": kid})).to_string()),
            encoded(&claims(json!({})).to_string())
        );
        let mac = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, b""), message.as_bytes());
        check(algorithm, &format!("{message}.{}", URL_SAFE_NO_PAD.encode(mac.as_ref())), UNVERIFIED).await;
    }
    for kid in [json!(1), json!(true), json!([]), json!({}), json!(["a"])] {
        check(algorithm, &token(algorithm, json!({"kid": kid}), json!({})), MALFORMED).await;
    }
    let null =
        signed(r#"{"alg":"HS256","kid":null}"#, &claims(json!({})).to_string(), algorithm, Signer::of(algorithm));
    check(algorithm, &null, MALFORMED).await;
}

#[tokio::test]
async fn headers_that_demand_something() {
    let algorithm = Algorithm::RS256;
    for more in [
        json!({"crit": ["b64"], "b64": false}),
        json!({"crit": ["exp"], "exp": 1}),
        json!({"crit": []}),
        json!({"crit": "b64"}),
        json!({"b64": false}),
        json!({"b64": true}),
        json!({"enc": "A256GCM"}),
        json!({"zip": "DEF"}),
    ] {
        check(algorithm, &token(algorithm, more, json!({})), EXTENDED).await;
    }
    check(algorithm, &token(algorithm, json!({"typ": 1}), json!({})), MALFORMED).await;
    check(algorithm, &token(algorithm, json!({"typ": null}), json!({})), "ann").await;
}

#[tokio::test]
async fn signatures_that_are_none() {
    let es256 = token(Algorithm::ES256, json!({}), json!({}));
    let (message, signature) = es256.rsplit_once('.').unwrap();
    let bytes = URL_SAFE_NO_PAD.decode(signature).unwrap();
    // The order of the curve, and the signature in the encoding of X.509.
    let order = "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551";
    let order: Vec<u8> = (0..64).step_by(2).map(|at| u8::from_str_radix(&order[at..at + 2], 16).unwrap()).collect();
    let mut der = vec![0x30, 70, 2, 33, 0];
    der.extend_from_slice(&bytes[..32]);
    der.extend_from_slice(&[2, 33, 0]);
    der.extend_from_slice(&bytes[32..]);
    for forged in [
        vec![0; 64],
        [vec![0; 63], vec![1]].concat(),
        [vec![0; 31], vec![1], vec![0; 32]].concat(),
        [order.clone(), order].concat(),
        der,
        vec![0; 1],
        vec![],
        [bytes.clone(), vec![0]].concat(),
        bytes[..63].to_vec(),
    ] {
        check(Algorithm::ES256, &format!("{message}.{}", URL_SAFE_NO_PAD.encode(forged)), UNVERIFIED).await;
    }
    for algorithm in [Algorithm::RS256, Algorithm::PS256, Algorithm::EdDSA, Algorithm::HS256] {
        let good = token(algorithm, json!({}), json!({}));
        let (message, _) = good.rsplit_once('.').unwrap();
        for length in [0, 1, 32, 64, 256] {
            let zeros = URL_SAFE_NO_PAD.encode(vec![0; length]);
            check(algorithm, &format!("{message}.{zeros}"), UNVERIFIED).await;
        }
    }
    // RS256 and PS256 are two algorithms, though one key could do both.
    let rs = token(Algorithm::RS256, json!({"alg": "PS256"}), json!({}));
    check(Algorithm::PS256, &rs, UNVERIFIED).await;
}

#[tokio::test]
async fn forms_that_are_no_token() {
    let algorithm = Algorithm::HS256;
    let good = token(algorithm, json!({}), json!({}));
    let (message, signature) = good.rsplit_once('.').unwrap();
    let (head, payload) = message.split_once('.').unwrap();
    let resigned = |head: &str, payload: &str| {
        let message = format!("{head}.{payload}");
        let mac = Signer::of(algorithm).sign(algorithm, message.as_bytes());
        format!("{message}.{}", URL_SAFE_NO_PAD.encode(mac))
    };
    let spaced = encoded(&format!(" {} ", header(algorithm, json!({}))));
    check(algorithm, &resigned(&spaced, payload), "ann").await;
    for wrong in [
        "a".into(),
        "a.b".into(),
        "...".into(),
        "..".into(),
        format!("{good}."),
        format!(".{good}"),
        format!("{good}.x"),
        format!("{good}.x.y"),
        format!("{head}..{signature}"),
        format!("{good}="),
        format!("{good}=="),
        format!("{head}=.{payload}.{signature}"),
        resigned(&format!("{head}="), payload),
        resigned(head, &format!("{payload}=")),
        resigned(head, &format!("{payload}+")),
        resigned(&encoded("[]"), payload),
        resigned(&encoded("\"alg\""), payload),
        resigned(&encoded(""), payload),
        resigned(head, &encoded("[]")),
        resigned(head, &encoded("null")),
        resigned(head, &encoded("{}{}")),
        resigned(head, &URL_SAFE_NO_PAD.encode(b"{\"exp\":9e9,\"sub\":\"\xff\"}")),
        resigned(&URL_SAFE_NO_PAD.encode(b"\xef\xbb\xbf{\"alg\":\"HS256\"}"), payload),
    ] {
        check(algorithm, &wrong, MALFORMED).await;
    }
    // The other alphabet, where the text has a character in which they differ.
    let (mut with, mut count) = (good.clone(), 0);
    while !with.contains(['-', '_']) {
        count += 1;
        with = token(algorithm, json!({}), json!({"n": count}));
    }
    check(algorithm, &with.replace('-', "+").replace('_', "/"), MALFORMED).await;
}

#[tokio::test]
async fn members_that_stand_twice() {
    let algorithm = Algorithm::HS256;
    let text = claims(json!({})).to_string();
    let body = &text[1..];
    for wrong in [
        format!(r#"{{"sub":"eve",{body}"#),
        format!(r#"{{"exp":1,{body}"#),
        format!(r#"{{"\u0065xp":1,{body}"#),
        format!(r#"{{"x":1,"x":1,{body}"#),
    ] {
        let header = header(algorithm, json!({})).to_string();
        check(algorithm, &signed(&header, &wrong, algorithm, Signer::of(algorithm)), MALFORMED).await;
    }
    for wrong in
        [r#"{"alg":"none","alg":"HS256"}"#, r#"{"alg":"HS256","alg":"none"}"#, r#"{"alg":"HS256","a\u006cg":"HS256"}"#]
    {
        check(algorithm, &signed(wrong, &text, algorithm, Signer::of(algorithm)), MALFORMED).await;
    }
}

#[tokio::test]
async fn big_tokens_are_cheap() {
    let algorithm = Algorithm::RS256;
    let door = authenticator(&AuthOptions::Jwt(jwt_options(algorithm)), &Limits::default(), &Clock::default());
    let many: serde_json::Map<_, _> = (0..1500).map(|n| (format!("m{n}"), json!(n))).collect();
    let big = token(algorithm, json!({}), Value::Object(many));
    assert!((20_000..32_000).contains(&big.len()), "{}", big.len());
    let nested = format!("{}{}", "[".repeat(9_000), "]".repeat(9_000));
    let deep = signed(
        &header(algorithm, json!({})).to_string(),
        &format!(r#"{{"exp":9e9,"aud":"{AUDIENCE}","iss":"{ISSUER}","sub":"ann","x":{nested}}}"#),
        algorithm,
        Signer::of(algorithm),
    );
    let began = std::time::Instant::now();
    for _ in 0..20 {
        assert_eq!(judged(&door, &big).await, "ann");
        assert_eq!(judged(&door, &deep).await, "ann");
        assert_eq!(judged(&door, &deep.replace("x", "[")).await, MALFORMED);
        assert_eq!(judged(&door, &"a".repeat(40_000)).await, "the token is too long");
    }
    assert!(began.elapsed() < Duration::from_secs(2), "{:?}", began.elapsed());
}
