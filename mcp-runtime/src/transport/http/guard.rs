//! What every request passes before anything else: one host, a host that is ours, an origin that may call.

use std::net::SocketAddr;

use http::{HeaderMap, HeaderName, HeaderValue, Method, Version, header, request::Parts};
use tower_http::cors::{AllowHeaders, AllowOrigin, Cors};

use super::{HttpOptions, head::decimal, rejection::Rejection};
use crate::server::error::Error;

/// Who may call, by the names they use and the pages they come from.
#[derive(Clone, Debug)]
pub(super) struct Guard {
    /// The hosts that are ours, where the check is on.
    hosts: Option<Vec<Authority>>,
    origins: Vec<Origin>,
    any_origin: bool,
    /// The port of pages on this machine that may call.
    loopback_port: Option<u16>,
    /// The port is an application's, and not known: pages on this machine may call where they come from.
    is_mounted: bool,
}

/// A host, and the port where one is demanded.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Authority {
    host: String,
    port: Option<u16>,
}

/// A page's origin, its default port filled in.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Origin {
    scheme: String,
    host: String,
    port: Option<u16>,
}

impl Guard {
    /// `bound` is the listener's address; there is none where an application has the listener.
    pub(super) fn new(options: &HttpOptions, bound: Option<SocketAddr>) -> Result<Self, Error> {
        let invalid = |path: &str, reason: String| Error::InvalidOption {
            path: format!("transport.options.{path}"),
            reason,
            source_name: String::new(),
        };
        let mut hosts = Vec::new();
        for host in &options.allowed_hosts {
            let allowed = Authority::parse(host.as_bytes())
                .ok_or_else(|| invalid("allowedHosts", format!("`{host}` is no host (`name` or `name:port`)")))?;
            hosts.push(allowed);
        }
        let mut origins = Vec::new();
        let mut any_origin = false;
        for origin in options.allow_origins.iter().flatten() {
            if origin == "*" {
                any_origin = true;
                continue;
            }
            let allowed = Origin::parse(origin.as_bytes()).ok_or_else(|| {
                invalid("cors.allowOrigins", format!("`{origin}` is no origin (`https://app.example.com`)"))
            })?;
            origins.push(allowed);
        }
        let loopback_port = bound.filter(|bound| bound.ip().is_loopback()).map(|bound| bound.port());
        let is_mounted = bound.is_none();
        // A server that anybody may reach is checked only by names it was told. Nobody knows whom an application lets in.
        let checked = loopback_port.is_some() || is_mounted || !hosts.is_empty();
        if let Some(url) = &options.public_url {
            let own = Origin::of_url(url)
                .ok_or_else(|| invalid("publicUrl", format!("`{url}` is no URL (`https://mcp.example.com`)")))?;
            hosts.push(Authority { host: own.host.clone(), port: None });
            origins.push(own);
        }
        Ok(Self { hosts: checked.then_some(hosts), origins, any_origin, loopback_port, is_mounted })
    }

    /// Lets a request pass, or says why not.
    pub(super) fn check(&self, head: &Parts) -> Result<(), Rejection> {
        let host = one_host(head)?;
        if let Some(hosts) = &self.hosts
            && !is_loopback(host.name)
            && !hosts.iter().any(|allowed| allowed.allows(&host))
        {
            return Err(Rejection::ForeignHost);
        }
        if !head.headers.contains_key(header::ORIGIN)
            || self.page(&head.headers).is_some()
            || self.is_own_page(&host, &head.headers)
        {
            return Ok(());
        }
        Err(Rejection::ForeignOrigin)
    }

    /// Whether the names by which requests may come are those of this machine alone.
    pub(super) fn is_for_loopback_alone(&self) -> bool {
        self.hosts.as_ref().is_some_and(|hosts| hosts.iter().all(|host| is_loopback(host.host.as_bytes())))
    }

    /// Whether a request comes from a page of the application's own, on this machine: what a browser says of both cannot be
    /// forged by a page elsewhere, whose host would have another name.
    fn is_own_page(&self, host: &Host<'_>, headers: &HeaderMap) -> bool {
        let mut origins = headers.get_all(header::ORIGIN).iter();
        let (true, Some(origin), None) = (self.is_mounted, origins.next(), origins.next()) else { return false };
        is_loopback(host.name)
            && Origin::parse(origin.as_bytes()).is_some_and(|origin| {
                origin.scheme == "http"
                    && origin.host.as_bytes().eq_ignore_ascii_case(host.name)
                    && origin.port == host.port.or(Some(80))
            })
    }

