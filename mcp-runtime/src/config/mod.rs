//! The options object: what a server is told, in code, in a file, by variables and by flags.
//!
//! In JSON (or TOML) it has camelCase members, all of them optional:
//!
//! ```
//! use mcp_runtime::{ServerOptions, TransportOptions};
//!
//! let options: ServerOptions = serde_json::from_str(
//!     r#"{ "name": "weather", "version": "1.0.0",
//!          "transport": { "type": "sse", "options": { "port": 9000 } } }"#,
//! )?;
//! let TransportOptions::Sse(sse) = options.transport else { panic!() };
//! assert_eq!((sse.port, sse.endpoint.as_str()), (9000, "/sse"));
//!
//! let wrong = serde_json::from_str::<ServerOptions>(
//!     r#"{ "transport": { "type": "sse", "options": { "prot": 9000 } } }"#,
//! );
//! assert_eq!(
//!     wrong.unwrap_err().to_string(),
//!     "unknown option `transport.options.prot`; did you mean `port`?"
//! );
//! # Ok::<(), serde_json::Error>(())
//! ```

mod auth;
mod draft;
#[cfg(feature = "cli")]
mod layers;
mod limits;
mod reader;
#[cfg(test)]
mod tests;
mod validate;

#[cfg(feature = "cli")]
pub use layers::{Layers, Outcome};
pub(crate) use limits::problems as limit_problems;

use serde::{Deserialize, Deserializer, de::Error as _};
use serde_json::Value;

use crate::{auth::AuthOptions, limits::Limits, secret::Secret, server::error::Error};
use draft::Draft;
use reader::Reader;

/// What a server is told before it starts.
///
/// ```
/// use mcp_runtime::{ServerOptions, SseOptions, TransportOptions};
///
/// let mut options = ServerOptions::new("weather", "1.0.0");
/// options.transport = TransportOptions::Sse(SseOptions { port: 9000, ..Default::default() });
/// options.validate()?;
/// # Ok::<(), mcp_runtime::Error>(())
/// ```
///
/// The same from JSON is in the [module's documentation](self).
#[derive(Clone, Debug, PartialEq)]
pub struct ServerOptions {
    /// `name`: what the server calls itself (the file stem of the executable).
    pub name: String,
    /// `version`: the server's own version (`0.0.0`).
    pub version: String,
    /// `instructions`: what a model should know before it uses the server (nothing).
    pub instructions: Option<String>,
    /// `stateKeys`: what seals what clients keep for a call between its rounds, 32 bytes or more each: the first seals,
    /// all open (one made at random at start, which no other process can open).
    pub state_keys: Vec<Secret>,
    /// `transport`: how clients reach the server (stdio).
    pub transport: TransportOptions,
}

/// How clients reach a server: `{"type": …, "options": {…}}`.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub enum TransportOptions {
    /// `stdio`: standard input and output, for one client. It has no options.
    #[default]
    Stdio,
    /// `sse`: a listener for HTTP+SSE, and for Streamable HTTP on the same port.
    Sse(SseOptions),
    /// `http-stream`: a listener for Streamable HTTP alone.
    HttpStream(HttpStreamOptions),
}

/// The options of the transport `sse`.
///
/// ```
/// use mcp_runtime::SseOptions;
///
/// let options = SseOptions { mcp_endpoint: None, ..Default::default() };
/// assert_eq!((options.host.as_str(), options.port), ("127.0.0.1", 8080));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct SseOptions {
    /// `port`: where to listen (8080); 0 takes any free port, which is logged.
    pub port: u16,
    /// `host`: the address or name to listen on (`127.0.0.1`).
    pub host: String,
    /// `endpoint`: the path of the event stream (`/sse`).
    pub endpoint: String,
    /// `messageEndpoint`: the path that takes the messages of an event stream (`/messages`).
    pub message_endpoint: String,
    /// `mcpEndpoint`: the path of Streamable HTTP (`/mcp`); `None` switches it off.
    pub mcp_endpoint: Option<String>,
    /// `sessions`: whether the 2025 versions of Streamable HTTP have sessions (yes).
    pub sessions: bool,
    /// `resumability`: whether a client that lost its stream gets what it missed (no).
    pub resumability: bool,
    /// `cors`: which pages of other origins may call (none).
    pub cors: Option<CorsOptions>,
    /// `auth`: how requests are authenticated (not at all).
    pub auth: Option<AuthOptions>,
    /// `publicUrl`: the URL that clients use (`http://HOST:PORT` as bound, never a request's Host header).
    pub public_url: Option<String>,
    /// `allowedHosts`: names, with or without a port, that requests may give as their Host, beside loopback names.
    pub allowed_hosts: Vec<String>,
    /// `limits`: the bounds on everything that can grow.
    pub limits: Limits,
    /// `healthEndpoint`: the path that answers when the server is well (`/health`); `None` switches it off.
    pub health_endpoint: Option<String>,
}

