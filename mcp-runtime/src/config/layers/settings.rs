//! The table of variables and flags, the options that they stand for, and the help text made from it.

use std::{borrow::Cow, fmt::Write as _};

use super::super::auth::AuthKind;

/// A variable, and the flag of the same name if it holds no secret.
pub(super) struct Setting {
    pub(super) variable: &'static str,
    pub(super) place: Place,
    pub(super) form: Form,
    pub(super) visibility: Visibility,
    help: &'static str,
}

/// The option that a setting stands for.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Place {
    Transport,
    /// A member of the whole.
    Top(&'static str),
    /// A member of the options of both listeners.
    Listener(&'static str),
    /// A member of the options of `sse` alone.
    Sse(&'static str),
    Origins,
    Auth,
    /// No option: what the process says of itself.
    Log,
    /// A member of the options of one type of authentication.
    AuthOption(AuthKind, &'static str),
}

/// How a value is written.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Form {
    Text,
    Port,
    Switch,
    /// Separated by commas.
    List,
    /// Separated by commas or blanks.
    Words,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Visibility {
    /// A variable and a flag.
    Open,
    /// The same, and also `…_FILE`.
    OpenOrFile,
    /// A variable and `…_FILE`; a flag only for the latter, since every user of a machine sees its command lines.
    Secret,
}

use AuthKind::{ApiKey, Jwt, OAuth};
use Form::{List, Port, Switch, Text, Words};
use Place::{AuthOption, Listener};
use Visibility::{Open, OpenOrFile, Secret};

pub(super) const CONFIG: &str = "MCP_CONFIG";
pub(super) const FILE: &str = "_FILE";

#[rustfmt::skip]
pub(super) const SETTINGS: [Setting; 25] = [
    setting("MCP_TRANSPORT", Place::Transport, Text, Open, "stdio, sse or http-stream (stdio)"),
    setting("MCP_HOST", Listener("host"), Text, Open, "address to listen on (127.0.0.1)"),
    setting("MCP_PORT", Listener("port"), Port, Open, "port to listen on, 0 for any free one (8080)"),
    setting("MCP_ENDPOINT", Listener("endpoint"), Text, Open, "path of the transport (/sse; with http-stream /mcp)"),
    setting("MCP_MESSAGE_ENDPOINT", Place::Sse("messageEndpoint"), Text, Open, "path of the messages of sse (/messages)"),
    setting("MCP_ALLOW_ORIGINS", Place::Origins, List, Open, "origins whose pages may call, separated by commas (none)"),
    setting("MCP_PUBLIC_URL", Listener("publicUrl"), Text, Open, "URL that clients use (http://HOST:PORT)"),
    setting("MCP_SESSIONS", Listener("sessions"), Switch, Open, "true or false: sessions of Streamable HTTP (true)"),
    setting("MCP_STATE_KEYS", Place::Top("stateKeys"), List, Secret, "keys of what clients keep between rounds, newest first"),
    setting("MCP_AUTH", Place::Auth, Text, Open, "jwt, apikey or oauth (none)"),
    setting("MCP_JWT_SECRET", AuthOption(Jwt, "secret"), Text, Secret, "key of HS256, HS384 and HS512"),
    setting("MCP_JWT_PUBLIC_KEY", AuthOption(Jwt, "publicKey"), Text, OpenOrFile, "public key, PEM"),
    setting("MCP_JWT_JWKS_URI", AuthOption(Jwt, "jwksUri"), Text, Open, "URL of the issuer's keys"),
    setting("MCP_JWT_ALGORITHMS", AuthOption(Jwt, "algorithms"), List, Open, "algorithms, separated by commas"),
    setting("MCP_JWT_ISSUER", AuthOption(Jwt, "issuer"), Text, Open, "issuer that tokens must have"),
    setting("MCP_JWT_AUDIENCE", AuthOption(Jwt, "audience"), Text, Open, "audience that tokens must have"),
    setting("MCP_API_KEYS", AuthOption(ApiKey, "keys"), List, Secret, "keys, separated by commas"),
    setting("MCP_API_KEY_HEADER", AuthOption(ApiKey, "headerName"), Text, Open, "header that carries the key (X-API-Key)"),
    setting("MCP_API_KEY_QUERY_PARAM", AuthOption(ApiKey, "queryParam"), Text, Open, "query parameter that may carry it (none)"),
    setting("MCP_OAUTH_ISSUER_URL", AuthOption(OAuth, "issuerUrl"), Text, Open, "URL of the provider"),
    setting("MCP_OAUTH_CLIENT_ID", AuthOption(OAuth, "clientId"), Text, Open, "client id at the provider"),
    setting("MCP_OAUTH_CLIENT_SECRET", AuthOption(OAuth, "clientSecret"), Text, Secret, "client secret at the provider"),
    setting("MCP_OAUTH_AUDIENCE", AuthOption(OAuth, "audience"), Text, Open, "audience that tokens must have (the endpoints)"),
    setting("MCP_OAUTH_SCOPES", AuthOption(OAuth, "scopes"), Words, Open, "scopes that tokens must have, separated by blanks"),
    setting("MCP_LOG", Place::Log, Text, Open, "off, error, warn, info, debug or trace (info)"),
];

const fn setting(
    variable: &'static str,
    place: Place,
    form: Form,
    visibility: Visibility,
    help: &'static str,
) -> Setting {
    Setting { variable, place, form, visibility, help }
}

impl Setting {
    /// The option's full path.
    pub(super) fn path(&self) -> String {
        match self.place {
            Place::Transport => "transport.type".into(),
            Place::Top(name) => name.into(),
            Place::Listener(name) | Place::Sse(name) => format!("transport.options.{name}"),
            Place::Origins => "transport.options.cors.allowOrigins".into(),
            Place::Auth => "transport.options.auth.type".into(),
            Place::Log => "log".into(),
            Place::AuthOption(_, name) => format!("transport.options.auth.options.{name}"),
        }
    }

    pub(super) fn may_be_file(&self) -> bool {
        self.visibility != Open
    }

    pub(super) fn is_secret(&self) -> bool {
        self.visibility == Secret
    }
}

/// `--port` for `MCP_PORT`.
pub(super) fn flag_of(variable: &str) -> String {
    let name = variable.strip_prefix("MCP_").unwrap_or(variable);
    format!("--{}", name.to_ascii_lowercase().replace('_', "-"))
}

/// Every variable that is heeded.
pub(super) fn variables() -> impl Iterator<Item = Cow<'static, str>> {
    let files = SETTINGS.iter().filter(|setting| setting.may_be_file());
    let files = files.map(|setting| Cow::Owned(setting.variable.to_owned() + FILE));
    SETTINGS.iter().map(|setting| setting.variable).chain([CONFIG]).map(Cow::Borrowed).chain(files)
}

/// Every flag but `--help` and `--version`.
pub(super) fn flags() -> Vec<String> {
    let mut flags = vec![flag_of(CONFIG)];
    for setting in &SETTINGS {
        if !setting.is_secret() {
            flags.push(flag_of(setting.variable));
        }
        if setting.may_be_file() {
            flags.push(flag_of(setting.variable) + "-file");
        }
    }
    flags
}

/// What `--help` shows.
pub(super) fn help(name: &str, version: &str) -> String {
    let mut text = format!("{name} {version}, an MCP server\n\nFlags, and the variables that do the same:\n");
    let mut line = |flag: &str, variable: &str, help: &str| {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "  {flag:<26} {variable:<29} {help}");
    };
    line("--config PATH", CONFIG, "file of options, .json or .toml (none)");
    for setting in &SETTINGS {
        let flag = flag_of(setting.variable);
        let shown = if setting.is_secret() { "" } else { &flag };
        line(shown, setting.variable, setting.help);
        if setting.may_be_file() {
            let variable = format!("{}{FILE}", setting.variable);
            line(&format!("{flag}-file"), &variable, "the same, from a file");
        }
    }
    line("-h, --help", "", "show this text");
    line("-V, --version", "", "show name and version");
    text.push_str("\nA flag wins over a variable, a variable over the file. An empty variable counts as unset.\n");
    text
}