    /// The page that a request comes from, where it may call.
    pub(super) fn page<'h>(&self, headers: &'h HeaderMap) -> Option<&'h HeaderValue> {
        let mut origins = headers.get_all(header::ORIGIN).iter();
        match (origins.next(), origins.next()) {
            (Some(origin), None) if self.allows_origin(origin) => Some(origin),
            _ => None,
        }
    }

    /// What browsers are told: that the listed origins may call.
    ///
    /// `more` are the headers that this server takes beside those of the standard.
    pub(super) fn cors<S>(&self, inside: S, more: Vec<HeaderName>) -> Cors<S> {
        let named = HeaderName::from_static;
        let origins = if self.any_origin {
            AllowOrigin::any()
        } else {
            let guard = self.clone();
            AllowOrigin::predicate(move |origin, _| guard.allows_origin(origin))
        };
        Cors::new(inside)
            .allow_origin(origins)
            .allow_methods([Method::GET, Method::POST, Method::DELETE, Method::OPTIONS])
            .allow_headers(AllowHeaders::list(
                [
                    header::CONTENT_TYPE,
                    header::ACCEPT,
                    header::AUTHORIZATION,
                    named("mcp-protocol-version"),
                    named("mcp-session-id"),
                    named("last-event-id"),
                    named("mcp-method"),
                    named("mcp-name"),
                ]
                .into_iter()
                .chain(more.into_iter().filter(|name| *name != header::AUTHORIZATION)),
            ))
            .expose_headers([named("mcp-session-id"), header::WWW_AUTHENTICATE])
    }

    pub(super) fn allows_origin(&self, origin: &HeaderValue) -> bool {
        let Some(origin) = Origin::parse(origin.as_bytes()) else {
            return false;
        };
        self.any_origin
            || self.origins.contains(&origin)
            || (self.loopback_port.is_some()
                && self.loopback_port == origin.port
                && origin.scheme == "http"
                && is_loopback(origin.host.as_bytes()))
    }
}

/// A host as a request names it.
struct Host<'a> {
    /// ASCII.
    name: &'a [u8],
    port: Option<u16>,
}

impl Host<'_> {
    fn lower_case(&self) -> String {
        String::from_utf8_lossy(self.name).to_ascii_lowercase()
    }
}

/// The one host that a request names; its target may repeat it.
fn one_host(head: &Parts) -> Result<Host<'_>, Rejection> {
    let mut hosts = head.headers.get_all(header::HOST).iter();
    let authority = head.uri.authority().map(|authority| authority.as_str().as_bytes());
    let host = match (hosts.next(), hosts.next(), authority) {
        (Some(host), None, _) => host.as_bytes(),
        // From HTTP/2 on the target says it alone.
        (None, _, Some(authority)) if head.version >= Version::HTTP_2 => authority,
        _ => return Err(Rejection::BadHost),
    };
    let parsed = split_host(host).ok_or(Rejection::BadHost)?;
    if let Some(authority) = authority
        && !authority.eq_ignore_ascii_case(host)
    {
        return Err(Rejection::OtherHost);
    }
    Ok(parsed)
}

/// `name`, `name:port`, `[::1]:port`; nothing else, no user either.
fn split_host(text: &[u8]) -> Option<Host<'_>> {
    let end = match text {
        [b'[', rest @ ..] => rest.iter().position(|byte| *byte == b']')? + 2,
        _ => text.iter().position(|byte| *byte == b':').unwrap_or(text.len()),
    };
    let (name, port) = text.split_at(end);
    let port = match port {
        [] | [b':'] => None,
        [b':', digits @ ..] => Some(u16::try_from(decimal(digits)?).ok()?),
        _ => return None,
    };
    let fits = match name {
        [b'[', literal @ .., b']'] => std::str::from_utf8(literal).ok()?.parse::<std::net::Ipv6Addr>().is_ok(),
        name => !name.is_empty() && name.iter().all(|byte| IN_NAMES[usize::from(*byte)]),
    };
    fits.then_some(Host { name, port })
}

