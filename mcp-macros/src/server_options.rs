//! What `#[mcp_server(…)]` says of the server: its keys, checked, and the constant that they become.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote_spanned};
use syn::{Attribute, LitStr};

use super::{
    description::Text,
    diagnostics::Errors,
    entry::icons,
    options::{At, Options},
    paths::Runtime,
};

pub(crate) const KEYS: [&str; 16] = [
    "name",
    "version",
    "title",
    "description",
    "instructions",
    "website_url",
    "icons",
    "profile",
    "transport",
    "auth",
    "port",
    "endpoint",
    "message_endpoint",
    "resumability",
    "cors",
    "crate",
];

/// What `#[mcp_server(…)]` says, checked.
pub(crate) struct ServerOptions {
    pub(crate) runtime: Runtime,
    name: Option<LitStr>,
    version: Option<LitStr>,
    title: Option<LitStr>,
    description: Option<LitStr>,
    instructions: Option<Text>,
    website_url: Option<LitStr>,
    icons: Vec<LitStr>,
    full_schemas: bool,
    transport: Option<&'static str>,
    auth: Option<&'static str>,
    port: Option<u16>,
    endpoint: Option<LitStr>,
    message_endpoint: Option<LitStr>,
    resumability: bool,
    cors: Option<Vec<LitStr>>,
}

impl ServerOptions {
    pub(crate) fn validate(keys: TokenStream, attrs: &[Attribute], errors: &mut Errors) -> Self {
        let mut options = Options::parse("mcp_server", &KEYS, keys, errors);
        let transport = options.choice("transport", &["stdio", "sse", "http-stream"], errors);
        refuse_unfit_keys(&mut options, transport.as_ref(), errors);
        refuse_secret(&mut options, errors);
        let auth = options.choice("auth", &["jwt", "apikey", "oauth"], errors);
        let website_url = options.text("website_url", errors);
        if let Some(url) = website_url.as_ref().filter(|url| !is_web(&url.value())) {
            errors.at(url.span(), "a website's URL begins with `https://` or `http://`; write the whole of it");
        }
        let endpoint = path(&mut options, "endpoint", errors);
        let message_endpoint = path(&mut options, "message_endpoint", errors);
        check_paths(endpoint.as_ref(), message_endpoint.as_ref(), transport.as_ref(), errors);
        let cors = options.strings("cors", errors);
        for origin in cors.iter().flatten() {
            check_origin(origin, auth.is_some(), errors);
        }
        Self {
            runtime: Runtime::under(options.krate(errors).as_ref()),
            name: options.text("name", errors),
            version: options.text("version", errors),
            title: options.text("title", errors),
            description: options.text("description", errors),
            instructions: options.prose("instructions", errors).or_else(|| Text::from_docs(attrs)),
            website_url,
            icons: icons(&mut options, errors),
            full_schemas: options.choice("profile", &["portable", "full"], errors).is_some_and(|it| it.value == "full"),
            transport: transport.map(|transport| transport.value),
            auth: auth.map(|auth| auth.value),
            port: options.count("port", u16::MAX.into(), errors).and_then(|port| u16::try_from(port.value).ok()),
            endpoint,
            message_endpoint,
            resumability: options.flag("resumability", errors).is_some_and(|flag| flag.value),
            cors,
        }
    }