/// The options of the transport `http-stream`.
///
/// ```
/// use mcp_runtime::HttpStreamOptions;
///
/// let options = HttpStreamOptions { port: 0, ..Default::default() };
/// assert_eq!(options.endpoint, "/mcp");
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct HttpStreamOptions {
    /// `port`: where to listen (8080); 0 takes any free port, which is logged.
    pub port: u16,
    /// `host`: the address or name to listen on (`127.0.0.1`).
    pub host: String,
    /// `endpoint`: the path of Streamable HTTP (`/mcp`).
    pub endpoint: String,
    /// `sessions`: whether the 2025 versions have sessions (yes).
    pub sessions: bool,
    /// `resumability`: whether a client that lost its stream gets what it missed (no).
    pub resumability: bool,
    /// `cors`: which pages of other origins may call (none).
    pub cors: Option<CorsOptions>,
    /// `auth`: how requests are authenticated (not at all).
    pub auth: Option<AuthOptions>,
    /// `publicUrl`: the URL that clients use (`http://HOST:PORT` as bound, never a request's Host header).
    pub public_url: Option<String>,
    /// `allowedHosts`: names, with or without a port, that requests may give as their Host, beside loopback names.
    pub allowed_hosts: Vec<String>,
    /// `limits`: the bounds on everything that can grow.
    pub limits: Limits,
    /// `healthEndpoint`: the path that answers when the server is well (`/health`); `None` switches it off.
    pub health_endpoint: Option<String>,
}

/// Which pages of other origins may call the server from a browser.
///
/// ```
/// use mcp_runtime::CorsOptions;
///
/// let cors = CorsOptions { allow_origins: vec!["https://app.example.com".into()] };
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CorsOptions {
    /// `allowOrigins`: `scheme://host[:port]` each, or `*` for all. An empty list allows none.
    pub allow_origins: Vec<String>,
}

impl ServerOptions {
    /// The options of a server of that name and version, on stdio.
    pub fn new(name: impl Into<String>, version: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            version: version.into(),
            instructions: None,
            state_keys: Vec::new(),
            transport: TransportOptions::Stdio,
        }
    }

    /// Lays an options object over these options: a member that the layer has wins, all others stay.
    ///
    /// A layer that chooses another transport keeps the options that both have and drops the rest, with
    /// a line in the log. It cannot switch off authentication that is on. On an error nothing has changed;
    /// all mistakes are reported at once, each with `source_name`, e.g. `the file mcp.json`.
    ///
    /// ```
    /// use mcp_runtime::{ServerOptions, TransportOptions};
    ///
    /// let mut options = ServerOptions::new("weather", "1.0.0");
    /// let layer = serde_json::json!({ "transport": { "type": "http-stream", "options": { "port": 0 } } });
    /// options.apply(&layer, "the file mcp.json")?;
    /// assert_eq!(options.name, "weather");
    /// assert!(matches!(options.transport, TransportOptions::HttpStream(http) if http.port == 0));
    /// # Ok::<(), mcp_runtime::Error>(())
    /// ```
    pub fn apply(&mut self, layer: &Value, source_name: &str) -> Result<(), Error> {
        let mut draft = Draft::from(self.clone());
        let mut reader = Reader::new(source_name);
        draft.read(layer, &mut reader);
        reader::collected(reader.errors)?;
        *self = draft.settle();
        Ok(())
    }

    /// Refuses options that contradict each other or that no listener can serve; all of them at once.
    pub fn validate(&self) -> Result<(), Error> {
        reader::collected(validate::problems(self))
    }
}

impl Default for ServerOptions {
    fn default() -> Self {
        let executable = std::env::current_exe().ok();
        let stem = executable.as_deref().and_then(|path| path.file_stem());
        let name = stem.map_or("mcp-server".into(), |stem| stem.to_string_lossy());
        Self::new(name, "0.0.0")
    }
}

impl<'de> Deserialize<'de> for ServerOptions {
    // By hand, since a derived reader stops at the first mistake and cannot say where it stands.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let layer = Value::deserialize(deserializer)?;
        let mut options = Self::default();
        options.apply(&layer, "").map_err(D::Error::custom)?;
        Ok(options)
    }
}

const SSE_ENDPOINT: &str = "/sse";
const MCP_ENDPOINT: &str = "/mcp";

impl Default for SseOptions {
    fn default() -> Self {
        Self {
            port: 8080,
            host: "127.0.0.1".into(),
            endpoint: SSE_ENDPOINT.into(),
            message_endpoint: "/messages".into(),
            mcp_endpoint: Some(MCP_ENDPOINT.into()),
            sessions: true,
            resumability: false,
            cors: None,
            auth: None,
            public_url: None,
            allowed_hosts: Vec::new(),
            limits: Limits::default(),
            health_endpoint: Some("/health".into()),
        }
    }
}

impl HttpStreamOptions {
    /// The same as options of the transport that has all of them; its `endpoint` is still that of Streamable HTTP.
    pub(crate) fn widened(self) -> SseOptions {
        let Self {
            port,
            host,
            endpoint,
            sessions,
            resumability,
            cors,
            auth,
            public_url,
            allowed_hosts,
            limits,
            health_endpoint,
        } = self;
        SseOptions {
            port,
            host,
            endpoint,
            sessions,
            resumability,
            cors,
            auth,
            public_url,
            allowed_hosts,
            limits,
            health_endpoint,
            ..SseOptions::default()
        }
    }
}

impl Default for HttpStreamOptions {
    fn default() -> Self {
        let shared = SseOptions::default();
        Self {
            port: shared.port,
            host: shared.host,
            endpoint: MCP_ENDPOINT.into(),
            sessions: shared.sessions,
            resumability: shared.resumability,
            cors: shared.cors,
            auth: shared.auth,
            public_url: shared.public_url,
            allowed_hosts: shared.allowed_hosts,
            limits: shared.limits,
            health_endpoint: shared.health_endpoint,
        }
    }
}
