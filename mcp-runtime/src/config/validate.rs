//! Refuses options that contradict each other, or that no listener can serve.

use std::net::Ipv6Addr;

use super::{CorsOptions, HttpStreamOptions, ServerOptions, SseOptions, TransportOptions, limits, reader::shortened};
use crate::{
    auth::AuthOptions,
    limits::Limits,
    server::{error::Error, seal},
};

/// All that is wrong.
pub(super) fn problems(options: &ServerOptions) -> Vec<Error> {
    let mut errors = Vec::new();
    for (path, text) in [("name", &options.name), ("version", &options.version)] {
        if text.trim().is_empty() {
            errors.push(invalid(path, "must not be empty".into()));
        }
    }
    for (index, key) in options.state_keys.iter().enumerate() {
        errors.extend(seal::problem(index, key));
    }
    match &options.transport {
        TransportOptions::Stdio => {}
        TransportOptions::Sse(sse) => Listener::of_sse(sse).check(&mut errors),
        TransportOptions::HttpStream(http) => Listener::of_http_stream(http).check(&mut errors),
    }
    errors
}

/// What the two listeners have in common.
struct Listener<'o> {
    endpoints: Vec<(&'static str, &'o str)>,
    host: &'o str,
    cors: Option<&'o CorsOptions>,
    auth: Option<&'o AuthOptions>,
    public_url: Option<&'o str>,
    allowed_hosts: &'o [String],
    limits: &'o Limits,
}

const ENDPOINT: &str = "transport.options.endpoint";
const MESSAGE_ENDPOINT: &str = "transport.options.messageEndpoint";
const MCP_ENDPOINT: &str = "transport.options.mcpEndpoint";
const HEALTH_ENDPOINT: &str = "transport.options.healthEndpoint";
const HOST: &str = "transport.options.host";
const ALLOW_ORIGINS: &str = "transport.options.cors.allowOrigins";
const AUTH_OPTIONS: &str = "transport.options.auth.options";
const PUBLIC_URL: &str = "transport.options.publicUrl";
const ALLOWED_HOSTS: &str = "transport.options.allowedHosts";

impl<'o> Listener<'o> {
    fn of_sse(sse: &'o SseOptions) -> Self {
        let mut endpoints = vec![(ENDPOINT, sse.endpoint.as_str()), (MESSAGE_ENDPOINT, sse.message_endpoint.as_str())];
        endpoints.extend(sse.mcp_endpoint.as_deref().map(|path| (MCP_ENDPOINT, path)));
        let health = sse.health_endpoint.as_deref();
        endpoints.extend(health.map(|path| (HEALTH_ENDPOINT, path)));
        Self {
            endpoints,
            host: &sse.host,
            cors: sse.cors.as_ref(),
            auth: sse.auth.as_ref(),
            public_url: sse.public_url.as_deref(),
            allowed_hosts: &sse.allowed_hosts,
            limits: &sse.limits,
        }
    }

    fn of_http_stream(http: &'o HttpStreamOptions) -> Self {
        let mut endpoints = vec![(ENDPOINT, http.endpoint.as_str())];
        let health = http.health_endpoint.as_deref();
        endpoints.extend(health.map(|path| (HEALTH_ENDPOINT, path)));
        Self {
            endpoints,
            host: &http.host,
            cors: http.cors.as_ref(),
            auth: http.auth.as_ref(),
            public_url: http.public_url.as_deref(),
            allowed_hosts: &http.allowed_hosts,
            limits: &http.limits,
        }
    }

    fn check(&self, errors: &mut Vec<Error>) {
        for (option, path) in &self.endpoints {
            if let Some(reason) = path_problem(path) {
                errors.push(invalid(option, reason));
            }
        }
        for (index, (second, path)) in self.endpoints.iter().enumerate() {
            let earlier = &self.endpoints[..index];
            if let Some((first, _)) = earlier.iter().find(|(_, other)| other == path) {
                errors.push(Error::EqualPaths {
                    first: (*first).into(),
                    second: (*second).into(),
                    path: (*path).into(),
                });
            }
        }
        if let Some(reason) = bind_problem(self.host) {
            errors.push(invalid(HOST, reason));
        }
        let origins = self.cors.map_or(&[][..], |cors| &cors.allow_origins);
        for (index, origin) in origins.iter().enumerate() {
            if let Some(reason) = origin_problem(origin) {
                errors.push(invalid(&format!("{ALLOW_ORIGINS}[{index}]"), reason));
            }
        }
        if self.auth.is_some() && origins.iter().any(|origin| origin == "*") {
            errors.push(Error::OpenCorsWithAuth);
        }
        for problem in self.auth.map(AuthOptions::problems).unwrap_or_default() {
            errors.push(invalid(&format!("{AUTH_OPTIONS}.{}", problem.option), problem.reason));
        }
        if let Some(reason) = self.public_url.and_then(url_problem) {
            errors.push(invalid(PUBLIC_URL, reason));
        }
        for (index, host) in self.allowed_hosts.iter().enumerate() {
            if !is_authority(host) {
                let host = shortened(host);
                let reason = format!("{host} must be a host name or address, with or without a port");
                errors.push(invalid(&format!("{ALLOWED_HOSTS}[{index}]"), reason));
            }
        }
        errors.extend(limits::problems(self.limits));
    }
}

