//! Files, variables and flags, and what becomes of them, as tables.

use std::{cell::RefCell, ffi::OsString, io, path::Path, time::Duration};

use serde_json::{Value, json};
use tracing::level_filters::LevelFilter;

use super::{
    super::{
        CorsOptions, HttpStreamOptions, ServerOptions, SseOptions, TransportOptions,
        auth::AuthKind,
        tests::{jwt, log::logged},
    },
    Layers, Outcome, Target, Via, settings,
};
use crate::{
    auth::{Algorithm, ApiKey, ApiKeyOptions, AuthOptions, JwtOptions, OAuthOptions},
    config::draft::Kind,
    limits::Limits,
    server::error::Error,
};

const FILES: [(&str, &str); 14] = [
    (
        "values.json",
        r#"{"name": "n", "instructions": null, "transport": {"type": "http-stream", "options": {
            "sessions": true, "allowedHosts": ["h"], "limits": {
                "callTimeoutSeconds": 0.5, "maxBatch": 1}}}}"#,
    ),
    ("twice.json", r#"{"transport": {"type": "sse", "options": {"auth": {"type": "jwt"}, "auth": null}}}"#),
    ("sse.json", r#"{"transport": {"type": "sse", "options": {"port": 1, "host": "file"}}}"#),
    (
        "http.toml",
        "name = 'toml'\n[transport]\ntype = 'http-stream'\n[transport.options]\nport = 2\n\
         healthEndpoint = false\ncors.allowOrigins = ['https://a']\nlimits.maxBatch = false\n",
    ),
    ("plain", r#"{"name": "plain"}"#),
    ("options.json", r#"{"transport": {"options": {"messageEndpoint": "/file"}}}"#),
    ("guarded.json", r#"{"transport": {"type": "sse", "options": {"auth": {"type": "jwt", "options": {}}}}}"#),
    ("stdio.json", r#"{"transport": {"type": "stdio"}}"#),
    ("open.json", r#"{"transport": {"type": "sse", "options": {"auth": null}}}"#),
    ("wrong.json", r#"{"nam": 1, "transport": {"type": "sse", "options": {"endpoint": "x"}}}"#),
    ("path.json", r#"{"transport": {"type": "sse", "options": {"endpoint": "x"}}}"#),
    ("broken.json", "{\"name\": \"hunter2\",\n}"),
    ("broken.toml", "version = '1'\nname = hunter2"),
    ("secret", "\u{feff}from-a-file\r\n"),
];

#[test]
fn every_variable_and_its_flag() {
    type Edit = fn(&mut SseOptions);
    let table: [(&str, &str, Edit); 9] = [
        ("MCP_HOST", "::1", |o| o.host = "::1".into()),
        ("MCP_PORT", "9000", |o| o.port = 9000),
        ("MCP_PORT", " 0 ", |o| o.port = 0),
        ("MCP_ENDPOINT", "/e", |o| o.endpoint = "/e".into()),
        ("MCP_MESSAGE_ENDPOINT", "/m", |o| o.message_endpoint = "/m".into()),
        ("MCP_ALLOW_ORIGINS", "https://a, https://b,", |o| {
            o.cors = Some(CorsOptions { allow_origins: vec!["https://a".into(), "https://b".into()] })
        }),
        ("MCP_PUBLIC_URL", "https://a", |o| o.public_url = Some("https://a".into())),
        ("MCP_SESSIONS", "false", |o| o.sessions = false),
        ("MCP_SESSIONS", "true", |_| {}),
    ];
    for (variable, text, edit) in table {
        let mut expected = SseOptions::default();
        edit(&mut expected);
        let expected = TransportOptions::Sse(expected);
        let sse = TransportOptions::Sse(SseOptions::default());
        let flag = settings::flag_of(variable);
        let joined = format!("{flag}={text}");
        check(sse.clone(), &[], &[(variable, text)], Ok(expected.clone()));
        check(sse.clone(), &[&flag, text], &[], Ok(expected.clone()));
        check(sse.clone(), &[&joined], &[], Ok(expected));
        check(sse.clone(), &[], &[(variable, "")], Ok(sse));
    }
}

#[test]
fn every_transport() {
    let table = [
        ("stdio", TransportOptions::Stdio),
        ("sse", TransportOptions::Sse(SseOptions::default())),
        ("http-stream", TransportOptions::HttpStream(HttpStreamOptions::default())),
    ];
    for (word, expected) in table {
        let base = TransportOptions::HttpStream(HttpStreamOptions::default());
        let variable = [("MCP_TRANSPORT", word)];
        check(base.clone(), &[], &variable, Ok(expected.clone()));
        check(base, &["--transport", word], &[], Ok(expected));
    }
}

#[test]
fn later_layers_win() {
    let file = |edit: fn(&mut SseOptions)| {
        let mut options = SseOptions { port: 1, host: "file".into(), ..SseOptions::default() };
        edit(&mut options);
        Ok(TransportOptions::Sse(options))
    };
    let code =
        TransportOptions::Sse(SseOptions { port: 7, host: "code".into(), sessions: false, ..SseOptions::default() });
    let config = ("MCP_CONFIG", "sse.json");
    let stdio = TransportOptions::Stdio;
    let check = |base: &TransportOptions, arguments: &[&str], variables: &[(&str, &str)], expected| {
        check(base.clone(), arguments, variables, expected);
    };
    check(&code, &[], &[config], file(|o| o.sessions = false));
    check(&stdio, &[], &[config, ("MCP_PORT", "2")], file(|o| o.port = 2));
    check(&stdio, &["--port", "3"], &[config, ("MCP_PORT", "2")], file(|o| o.port = 3));
    // `--config` wins over `MCP_CONFIG`.
    check(&stdio, &["--config", "sse.json"], &[("MCP_CONFIG", "missing")], file(|_| {}));
    // The file is read for the transport that a later layer chooses.
    let late = [("MCP_CONFIG", "options.json"), ("MCP_TRANSPORT", "sse")];
    let sse = SseOptions { message_endpoint: "/file".into(), ..SseOptions::default() };
    check(&stdio, &[], &late, Ok(TransportOptions::Sse(sse)));
    // A transport that is chosen in passing loses nothing.
    let passing = [("MCP_CONFIG", "stdio.json"), ("MCP_TRANSPORT", "stdio")];
    check(&code, &["--transport", "sse"], &passing, Ok(code.clone()));
    // Variables are for the transport that serves, whoever chose it.
    check(
        &stdio,
        &["--transport=http-stream"],
        &[("MCP_TRANSPORT", "stdio"), ("MCP_PORT", "5")],
        Ok(TransportOptions::HttpStream(HttpStreamOptions { port: 5, ..HttpStreamOptions::default() })),
    );
}

#[test]
fn authentication_stays_on() {
    let guarded = TransportOptions::Sse(SseOptions { auth: jwt(), ..SseOptions::default() });
    let http = TransportOptions::HttpStream(HttpStreamOptions { auth: jwt(), ..HttpStreamOptions::default() });
    let refusal = "option `transport.options.auth` in the file open.json: authentication that is on \
                   cannot be switched off from outside; remove the null, or choose another `type` \
                   or the transport `stdio`";
    check(guarded.clone(), &["--config", "open.json"], &[], Err(refusal));
    let passing = [("MCP_CONFIG", "stdio.json"), ("MCP_TRANSPORT", "http-stream")];
    check(guarded.clone(), &[], &passing, Ok(http));
    check(guarded.clone(), &["--transport", "stdio"], &[], Ok(TransportOptions::Stdio));
    check(
        guarded,
        &[],
        &[("MCP_AUTH", "none")],
        Err("option `MCP_AUTH`: expected `jwt`, `apikey` or `oauth`, got another word"),
    );
}

#[test]
fn files() {
    let http = |edit: fn(&mut HttpStreamOptions)| {
        let mut options = HttpStreamOptions {
            port: 2,
            health_endpoint: None,
            cors: Some(CorsOptions { allow_origins: vec!["https://a".into()] }),
            ..HttpStreamOptions::default()
        };
        options.limits.max_batch = None;
        edit(&mut options);
        Ok(TransportOptions::HttpStream(options))
    };
    let table = [
        ("http.toml", http(|_| {})),
        ("plain", Ok(TransportOptions::Stdio)),
        (
            "values.json",
            Ok(TransportOptions::HttpStream(HttpStreamOptions {
                allowed_hosts: vec!["h".into()],
                limits: Limits {
                    call_timeout: Some(Duration::from_millis(500)),
                    max_batch: Some(1),
                    ..Limits::default()
                },
                ..HttpStreamOptions::default()
            })),
        ),
        (
            "twice.json",
            Err("cannot read twice.json (named by --config): cannot be taken as JSON: `auth` \
                 stands twice at line 1 column 73"),
        ),
        ("missing.json", Err("cannot read missing.json (named by --config): entity not found")),
        (
            "broken.json",
            Err("cannot read broken.json (named by --config): cannot be taken as JSON: trailing comma at line \
                 2 column 1"),
        ),
        (
            "broken.toml",
            Err("cannot read broken.toml (named by --config): is not TOML: string values must be \
                 quoted, expected literal string at line 2"),
        ),
        ("wrong.json", Err("unknown option `nam` in the file wrong.json; did you mean `name`?")),
        // What is only found wrong in the end still names its layer.
        (
            "path.json",
            Err("option `transport.options.endpoint` in the file path.json: `x` must begin with \
                 `/`"),
        ),
    ];
    for (path, expected) in table {
        check(TransportOptions::Stdio, &["--config", path], &[], expected);
    }
}

#[test]
fn what_a_file_names() {
    let layers = layers(&["--config", "http.toml"], &[]);
    let Ok(Outcome::Serve(options)) = layers.apply(ServerOptions::new("n", "v")) else { panic!("no options") };
    assert_eq!((options.name.as_str(), options.version.as_str()), ("toml", "v"));
}

#[test]
fn mistakes() {
    let sse = || TransportOptions::Sse(SseOptions::default());
    let stdio = || TransportOptions::Stdio;
    type Case<'c> = (TransportOptions, &'c [&'c str], &'c [(&'c str, &'c str)], &'c str);
    let table: &[Case<'_>] = &[
        (
            stdio(),
            &[],
            &[("MCP_TRANSPORT", "http")],
            "option `MCP_TRANSPORT`: expected `stdio`, `sse` or `http-stream`, got `http`",
        ),
        (
            sse(),
            &["--port", "x"],
            &[("MCP_PORT", "65536"), ("MCP_SESSIONS", "yes")],
            "option `MCP_PORT`: expected a port, 0 to 65535, got `65536`\n\
             option `MCP_SESSIONS`: expected `true` or `false`, got `yes`\n\
             option `--port`: expected a port, 0 to 65535, got `x`",
        ),
        (
            sse(),
            &["--endpoint", "e"],
            &[("MCP_ALLOW_ORIGINS", "https://a,b")],
            "option `transport.options.endpoint` in --endpoint: `e` must begin with `/`\n\
             option `transport.options.cors.allowOrigins[1]` in MCP_ALLOW_ORIGINS: `b` must be \
             `scheme://host` or `scheme://host:port`, without a path or a final `/`, or `*`",
        ),
        // Mistakes of all layers are reported together.
        (
            stdio(),
            &["--config", "wrong.json", "--oops"],
            &[("MCP_PORT", "x")],
            "unknown option `--oops`\n\
             unknown option `nam` in the file wrong.json; did you mean `name`?\n\
             option `MCP_PORT`: expected a port, 0 to 65535, got `x`",
        ),
        // After a wrong choice nothing is called unfit for it.
        (
            stdio(),
            &["--transport", "http", "--port", "1", "--auth=hunter", "--jwt-issuer=i"],
            &[],
            "option `--transport`: expected `stdio`, `sse` or `http-stream`, got `http`\n\
             option `--auth`: expected `jwt`, `apikey` or `oauth`, got another word",
        ),
        (
            sse(),
            &["--prot", "1", "--Port=1", "--portt"],
            &[],
            "unknown option `--prot`; did you mean `--port`?\n\
             unknown option `--Port`; did you mean `--port`?\n\
             unknown option `--portt`; did you mean `--port`?",
        ),
        (
            sse(),
            &["--port", "1", "--port=1", "--config", "plain", "--config=plain"],
            &[],
            "flag `--port` is given more than once; keep one\n\
             flag `--config` is given more than once; keep one",
        ),
        (
            sse(),
            &["--host", "--port", "1", "--endpoint="],
            &[],
            "option `--host`: needs a value\noption `--endpoint`: needs a value",
        ),
        (
            sse(),
            &["serve", "-p", "1"],
            &[],
            "unexpected argument `serve`; every setting is a flag, see `--help`\n\
             unknown option `-p`",
        ),
        (
            sse(),
            &["--jwt-secret", "hunter2", "--api-keys=hunter2", "--oauth-client-secret"],
            &[],
            "option `--jwt-secret`: every user of this machine can read a secret on a command \
             line; set `MCP_JWT_SECRET` or `MCP_JWT_SECRET_FILE`\n\
             option `--api-keys`: every user of this machine can read a secret on a command line; \
             set `MCP_API_KEYS` or `MCP_API_KEYS_FILE`\n\
             option `--oauth-client-secret`: every user of this machine can read a secret on a \
             command line; set `MCP_OAUTH_CLIENT_SECRET` or `MCP_OAUTH_CLIENT_SECRET_FILE`",
        ),
        // Flags that what serves has no use for.
        (
            stdio(),
            &["--port", "1", "--auth", "jwt"],
            &[],
            "option `--port`: only goes with the transport `sse` or `http-stream`, see \
             `--transport` and `--auth`\n\
             option `--auth`: only goes with the transport `sse` or `http-stream`, see \
             `--transport` and `--auth`",
        ),
        (
            sse(),
            &["--transport", "http-stream", "--message-endpoint", "/m"],
            &[],
            "option `--message-endpoint`: only goes with the transport `sse`, see `--transport` \
             and `--auth`",
        ),
        (
            sse(),
            &["--auth", "jwt", "--api-key-header", "X-Key"],
            &[],
            "option `--api-key-header`: only goes with the authentication `apikey`, see \
             `--transport` and `--auth`",
        ),
        // A listener that was meant to be guarded does not open unguarded.
        (
            sse(),
            &[],
            &[("MCP_API_KEYS", "hunter2")],
            "`MCP_API_KEYS` is set, but no authentication is chosen; add `MCP_AUTH=apikey`, or \
             remove `MCP_API_KEYS`",
        ),
        (
            sse(),
            &["--jwt-issuer", "i"],
            &[],
            "`--jwt-issuer` is set, but no authentication is chosen; add `--auth=jwt`, or remove \
             `--jwt-issuer`",
        ),
        // Secrets in files.
        (
            sse(),
            &[],
            &[("MCP_AUTH", "jwt"), ("MCP_JWT_SECRET", "hunter2"), ("MCP_JWT_SECRET_FILE", "secret")],
            "`MCP_JWT_SECRET` and `MCP_JWT_SECRET_FILE` are both set; keep one",
        ),
        (
            sse(),
            &[],
            &[("MCP_AUTH", "jwt"), ("MCP_JWT_SECRET_FILE", "missing")],
            "cannot read missing (named by MCP_JWT_SECRET_FILE): entity not found",
        ),
    ];
    for (base, arguments, variables, message) in table {
        check(base.clone(), arguments, variables, Err(message));
    }
}

#[test]
fn variables_that_nothing_has_a_use_for() {
    let stdio = TransportOptions::Stdio;
    let sse = TransportOptions::Sse(SseOptions { auth: jwt(), ..SseOptions::default() });
    let http = TransportOptions::HttpStream(HttpStreamOptions::default());
    type Case<'c> = (TransportOptions, &'c [(&'c str, &'c str)], &'c [&'c str]);
    let table: [Case<'_>; 5] = [
        (stdio.clone(), &[("MCP_SOMETHING", "x"), ("PORT", "1")], &[]),
        (
            stdio.clone(),
            &[("MCP_PORT", "x"), ("MCP_AUTH", "hunter2"), ("MCP_JWT_SECRET", "hunter2")],
            &["MCP_PORT", "MCP_AUTH", "MCP_JWT_SECRET"],
        ),
        (stdio, &[("MCP_JWT_SECRET_FILE", "missing")], &["MCP_JWT_SECRET_FILE"]),
        (http, &[("MCP_MESSAGE_ENDPOINT", "/m")], &["MCP_MESSAGE_ENDPOINT"]),
        (sse, &[("MCP_API_KEYS", "hunter2")], &["MCP_API_KEYS"]),
    ];
    for (base, variables, ignored) in table {
        let run = || check(base.clone(), &[], variables, Ok(base.clone()));
        let ((), lines) = logged(run);
        assert_eq!(lines.len(), ignored.len(), "{lines:?}");
        for (line, variable) in lines.iter().zip(ignored) {
            assert!(line.contains(&format!("variable={variable} ")), "{line}");
            assert!(!line.contains("hunter2"), "{line}");
        }
    }
}

#[test]
fn variables_of_authentication() {
    type Case<'c> = (AuthKind, &'c [(&'c str, &'c str)], Value);
    let table: [Case<'_>; 4] = [
        (
            AuthKind::Jwt,
            &[
                ("MCP_JWT_SECRET", " hunter2 "),
                ("MCP_JWT_PUBLIC_KEY", "pem"),
                ("MCP_JWT_JWKS_URI", "uri"),
                ("MCP_JWT_ALGORITHMS", "RS256, ES256"),
                ("MCP_JWT_ISSUER", "iss"),
                ("MCP_JWT_AUDIENCE", "aud"),
            ],
            json!({"type": "jwt", "options": {
                "secret": " hunter2 ", "publicKey": "pem", "jwksUri": "uri",
                "algorithms": ["RS256", "ES256"], "issuer": "iss", "audience": "aud"}}),
        ),
        (
            AuthKind::Jwt,
            &[("MCP_JWT_SECRET_FILE", "secret"), ("MCP_JWT_PUBLIC_KEY_FILE", "secret")],
            json!({"type": "jwt", "options": {
                "secret": "from-a-file", "publicKey": "from-a-file"}}),
        ),
        (
            AuthKind::ApiKey,
            &[("MCP_API_KEYS", "a,b"), ("MCP_API_KEY_HEADER", "X-Key"), ("MCP_API_KEY_QUERY_PARAM", "key")],
            json!({"type": "apikey", "options": {
                "keys": ["a", "b"], "headerName": "X-Key", "queryParam": "key"}}),
        ),
        (
            AuthKind::OAuth,
            &[
                ("MCP_OAUTH_ISSUER_URL", "url"),
                ("MCP_OAUTH_CLIENT_ID", "id"),
                ("MCP_OAUTH_CLIENT_SECRET_FILE", "secret"),
                ("MCP_OAUTH_AUDIENCE", "aud"),
                ("MCP_OAUTH_SCOPES", "a b, c"),
            ],
            json!({"type": "oauth", "options": {
                "issuerUrl": "url", "clientId": "id", "clientSecret": "from-a-file",
                "audience": "aud", "scopes": ["a", "b", "c"]}}),
        ),
    ];
    for (auth, variables, expected) in table {
        let layers = layers(&[], variables);
        let target = Target { kind: Kind::Sse, auth: Some(auth), unknown: false };
        let mut errors = Vec::new();
        let given = layers.given_variables(&mut errors);
        let given = target.fitting(given, Via::Environment, &mut errors);
        let layer = layers.layer(&given, target, &mut errors);
        assert!(errors.is_empty(), "{errors:?}");
        assert_eq!(layer["transport"]["options"]["auth"], expected);
    }
}

#[test]
fn every_variable_of_authentication() {
    let jwt = |edit: fn(&mut JwtOptions)| {
        let mut jwt = JwtOptions {
            algorithms: vec![Algorithm::HS256],
            secret: Some("s".repeat(32).into()),
            ..JwtOptions::default()
        };
        edit(&mut jwt);
        AuthOptions::Jwt(jwt)
    };
    let keys = || ApiKeyOptions { keys: vec![ApiKey::from("k")], ..ApiKeyOptions::default() };
    let oauth = |edit: fn(&mut OAuthOptions)| {
        let mut oauth = OAuthOptions {
            issuer_url: "https://i".into(),
            client_id: "id".into(),
            client_secret: "secret".into(),
            ..OAuthOptions::default()
        };
        edit(&mut oauth);
        AuthOptions::OAuth(oauth)
    };
    const PEM: &str = include_str!("../../auth/fixtures/ed25519.pub.pem");
    type Case<'c> = (AuthOptions, &'c [(&'c str, &'c str)], AuthOptions);
    let table: Vec<Case<'_>> = vec![
        (jwt(|_| {}), &[("MCP_JWT_ALGORITHMS", "HS512, HS384")], {
            jwt(|o| o.algorithms = vec![Algorithm::HS512, Algorithm::HS384])
        }),
        (jwt(|_| {}), &[("MCP_JWT_SECRET", "tttttttttttttttttttttttttttttttt")], {
            jwt(|o| o.secret = Some("t".repeat(32).into()))
        }),
        (jwt(|_| {}), &[("MCP_JWT_ISSUER", "i")], jwt(|o| o.issuer = Some("i".into()))),
        (jwt(|_| {}), &[("MCP_JWT_AUDIENCE", "a")], jwt(|o| o.audience = Some("a".into()))),
        (
            AuthOptions::Jwt(JwtOptions::default()),
            &[("MCP_JWT_PUBLIC_KEY", PEM), ("MCP_JWT_ALGORITHMS", "EdDSA")],
            AuthOptions::Jwt(JwtOptions {
                algorithms: vec![Algorithm::EdDSA],
                public_key: Some(PEM.trim().into()),
                ..JwtOptions::default()
            }),
        ),
        (
            AuthOptions::Jwt(JwtOptions::default()),
            &[("MCP_JWT_JWKS_URI", "https://i/jwks"), ("MCP_JWT_ALGORITHMS", "EdDSA")],
            AuthOptions::Jwt(JwtOptions {
                algorithms: vec![Algorithm::EdDSA],
                jwks_uri: Some("https://i/jwks".into()),
                ..JwtOptions::default()
            }),
        ),
        (AuthOptions::ApiKey(ApiKeyOptions::default()), &[("MCP_API_KEYS", "k")], AuthOptions::ApiKey(keys())),
        (
            AuthOptions::ApiKey(keys()),
            &[("MCP_API_KEY_HEADER", "X-Key"), ("MCP_API_KEY_QUERY_PARAM", "key")],
            AuthOptions::ApiKey(ApiKeyOptions {
                header_name: "X-Key".into(),
                query_param: Some("key".into()),
                ..keys()
            }),
        ),
        (oauth(|_| {}), &[("MCP_OAUTH_ISSUER_URL", "https://j")], oauth(|o| o.issuer_url = "https://j".into())),
        (oauth(|_| {}), &[("MCP_OAUTH_CLIENT_ID", "other")], oauth(|o| o.client_id = "other".into())),
        (oauth(|_| {}), &[("MCP_OAUTH_CLIENT_SECRET", "other")], oauth(|o| o.client_secret = "other".into())),
        (oauth(|_| {}), &[("MCP_OAUTH_AUDIENCE", "a")], oauth(|o| o.audience = Some("a".into()))),
        (oauth(|_| {}), &[("MCP_OAUTH_SCOPES", "a b")], oauth(|o| o.scopes = vec!["a".into(), "b".into()])),
    ];
    let sse = |auth| TransportOptions::Sse(SseOptions { auth: Some(auth), ..SseOptions::default() });
    let open = TransportOptions::Sse(SseOptions::default());
    check(open, &[], &[("MCP_AUTH", "apikey"), ("MCP_API_KEYS", "k")], Ok(sse(AuthOptions::ApiKey(keys()))));
    for (base, variables, expected) in table {
        check(sse(base.clone()), &[], variables, Ok(sse(expected.clone())));
        let setting = |name| settings::SETTINGS.iter().find(|setting| setting.variable == name).unwrap();
        // The same by flags, where there are some.
        if variables.iter().all(|(name, _)| !setting(*name).is_secret()) {
            let arguments: Vec<_> =
                variables.iter().map(|(name, text)| format!("{}={text}", settings::flag_of(name))).collect();
            let arguments: Vec<_> = arguments.iter().map(String::as_str).collect();
            check(sse(base.clone()), &arguments, &[], Ok(sse(expected.clone())));
        }
        // And by files that variables or flags name.
        let Some((named, text)) = variables.iter().find(|(name, _)| setting(*name).may_be_file()) else { continue };
        let others = || variables.iter().filter(|(name, _)| name != named).map(|(name, text)| (*name, *text));
        let variable = format!("{named}_FILE");
        let flag = format!("{}-file=file", settings::flag_of(named));
        let by_variable = others().chain([(variable.as_str(), "file")]).collect::<Vec<_>>();
        for (arguments, variables) in [(vec![], by_variable), (vec![flag.as_str()], others().collect())] {
            let bytes = format!("{text}\n").into_bytes();
            let layers = Layers::new(&arguments, variables.iter().copied(), move |path| {
                assert_eq!(path, Path::new("file"));
                Ok(bytes.clone())
            });
            let mut options = ServerOptions::new("n", "v");
            options.transport = sse(base.clone());
            match layers.apply(options) {
                Ok(Outcome::Serve(options)) => assert_eq!(options.transport, sse(expected.clone()), "{variables:?}"),
                other => panic!("{arguments:?} {variables:?}: {other:?}"),
            }
        }
    }
}

#[test]
fn a_process_is_asked_for_each_variable_that_is_heeded() {
    let asked: Vec<_> = settings::variables().filter(|name| name != settings::CONFIG).collect();
    let heeded = layers(&[], &asked.iter().map(|name| (&**name, "x")).collect::<Vec<_>>());
    let mut errors = Vec::new();
    let heeded = heeded.given_variables(&mut errors).len();
    assert_eq!((asked.len(), errors.len()), (heeded, 0));
    let files = settings::SETTINGS.iter().filter(|setting| setting.may_be_file()).count();
    assert_eq!(asked.len(), settings::SETTINGS.len() + files);
    assert!(settings::variables().any(|name| name == settings::CONFIG));
}

#[test]
fn the_level_of_the_log_is_told_and_no_option() {
    for (arguments, variables, expected) in [
        (&[][..], &[][..], vec![]),
        (&["--log", "debug"], &[("MCP_LOG", "off")], vec![LevelFilter::DEBUG]),
        (&[], &[("MCP_LOG", "off")], vec![LevelFilter::OFF]),
        (&["--transport", "sse"], &[("MCP_LOG", "")], vec![]),
    ] {
        let (mut options, told) = (ServerOptions::default(), RefCell::new(Vec::new()));
        let log = |level| told.borrow_mut().push(level);
        assert!(matches!(layers(arguments, variables).lay_over(&mut options, None, &log), Ok(None)));
        assert_eq!(told.into_inner(), expected, "{arguments:?} {variables:?}");
    }
}

#[test]
fn what_is_missing_is_named_all_at_once() {
    let sse = TransportOptions::Sse(SseOptions::default());
    check(
        sse.clone(),
        &["--auth", "oauth"],
        &[],
        Err("option `transport.options.auth.options.issuerUrl`: is missing; set the provider's URL \
             (MCP_OAUTH_ISSUER_URL)\n\
             option `transport.options.auth.options.clientId`: is missing; set what this server is called at the \
             provider (MCP_OAUTH_CLIENT_ID)\n\
             option `transport.options.auth.options.clientSecret`: is missing; set its secret there \
             (MCP_OAUTH_CLIENT_SECRET)"),
    );
    check(
        sse.clone(),
        &[],
        &[("MCP_AUTH", "jwt")],
        Err("option `transport.options.auth.options.algorithms`: is missing; list the algorithms that tokens may be \
             signed with, e.g. RS256 (MCP_JWT_ALGORITHMS)\n\
             option `transport.options.auth.options.jwksUri`: no key is given; set one of `secret` (MCP_JWT_SECRET), \
             `publicKey` (MCP_JWT_PUBLIC_KEY) and `jwksUri` (MCP_JWT_JWKS_URI)"),
    );
    check(
        sse.clone(),
        &[],
        &[("MCP_AUTH", "apikey")],
        Err("option `transport.options.auth.options.keys`: is missing; list the keys that open the server \
             (MCP_API_KEYS)"),
    );
    // A wrong value is not repeated, and its variable is named.
    check(
        sse,
        &[],
        &[("MCP_AUTH", "jwt"), ("MCP_JWT_SECRET", "hunter2"), ("MCP_JWT_ALGORITHMS", "HS256")],
        Err("option `transport.options.auth.options.secret` in MCP_JWT_SECRET: is too short to be safe; 32 bytes are \
             the least"),
    );
}

#[test]
fn a_key_that_begins_with_dashes() {
    let key = "-----BEGIN PUBLIC KEY-----";
    let flags = super::flags::parse(&["--jwt-public-key".into(), key.into()]);
    assert_eq!(flags.given[0].text, key);
    assert!(flags.errors.is_empty(), "{:?}", flags.errors);
}

#[test]
fn api_keys_of_a_file_may_stand_on_lines() {
    let layers = Layers::new([""; 0], [("MCP_API_KEYS_FILE", "keys")], |_| Ok(b"a\nb,c\r\n".to_vec()));
    let target = Target { kind: Kind::Sse, auth: Some(AuthKind::ApiKey), unknown: false };
    let mut errors = Vec::new();
    let given = layers.given_variables(&mut errors);
    let layer = layers.layer(&given, target, &mut errors);
    let keys = &layer["transport"]["options"]["auth"]["options"]["keys"];
    assert_eq!(*keys, json!(["a", "b", "c"]));
}

#[test]
fn help_lists_every_flag_variable_and_default() {
    for arguments in [["--help"].as_slice(), &["-h"], &["--port", "x", "--help"], &["--help=x"]] {
        let Ok(Outcome::Show(text)) = layers(arguments, &[]).apply(ServerOptions::new("n", "1")) else {
            panic!("no help for {arguments:?}")
        };
        assert!(text.starts_with("n 1, an MCP server\n"), "{text}");
        for flag in settings::flags() {
            assert!(text.contains(&format!("  {flag} ")), "{flag}\n{text}");
        }
        for setting in &settings::SETTINGS {
            assert!(text.contains(&format!(" {} ", setting.variable)), "{text}");
        }
        let SseOptions { port, host, .. } = SseOptions::default();
        for default in ["(stdio)", &format!("({port})"), &format!("({host})"), "(/messages)"] {
            assert!(text.contains(default), "{default}\n{text}");
        }
        assert!(!text.contains("--jwt-secret "), "{text}");
        assert!(text.lines().all(|line| line.len() <= 120), "{text}");
    }
    for flag in ["--version", "-V"] {
        let outcome = layers(&[flag], &[]).apply(ServerOptions::new("n", "1"));
        assert_eq!(outcome.unwrap(), Outcome::Show("n 1\n".into()));
    }
}

#[test]
fn nothing_shows_a_secret() {
    let layers = layers(&[], &[("MCP_JWT_SECRET", "hunter2")]);
    assert!(!format!("{layers:?}").contains("hunter2"));
    for path in ["broken.json", "broken.toml"] {
        let error = refusal(&["--config", path], &[]);
        assert!(!error.to_string().contains("hunter2"), "{error}");
    }
}

#[cfg(unix)]
#[test]
fn text_that_is_not_utf8() {
    use std::os::unix::ffi::OsStringExt as _;
    let broken = OsString::from_vec(vec![0xff]);
    let table = [
        (vec![OsString::from("--host"), broken.clone()], vec![], "option `--host`: is not UTF-8"),
        (vec![], vec![("MCP_HOST", broken)], "option `MCP_HOST`: is not UTF-8"),
    ];
    for (arguments, variables, message) in table {
        let layers = Layers::new(arguments, variables, |_| Ok(Vec::new()));
        let mut options = ServerOptions::new("n", "v");
        options.transport = TransportOptions::Sse(SseOptions::default());
        assert_eq!(layers.apply(options).unwrap_err().to_string(), message);
    }
}

#[test]
fn a_file_without_an_end() {
    let error = super::read_bounded(Path::new(if cfg!(unix) { "/dev/zero" } else { "nul" }));
    if cfg!(unix) {
        assert_eq!(error.unwrap_err().to_string(), "is larger than 1 MiB");
    }
}

fn layers(arguments: &[&str], variables: &[(&str, &str)]) -> Layers {
    Layers::new(arguments, variables.iter().copied(), |path| {
        let file = FILES.iter().find(|(name, _)| Path::new(name) == path);
        match file {
            Some((_, text)) => Ok(text.as_bytes().to_vec()),
            None => Err(io::ErrorKind::NotFound.into()),
        }
    })
}

fn refusal(arguments: &[&str], variables: &[(&str, &str)]) -> Error {
    layers(arguments, variables).apply(ServerOptions::new("n", "v")).unwrap_err()
}

/// What flags and variables make of a transport that the code chose.
#[track_caller]
fn check(
    base: TransportOptions,
    arguments: &[&str],
    variables: &[(&str, &str)],
    expected: Result<TransportOptions, &str>,
) {
    let mut options = ServerOptions::new("n", "v");
    options.transport = base;
    let found = layers(arguments, variables).apply(options);
    match expected {
        Ok(transport) => match found {
            Ok(Outcome::Serve(options)) => {
                assert_eq!(options.transport, transport, "{arguments:?} {variables:?}");
            }
            other => panic!("{arguments:?} {variables:?}: {other:?}"),
        },
        Err(message) => {
            let error = found.unwrap_err();
            assert_eq!(error.to_string(), message, "{arguments:?} {variables:?}");
        }
    }
}

#[test]
fn keys_that_seal_go_with_every_transport() {
    const KEYS: &str = "0123456789abcdef0123456789abcdef, a second of thirty-two bytes or more";
    let check = |variables: &[(&str, &str)], expected: Result<usize, &str>| {
        let file = |path: &Path| match path.to_str() {
            Some("keys") => Ok(KEYS.replace(", ", "\n").into_bytes()),
            _ => Err(io::ErrorKind::NotFound.into()),
        };
        let layers = Layers::new::<&str, _, _>([], variables.iter().copied(), file);
        let found = layers.apply(ServerOptions::new("n", "1")).map(|outcome| match outcome {
            Outcome::Serve(options) => options.state_keys.len(),
            Outcome::Show(text) => panic!("{text}"),
        });
        match (found, expected) {
            (Ok(found), Ok(expected)) => assert_eq!(found, expected, "{variables:?}"),
            (Err(error), Err(expected)) => assert_eq!(error.to_string(), expected),
            (found, expected) => panic!("{found:?}, not {expected:?}"),
        }
    };
    check(&[], Ok(0));
    check(&[("MCP_STATE_KEYS", KEYS)], Ok(2));
    check(&[("MCP_STATE_KEYS", KEYS), ("MCP_TRANSPORT", "sse")], Ok(2));
    check(&[("MCP_STATE_KEYS_FILE", "keys")], Ok(2));
    check(
        &[("MCP_STATE_KEYS", "hunter2")],
        Err("option `stateKeys[0]` in MCP_STATE_KEYS: must have at least 32 bytes, as from `openssl rand -base64 32`"),
    );
}