/// The bytes that may stand in the name of a host (RFC 3986, `reg-name`).
const IN_NAMES: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 128 {
        table[byte] = (byte as u8).is_ascii_alphanumeric();
        byte += 1;
    }
    let others = b"-._~%!$&'()*+,;=";
    let mut index = 0;
    while index < others.len() {
        table[others[index] as usize] = true;
        index += 1;
    }
    table
};

/// A name that a page elsewhere cannot make a browser use for its own address.
fn is_loopback(name: &[u8]) -> bool {
    name == b"127.0.0.1" || name == b"[::1]" || name.eq_ignore_ascii_case(b"localhost")
}

impl Authority {
    fn parse(text: &[u8]) -> Option<Self> {
        split_host(text).map(|host| Self { host: host.lower_case(), port: host.port })
    }

    fn allows(&self, host: &Host<'_>) -> bool {
        self.host.as_bytes().eq_ignore_ascii_case(host.name) && self.port.is_none_or(|port| host.port == Some(port))
    }
}

impl Origin {
    /// `scheme://host[:port]` and not a byte more.
    fn parse(text: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(text).ok()?;
        let (scheme, authority) = text.split_once("://")?;
        let scheme_fits = scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte));
        let host = split_host(authority.as_bytes()).filter(|_| scheme_fits && !scheme.is_empty())?;
        let scheme = scheme.to_ascii_lowercase();
        let port = host.port.or(match scheme.as_str() {
            "http" => Some(80),
            "https" => Some(443),
            _ => None,
        });
        Some(Self { scheme, host: host.lower_case(), port })
    }

    fn of_url(url: &str) -> Option<Self> {
        let (scheme, rest) = url.split_once("://")?;
        let authority = rest.split(['/', '?', '#']).next()?;
        Self::parse(format!("{scheme}://{authority}").as_bytes())
    }
}

/// The path of a URL without the slash at its end: what a proxy in front of this server puts before every path.
pub(super) fn path_of(url: &str) -> &str {
    let path = url.split_once("://").and_then(|(_, rest)| rest.find('/').map(|slash| &rest[slash..])).unwrap_or("");
    path.split(['?', '#']).next().unwrap_or("").trim_end_matches('/')
}

#[cfg(test)]
mod tests {
    use std::net::SocketAddr;

    use http::{Request, Version};

    use super::{Guard, path_of};
    use crate::transport::http::HttpOptions;

    fn guard(bound: &str, options: &HttpOptions) -> Guard {
        Guard::new(options, Some(bound.parse::<SocketAddr>().unwrap())).unwrap()
    }

    /// The status for a request with these header lines, or 0 where it passes.
    fn status(guard: &Guard, target: &str, headers: &[(&str, &str)]) -> u16 {
        let mut request = Request::get(target);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        guard.check(&request.body(()).unwrap().into_parts().0).err().map_or(0, |rejection| rejection.status().as_u16())
    }

    #[test]
    fn a_loopback_server_answers_to_loopback_names_and_to_hosts_it_was_told() {
        let options = HttpOptions {
            allowed_hosts: vec!["mcp.test".to_owned(), "exact.test:81".to_owned()],
            public_url: Some("https://Public.test/prefix/".to_owned()),
            ..HttpOptions::default()
        };
        let guard = guard("127.0.0.1:8080", &options);
        let check = |host: &str, expected| assert_eq!(status(&guard, "/", &[("host", host)]), expected, "{host}");
        for host in ["localhost", "LOCALHOST:1", "127.0.0.1:8080", "[::1]", "[::1]:9", "mcp.test", "MCP.test:5"] {
            check(host, 0);
        }
        check("exact.test:81", 0);
        check("public.test", 0);
        for host in ["evil.test", "localhost.evil.test", "exact.test", "exact.test:82", "127.0.0.2", "0.0.0.0", "[::2]"]
        {
            check(host, 403);
        }
        for host in ["", "a b", "localhost@evil.test", "localhost:x", "[::1", "[x]", "localhost:99999", "a/b", "::1"] {
            check(host, 400);
        }
        assert_eq!(status(&guard, "/", &[]), 400);
        assert_eq!(status(&guard, "/", &[("host", "localhost"), ("host", "localhost")]), 400);
        assert_eq!(status(&guard, "http://evil.test/", &[("host", "localhost")]), 400);
        assert_eq!(status(&guard, "http://localhost/", &[("host", "localhost")]), 0);
        assert_eq!(status(&guard, "/", &[("host", "localhost"), ("x-forwarded-host", "evil.test")]), 0);
        assert_eq!(status(&guard, "/", &[("host", "evil.test"), ("x-forwarded-host", "localhost")]), 403);
    }