fn path_problem(path: &str) -> Option<String> {
    let shown = shortened(path);
    if !path.starts_with('/') {
        return Some(format!("{shown} must begin with `/`"));
    }
    let wrong = |c: char| "?#*{}\\".contains(c) || !c.is_ascii_graphic();
    if let Some(c) = path.chars().find(|c| wrong(*c)) {
        let c = c.escape_debug();
        return Some(format!("{shown} must be a plain path, without `{c}`"));
    }
    // A client takes `//host` for another server, and resolves dots before it asks.
    if path.starts_with("//") || path.split('/').any(|part| part == "." || part == "..") {
        return Some(format!("{shown} must be a path as clients send it, without a leading `//`, `.` or `..`"));
    }
    // What is published there is for everybody, whatever the authentication.
    if path.strip_prefix("/.well-known").is_some_and(|rest| rest.is_empty() || rest.starts_with('/')) {
        return Some(format!(
            "{shown} must not lie on or under `/.well-known`, where the server publishes its metadata"
        ));
    }
    // A router takes such a part for a variable.
    if path.split('/').any(|part| part.starts_with(':')) {
        return Some(format!("{shown} must not have a part that begins with `:`"));
    }
    None
}

fn bind_problem(host: &str) -> Option<String> {
    if host.is_empty() {
        return Some("must not be empty; 127.0.0.1 listens on this machine only, 0.0.0.0 on all addresses".into());
    }
    if host.parse::<Ipv6Addr>().is_ok() || is_host(host) && !host.starts_with('[') {
        return None;
    }
    Some(format!("{} must be a host name or an address alone, without a scheme, a port or brackets", shortened(host)))
}

fn origin_problem(origin: &str) -> Option<String> {
    if origin == "*" {
        return None;
    }
    if origin == "null" {
        return Some("`null` is what any sandboxed page sends; list the origins that may call".into());
    }
    let right =
        origin.split_once("://").is_some_and(|(scheme, authority)| is_scheme(scheme) && is_authority(authority));
    let reason = "must be `scheme://host` or `scheme://host:port`, without a path or a final `/`, or `*`";
    (!right).then(|| format!("{} {reason}", shortened(origin)))
}

fn url_problem(url: &str) -> Option<String> {
    let rest = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"));
    let right = rest.is_some_and(|rest| {
        let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        let plain = |c: char| c.is_ascii_graphic() && !"?#\\\"<>".contains(c);
        is_authority(authority) && path.chars().all(plain)
    });
    let reason = "must be an http:// or https:// URL without user, query or fragment";
    (!right).then(|| format!("{} {reason}", shortened(url)))
}

fn is_scheme(scheme: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "+-.".contains(c);
    scheme.starts_with(|c: char| c.is_ascii_alphabetic()) && scheme.chars().all(plain)
}

/// `host` or `host:port`.
fn is_authority(authority: &str) -> bool {
    let after_address = authority.rfind(']').map_or(0, |end| end + 1);
    match authority[after_address..].find(':') {
        None => is_host(authority),
        Some(colon) => {
            let (host, port) = authority.split_at(after_address + colon);
            let port = &port[1..];
            let digits = port.bytes().all(|b| b.is_ascii_digit());
            is_host(host) && digits && port.parse::<u16>().is_ok_and(|port| port > 0)
        }
    }
}

/// A name, an IPv4 address, or an IPv6 address in brackets.
fn is_host(host: &str) -> bool {
    if let Some(inside) = host.strip_prefix('[') {
        let address = inside.strip_suffix(']');
        return address.is_some_and(|address| address.parse::<Ipv6Addr>().is_ok());
    }
    let plain = |c: char| c.is_ascii_alphanumeric() || "-._".contains(c);
    !host.is_empty() && host.len() <= 253 && host.chars().all(plain) && !host.starts_with('.')
}

fn invalid(path: &str, reason: String) -> Error {
    Error::InvalidOption { path: path.into(), reason, source_name: String::new() }
}
