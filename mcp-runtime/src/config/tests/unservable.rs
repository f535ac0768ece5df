//! Options that no listener can serve, and what is said of them before one starts.

use super::{
    super::{CorsOptions, HttpStreamOptions, ServerOptions, SseOptions, TransportOptions},
    jwt,
};

#[test]
fn what_cannot_be_served() {
    let sse = |edit: fn(&mut SseOptions)| {
        let mut options = SseOptions::default();
        edit(&mut options);
        TransportOptions::Sse(options)
    };
    let http = |edit: fn(&mut HttpStreamOptions)| {
        let mut options = HttpStreamOptions::default();
        edit(&mut options);
        TransportOptions::HttpStream(options)
    };
    fn origins(origins: &[&str]) -> Option<CorsOptions> {
        let allow_origins = origins.iter().map(|&origin| origin.into()).collect();
        Some(CorsOptions { allow_origins })
    }
    const ORIGIN: &str = "must be `scheme://host` or `scheme://host:port`, without a path or a final `/`, or `*`";
    let origin =
        |index: usize, shown: &str| format!("option `transport.options.cors.allowOrigins[{index}]`: {shown} {ORIGIN}");
    let well_known = |option: &str, path: &str| {
        format!(
            "option `transport.options.{option}`: `{path}` must not lie on or under `/.well-known`, where the server \
             publishes its metadata"
        )
    };
    let table = [
        (sse(|_| {}), String::new()),
        (http(|_| {}), String::new()),
        (sse(|o| o.endpoint = "sse".into()), "option `transport.options.endpoint`: `sse` must begin with `/`".into()),
        (
            sse(|o| o.message_endpoint = "".into()),
            "option `transport.options.messageEndpoint`: `` must begin with `/`".into(),
        ),
        (
            sse(|o| o.mcp_endpoint = Some("/a?b".into())),
            "option `transport.options.mcpEndpoint`: `/a?b` must be a plain path, without `?`".into(),
        ),
        (
            http(|o| o.health_endpoint = Some("/a b".into())),
            "option `transport.options.healthEndpoint`: `/a b` must be a plain path, without ` `".into(),
        ),
        (
            http(|o| o.endpoint = "/{x}".into()),
            "option `transport.options.endpoint`: `/{x}` must be a plain path, without `{`".into(),
        ),
        (
            http(|o| o.endpoint = "/x*".into()),
            "option `transport.options.endpoint`: `/x*` must be a plain path, without `*`".into(),
        ),
        (
            http(|o| o.endpoint = "/x#".into()),
            "option `transport.options.endpoint`: `/x#` must be a plain path, without `#`".into(),
        ),
        (
            http(|o| o.endpoint = "/x\n".into()),
            "option `transport.options.endpoint`: `/x\\n` must be a plain path, without `\\n`".into(),
        ),
        (
            http(|o| o.endpoint = "//evil.example".into()),
            "option `transport.options.endpoint`: `//evil.example` must be a path as clients send \
             it, without a leading `//`, `.` or `..`"
                .into(),
        ),
        (
            http(|o| o.endpoint = "/a/../b".into()),
            "option `transport.options.endpoint`: `/a/../b` must be a path as clients send it, \
             without a leading `//`, `.` or `..`"
                .into(),
        ),
        (
            http(|o| o.endpoint = "/:a".into()),
            "option `transport.options.endpoint`: `/:a` must not have a part that begins with `:`".into(),
        ),
        (
            http(|o| o.endpoint = "/.well-known/oauth-protected-resource".into()),
            well_known("endpoint", "/.well-known/oauth-protected-resource"),
        ),
        (http(|o| o.health_endpoint = Some("/.well-known".into())), well_known("healthEndpoint", "/.well-known")),
        (sse(|o| o.message_endpoint = "/.well-known/x".into()), well_known("messageEndpoint", "/.well-known/x")),
        (sse(|o| o.mcp_endpoint = Some("/.well-known/".into())), well_known("mcpEndpoint", "/.well-known/")),
        (sse(|o| o.endpoint = "/.well-known-too".into()), String::new()),
        (sse(|o| o.endpoint = "/a/.well-known/b".into()), String::new()),
        (
            sse(|o| o.message_endpoint = "/sse".into()),
            "options `transport.options.endpoint` and `transport.options.messageEndpoint` are both \
             `/sse`; each endpoint needs a path of its own"
                .into(),
        ),
        (
            sse(|o| o.endpoint = "/mcp".into()),
            "options `transport.options.endpoint` and `transport.options.mcpEndpoint` are both \
             `/mcp`; each endpoint needs a path of its own"
                .into(),
        ),
        (
            sse(|o| {
                o.endpoint = "/mcp".into();
                o.mcp_endpoint = None;
            }),
            String::new(),
        ),
        (
            http(|o| o.endpoint = "/health".into()),
            "options `transport.options.endpoint` and `transport.options.healthEndpoint` are both \
             `/health`; each endpoint needs a path of its own"
                .into(),
        ),
        (
            sse(|o| {
                o.message_endpoint = "/sse".into();
                o.health_endpoint = Some("/sse".into());
            }),
            "options `transport.options.endpoint` and `transport.options.messageEndpoint` are both \
             `/sse`; each endpoint needs a path of its own\n\
             options `transport.options.endpoint` and `transport.options.healthEndpoint` are both \
             `/sse`; each endpoint needs a path of its own"
                .into(),
        ),
        (
            sse(|o| o.host = String::new()),
            "option `transport.options.host`: must not be empty; 127.0.0.1 listens on this machine \
             only, 0.0.0.0 on all addresses"
                .into(),
        ),
        (
            http(|o| o.host = "localhost:80".into()),
            "option `transport.options.host`: `localhost:80` must be a host name or an address \
             alone, without a scheme, a port or brackets"
                .into(),
        ),
        (http(|o| o.host = "::".into()), String::new()),
        (http(|o| o.host = "0.0.0.0".into()), String::new()),
        (
            sse(|o| {
                o.cors = origins(&["*"]);
                o.auth = jwt();
            }),
            "option `transport.options.cors.allowOrigins`: `*` cannot stand together with `auth`; \
             list the origins that may call"
                .into(),
        ),
        (sse(|o| o.cors = origins(&["*"])), String::new()),
        (
            http(|o| {
                o.cors = origins(&["https://a.example:1", "http://[::1]:1"]);
                o.auth = jwt();
            }),
            String::new(),
        ),
        (
            http(|o| o.cors = origins(&["null"])),
            "option `transport.options.cors.allowOrigins[0]`: `null` is what any sandboxed page \
             sends; list the origins that may call"
                .into(),
        ),
        (
            http(|o| o.cors = origins(&["https://a", "https://a/", "a.example", "https://u:p@a"])),
            [origin(1, "`https://a/`"), origin(2, "`a.example`"), origin(3, "a text that is not repeated here")]
                .join("\n"),
        ),
        (
            http(|o| o.cors = origins(&["https://*.a", "https://a:0", "://a"])),
            [origin(0, "`https://*.a`"), origin(1, "`https://a:0`"), origin(2, "`://a`")].join("\n"),
        ),
        (http(|o| o.public_url = Some("https://a.example:8443/base/".into())), String::new()),
        (
            http(|o| o.public_url = Some("https://a/?x".into())),
            "option `transport.options.publicUrl`: `https://a/?x` must be an http:// or https:// \
             URL without user, query or fragment"
                .into(),
        ),
        (
            sse(|o| o.public_url = Some("ftp://a".into())),
            "option `transport.options.publicUrl`: `ftp://a` must be an http:// or https:// URL \
             without user, query or fragment"
                .into(),
        ),
        (
            sse(|o| o.public_url = Some("http://user:pass@a".into())),
            "option `transport.options.publicUrl`: a text that is not repeated here must be an \
             http:// or https:// URL without user, query or fragment"
                .into(),
        ),
        (
            sse(|o| o.allowed_hosts = vec!["a.example:1".into(), "http://a".into(), "".into()]),
            "option `transport.options.allowedHosts[1]`: `http://a` must be a host name or \
             address, with or without a port\n\
             option `transport.options.allowedHosts[2]`: `` must be a host name or address, with or \
             without a port"
                .into(),
        ),
        (
            http(|o| o.limits.max_json_depth = Some(200)),
            "option `transport.options.limits.maxJsonDepth`: 200 is too deep; 128 is the most that \
             the parser bears"
                .into(),
        ),
    ];
    for (transport, problems) in table {
        let mut options = ServerOptions::new("n", "v");
        options.transport = transport;
        let found = options.validate().err().map_or(String::new(), |e| e.to_string());
        assert_eq!(found, problems, "{options:?}");
    }
    let nameless = ServerOptions::new(" ", "v").validate().unwrap_err();
    assert_eq!(nameless.to_string(), "option `name`: must not be empty");
}