    pub(crate) fn expand(&self, span: Span) -> TokenStream {
        let Self {
            runtime,
            name,
            version,
            title,
            description,
            instructions,
            website_url,
            icons,
            full_schemas,
            transport,
            auth,
            port,
            endpoint,
            message_endpoint,
            resumability,
            cors,
        } = self;
        let name = name
            .as_ref()
            .map_or_else(|| quote_spanned!(span=> ::core::env!("CARGO_PKG_NAME")), ToTokens::into_token_stream);
        let version = version
            .as_ref()
            .map_or_else(|| quote_spanned!(span=> ::core::env!("CARGO_PKG_VERSION")), ToTokens::into_token_stream);
        let (title, description) = (title.iter(), description.iter());
        let instructions = instructions.iter();
        let website_url = website_url.iter();
        let icons = (!icons.is_empty()).then(|| quote_spanned!(span=> .icons(&[#(#icons),*])));
        let full_schemas = full_schemas.then(|| quote_spanned!(span=> .full_schemas(true)));
        let transport = transport.iter();
        let auth = auth.iter();
        let port = port.iter();
        let endpoint = endpoint.iter();
        let message_endpoint = message_endpoint.iter();
        let resumability = resumability.then(|| quote_spanned!(span=> .resumability(true)));
        let cors = cors.as_ref().map(|origins| quote_spanned!(span=> .cors(&[#(#origins),*])));
        let runtime = runtime.at(span);
        quote_spanned! {span=>
            #runtime::Server::new(#name, #version)
                #(.title(#title))* #(.description(#description))* #(.instructions(#instructions))* #(.website_url(#website_url))* #icons #full_schemas
                #(.transport(#transport))* #(.auth(#auth))* #(.port(#port))* #(.endpoint(#endpoint))*
                #(.message_endpoint(#message_endpoint))* #resumability #cors
        }
    }
}

/// Keys of a listener without one, or without that endpoint.
fn refuse_unfit_keys(options: &mut Options, transport: Option<&At<&'static str>>, errors: &mut Errors) {
    let (unfit, reason): (&[&str], _) = match transport.map(|transport| transport.value) {
        Some("stdio") => (
            &["auth", "port", "endpoint", "message_endpoint", "resumability", "cors"],
            "`transport = \"stdio\"` has no listener; remove it, or choose `sse` or `http-stream`",
        ),
        Some("http-stream") => {
            (&["message_endpoint"], "`transport = \"http-stream\"` has one endpoint only; remove it, or choose `sse`")
        }
        _ => return,
    };
    for key in unfit {
        if let Some(span) = options.key(key) {
            errors.at(span, format_args!("`{key}` has no meaning here: {reason}"));
            options.discard(key);
        }
    }
}

/// `auth = jwt(secret = "…")`
fn refuse_secret(options: &mut Options, errors: &mut Errors) {
    if let Some(tokens) = options.call("auth") {
        errors.on(
            tokens,
            "`auth` names the kind alone: `auth = \"jwt\"`; keys and secrets are given at run time, not in source code",
        );
    }
}

fn path(options: &mut Options, key: &str, errors: &mut Errors) -> Option<LitStr> {
    let path = options.text(key, errors)?;
    let value = path.value();
    if !value.starts_with('/') {
        errors.at(path.span(), format_args!("a path begins with a slash; write `/{value}`"));
        return None;
    }
    if let Some(wrong) = value.chars().find(|c| c.is_whitespace() || "?#{}*\\".contains(*c)) {
        errors.at(
            path.span(),
            format_args!("{wrong:?} cannot stand in the path of an endpoint; write a plain one, such as `/mcp`"),
        );
        return None;
    }
    if value.strip_prefix("/.well-known").is_some_and(|rest| rest.is_empty() || rest.starts_with('/')) {
        errors.at(
            path.span(),
            "the server publishes its metadata under `/.well-known`, open to everybody; write another path, such as `/mcp`",
        );
        return None;
    }
    Some(path)
}

fn check_paths(
    endpoint: Option<&LitStr>,
    message_endpoint: Option<&LitStr>,
    transport: Option<&At<&'static str>>,
    errors: &mut Errors,
) {
    let of_sse = transport.is_some_and(|transport| transport.value == "sse");
    let default = |path: &'static str| of_sse.then(|| path.to_owned());
    let (first, second) = match (endpoint, message_endpoint) {
        (None, None) => return,
        (first, second) => (
            first.map(LitStr::value).or_else(|| default("/sse")),
            second.map(LitStr::value).or_else(|| default("/messages")),
        ),
    };
    let span = message_endpoint.or(endpoint).map(LitStr::span);
    if let (Some(first), Some(second), Some(span)) = (first, second, span)
        && first == second
    {
        errors.at(
            span,
            format_args!("`endpoint` and `message_endpoint` are both `{first}`; each needs a path of its own"),
        );
        return;
    }
    for path in [endpoint, message_endpoint].into_iter().flatten() {
        let taken = match path.value().as_str() {
            "/mcp" if of_sse => {
                "Streamable HTTP is at `/mcp` beside HTTP+SSE; write another path, or choose `http-stream`"
            }
            "/health" => "whether the server is well is told at `/health`; write another path",
            _ => continue,
        };
        errors.at(path.span(), taken);
    }
}

fn check_origin(origin: &LitStr, has_auth: bool, errors: &mut Errors) {
    let value = origin.value();
    if value == "*" {
        if has_auth {
            errors.at(origin.span(), "`*` lets every website act for your users and cannot stand beside `auth`; list the origins that may call");
        }
        return;
    }
    let host = value.split_once("://").map_or("", |(_, host)| host);
    if host.is_empty() || host.contains(['/', '?', '#', ' ']) {
        errors.at(
            origin.span(),
            format_args!(
                "`{value}` is no origin; write scheme and host, and nothing behind, such as `https://app.example.com`"
            ),
        );
    }
}

fn is_web(url: &str) -> bool {
    ["https://", "http://"].iter().any(|scheme| url.strip_prefix(scheme).is_some_and(|rest| !rest.is_empty()))
}