    #[test]
    fn elsewhere_the_host_is_checked_where_hosts_are_listed() {
        let open = guard("0.0.0.0:80", &HttpOptions::default());
        assert_eq!(status(&open, "/", &[("host", "any.test")]), 0);
        assert_eq!(status(&open, "/", &[]), 400);
        let listed = HttpOptions { allowed_hosts: vec!["mcp.test".to_owned()], ..HttpOptions::default() };
        let listed = guard("0.0.0.0:80", &listed);
        assert_eq!(status(&listed, "/", &[("host", "mcp.test")]), 0);
        assert_eq!(status(&listed, "/", &[("host", "any.test")]), 403);
        assert_eq!(status(&open, "/", &[("host", "a"), ("origin", "http://localhost")]), 403);
    }

    #[test]
    fn in_an_application_only_names_pass_that_somebody_stated() {
        let options = |public_url: Option<&str>, allowed: &[&str]| HttpOptions {
            public_url: public_url.map(str::to_owned),
            allowed_hosts: allowed.iter().map(|host| (*host).to_owned()).collect(),
            ..HttpOptions::default()
        };
        let nothing = Guard::new(&options(None, &[]), None).unwrap();
        let named = Guard::new(&options(Some("https://mcp.test/tools"), &["10.0.0.1:81"]), None).unwrap();
        assert!(nothing.is_for_loopback_alone() && !named.is_for_loopback_alone());
        let local = Guard::new(&options(Some("http://localhost:3000"), &["127.0.0.1"]), None).unwrap();
        assert!(local.is_for_loopback_alone());
        let check = |host: &str, of_nothing, of_named| {
            let statuses = [&nothing, &named].map(|guard| status(guard, "/", &[("host", host)]));
            assert_eq!(statuses, [of_nothing, of_named], "{host}");
        };
        check("localhost:3000", 0, 0);
        check("[::1]", 0, 0);
        check("mcp.test", 403, 0);
        check("10.0.0.1:81", 403, 0);
        check("10.0.0.1", 403, 403);
        check("evil.test", 403, 403);
        check("0.0.0.0", 403, 403);
        check("", 400, 400);
        // A page of the application's own, where nobody elsewhere can have one of that name.
        let check = |host: &str, origin: &str, expected| {
            let statuses = [&nothing, &named].map(|guard| status(guard, "/", &[("host", host), ("origin", origin)]));
            assert_eq!(statuses, [expected; 2], "{origin} to {host}");
        };
        check("localhost:3000", "http://localhost:3000", 0);
        check("LOCALHOST:80", "http://localhost", 0);
        check("[::1]", "http://[::1]:80", 0);
        for (host, origin) in [
            ("localhost:3000", "http://localhost:3001"),
            ("localhost:3000", "http://127.0.0.1:3000"),
            ("localhost:3000", "https://localhost:3000"),
            ("localhost:3000", "http://evil.test:3000"),
            ("localhost:3000", "null"),
            ("evil.test:3000", "http://evil.test:3000"),
            ("evil.test:3000", "http://localhost:3000"),
        ] {
            check(host, origin, 403);
        }
        let twice = [("host", "localhost:1"), ("origin", "http://localhost:1"), ("origin", "http://localhost:1")];
        assert_eq!(status(&nothing, "/", &twice), 403);
        assert_eq!(status(&named, "/", &[("host", "mcp.test"), ("origin", "https://mcp.test")]), 0);
        assert_eq!(status(&named, "/", &[("host", "mcp.test"), ("origin", "http://mcp.test")]), 403);
        // Elsewhere a page needs no other port.
        let alone = guard("127.0.0.1:3000", &HttpOptions::default());
        assert_eq!(status(&alone, "/", &[("host", "localhost:1"), ("origin", "http://localhost:1")]), 403);
    }

