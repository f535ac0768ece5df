//! One layer over another: what wins, what stays, what is dropped and said to be.

use serde_json::{Value, json};

use super::{
    super::{CorsOptions, HttpStreamOptions, ServerOptions, SseOptions, TransportOptions},
    jwt,
    log::logged,
};
use crate::{
    auth::{ApiKeyOptions, AuthOptions},
    limits::Limits,
};

#[test]
fn a_layer_over_others() {
    let sse = SseOptions { port: 1, auth: jwt(), cors: Some(CorsOptions::default()), ..SseOptions::default() };
    let http =
        HttpStreamOptions { port: 1, auth: jwt(), cors: Some(CorsOptions::default()), ..HttpStreamOptions::default() };
    let over_sse = |layer: Value, expected: Result<TransportOptions, &str>, lines: &str| {
        check_over(TransportOptions::Sse(sse.clone()), layer, expected, lines);
    };
    let of_sse = |edit: fn(&mut SseOptions)| {
        let mut options = sse.clone();
        edit(&mut options);
        Ok(TransportOptions::Sse(options))
    };
    // What the layer lacks stays; a type need not be repeated.
    over_sse(json!({}), of_sse(|_| {}), "");
    let layer = json!({"transport": {"options": {"host": "h"}}});
    over_sse(layer, of_sse(|o| o.host = "h".into()), "");
    let layer = json!({"transport": {"options": {"cors": null}}});
    over_sse(layer, of_sse(|o| o.cors = None), "");
    // Authentication can be changed, not switched off.
    let layer = json!({"transport": {"options": {"auth": {"type": "apikey"}}}});
    over_sse(layer, of_sse(|o| o.auth = Some(AuthOptions::ApiKey(ApiKeyOptions::default()))), "jwt");
    let layer = json!({"transport": {"options": {"auth": {"options": {"issuer": "i"}}}}});
    let with_issuer = |o: &mut SseOptions| {
        if let Some(AuthOptions::Jwt(jwt)) = &mut o.auth {
            jwt.issuer = Some("i".into());
        }
    };
    over_sse(layer, of_sse(with_issuer), "");
    let refusal = "option `transport.options.auth` in the layer: authentication that is on cannot \
                   be switched off from outside; remove the null, or choose another `type` or the \
                   transport `stdio`";
    let layer = json!({"transport": {"options": {"auth": null}}});
    over_sse(layer, Err(refusal), "");
    let layer = json!({"transport": {"type": "http-stream", "options": {"auth": null}}});
    over_sse(layer, Err(refusal), "");
    // Another transport keeps what both have; an endpoint that nobody set follows the type.
    let layer = json!({"transport": {"type": "http-stream"}});
    over_sse(layer, Ok(TransportOptions::HttpStream(http.clone())), "");
    let layer = json!({"transport": {"type": "stdio"}});
    over_sse(layer, Ok(TransportOptions::Stdio), "port, cors, auth");
    let layer = json!({"transport": {"type": "sse"}});
    check_over(TransportOptions::HttpStream(http.clone()), layer, of_sse(|_| {}), "");
    let base = SseOptions { endpoint: "/own".into(), message_endpoint: "/m".into(), mcp_endpoint: None, ..sse.clone() };
    check_over(
        TransportOptions::Sse(base.clone()),
        json!({"transport": {"type": "http-stream"}}),
        Ok(TransportOptions::HttpStream(HttpStreamOptions { endpoint: "/own".into(), ..http })),
        "messageEndpoint, mcpEndpoint",
    );
    // A type without a meaning, and the name of the layer.
    check_over(
        TransportOptions::Sse(base),
        json!({"transport": {"options": {"prot": 1}}}),
        Err("unknown option `transport.options.prot` in the layer; did you mean `port`?"),
        "",
    );
}

#[test]
fn every_option_that_stdio_lacks_is_named() {
    let base = SseOptions {
        port: 1,
        host: "h".into(),
        endpoint: "/e".into(),
        message_endpoint: "/m".into(),
        mcp_endpoint: None,
        sessions: false,
        resumability: true,
        cors: Some(CorsOptions::default()),
        auth: jwt(),
        public_url: Some("http://h".into()),
        allowed_hosts: vec!["h".into()],
        limits: Limits { max_batch: None, ..Limits::default() },
        health_endpoint: None,
    };
    check_over(
        TransportOptions::Sse(base),
        json!({"transport": {"type": "stdio"}}),
        Ok(TransportOptions::Stdio),
        "port, host, endpoint, sessions, resumability, cors, auth, publicUrl, allowedHosts, \
         limits, healthEndpoint, messageEndpoint, mcpEndpoint",
    );
}

/// What a layer over a transport amounts to, and the options that the log calls dropped.
#[track_caller]
fn check_over(base: TransportOptions, layer: Value, expected: Result<TransportOptions, &str>, dropped: &str) {
    let mut options = ServerOptions::new("n", "v");
    options.transport = base;
    let before = options.clone();
    let (result, lines) = logged(|| options.apply(&layer, "the layer"));
    match expected {
        Ok(transport) => {
            result.unwrap();
            assert_eq!(options.transport, transport, "{layer}");
        }
        Err(message) => {
            assert_eq!(result.unwrap_err().to_string(), message, "{layer}");
            assert_eq!(options, before, "a refused layer must change nothing");
        }
    }
    let expected = if dropped.is_empty() {
        0
    } else {
        assert!(lines[0].contains(&format!("options={dropped} ")), "{lines:?}");
        1
    };
    assert_eq!(lines.len(), expected, "{layer}: {lines:?}");
}