    #[test]
    fn from_http_2_on_the_target_says_the_host() {
        let guard = Guard::new(&HttpOptions::default(), None).unwrap();
        let check = |version, target: &str, host: Option<&str>, expected: u16| {
            let mut request = Request::get(target).version(version);
            if let Some(host) = host {
                request = request.header("host", host);
            }
            let refused = guard.check(&request.body(()).unwrap().into_parts().0).err();
            let status = refused.map_or(0, |rejection| rejection.status().as_u16());
            assert_eq!(status, expected, "{version:?} {target} {host:?}");
        };
        check(Version::HTTP_2, "http://localhost/mcp", None, 0);
        check(Version::HTTP_2, "http://localhost/mcp", Some("localhost"), 0);
        check(Version::HTTP_2, "http://localhost/mcp", Some("127.0.0.1"), 400);
        check(Version::HTTP_2, "http://evil.test/mcp", None, 403);
        check(Version::HTTP_2, "http://me@localhost/mcp", None, 400);
        check(Version::HTTP_2, "/mcp", None, 400);
        check(Version::HTTP_11, "http://localhost/mcp", None, 400);
    }

    #[test]
    fn origins_are_compared_whole() {
        let options = HttpOptions {
            allow_origins: Some(vec!["https://app.test".to_owned(), "vscode-webview://panel".to_owned()]),
            public_url: Some("https://public.test:8443/x".to_owned()),
            ..HttpOptions::default()
        };
        let guard = guard("[::1]:8080", &options);
        let check = |origin: &str, expected| {
            assert_eq!(status(&guard, "/", &[("host", "localhost"), ("origin", origin)]), expected, "{origin}");
        };
        for origin in [
            "https://app.test",
            "https://app.test:443",
            "HTTPS://APP.test",
            "vscode-webview://panel",
            "https://public.test:8443",
            "http://localhost:8080",
            "http://127.0.0.1:8080",
            "http://[::1]:8080",
        ] {
            check(origin, 0);
        }
        for origin in [
            "null",
            "",
            "*",
            "http://app.test",
            "https://app.test:444",
            "https://app.test.evil.test",
            "https://evilapp.test",
            "https://app.test@evil.test",
            "https://app.test/",
            "https://app.test/path",
            "https://app.test, https://evil.test",
            "https://public.test",
            "http://localhost",
            "http://localhost:8081",
            "https://localhost:8080",
            "http://localhost.evil.test:8080",
        ] {
            check(origin, 403);
        }
        let twice = [("host", "localhost"), ("origin", "https://app.test"), ("origin", "https://app.test")];
        assert_eq!(status(&guard, "/", &twice), 403);
    }

    #[test]
    fn any_origin_is_any_but_null() {
        let options = HttpOptions { allow_origins: Some(vec!["*".to_owned()]), ..HttpOptions::default() };
        let guard = guard("127.0.0.1:1", &options);
        let check = |origin, expected| {
            assert_eq!(status(&guard, "/", &[("host", "localhost"), ("origin", origin)]), expected);
        };
        check("https://any.test", 0);
        check("null", 403);
    }

    #[test]
    fn what_is_no_host_or_origin_is_refused_at_the_start() {
        let check = |options: HttpOptions, option: &str| {
            let said = Guard::new(&options, Some(([127, 0, 0, 1], 1).into())).unwrap_err().to_string();
            assert!(said.contains(option), "{said}");
        };
        check(HttpOptions { allowed_hosts: vec!["http://a".to_owned()], ..HttpOptions::default() }, "allowedHosts");
        check(HttpOptions { public_url: Some("a".to_owned()), ..HttpOptions::default() }, "publicUrl");
        let origins = Some(vec!["app.test".to_owned()]);
        check(HttpOptions { allow_origins: origins, ..HttpOptions::default() }, "cors.allowOrigins");
    }

    #[test]
    fn a_prefix_is_the_path_of_the_public_url() {
        let check = |url, path| assert_eq!(path_of(url), path);
        check("https://a.test", "");
        check("https://a.test/", "");
        check("https://a.test/b/c/?d", "/b/c");
    }
}
