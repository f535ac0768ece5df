//! MCP servers from annotated Rust functions.
//!
//! ```no_run
//! use mcp_runtime::prelude::*;
//!
//! #[mcp_server(name = "calculator", version = "1.0.0")]
//! mod calculator {
//!     /// Adds two numbers
//!     #[mcp_tool]
//!     fn add(a: i64, b: i64) -> i64 {
//!         a + b
//!     }
//! }
//!
//! fn main() -> Result<(), Error> {
//!     calculator::server().run_blocking()
//! }
//! ```
//!
//! - [`mcp_tool`], [`mcp_resource`], [`mcp_prompt`] and [`mcp_server`] declare; what functions take and return is said
//!   at [`FromContext`], [`Context`], [`IntoCallToolResult`], [`IntoReadResourceResult`] and [`IntoGetPromptResult`].
//! - [`McpServer`] puts a server together and runs it, by [`ServerOptions`].
//! - [`testing::TestClient`] is a client for tests, without a wire.
//! - [`protocol`] has the words of the Model Context Protocol, in its newest version.
//!
//! # What runs where
//!
//! A plain function runs in place, on the task that read its request, and is taken to be short: while it computes, the
//! connection it came over waits, and one of the runtime's threads (as many as there are cores) does nothing else. Mark it `#[mcp_tool(blocking)]` where it computes long or blocks, and it runs on a
//! bounded pool of threads. An async function is polled in place once; where it waits, it becomes a task of its own.
//!
//! # Cargo features
//!
//! | feature | default | what it adds |
//! |---|---|---|
//! | `macros` | yes | the four attribute macros |
//! | `http` | yes | the listener: HTTP+SSE and Streamable HTTP |
//! | `auth` | yes | authentication of the listener: JWT, API keys, OAuth 2.1 |
//! | `cli` | yes | [`McpServer::run`]: flags, environment, a configuration file, logging, signals |
//!
//! With `default-features = false, features = ["macros"]` a server speaks stdio, and its tree is less than half as large.

#[doc(hidden)]
pub mod __private;
mod auth;
pub mod config;
#[cfg(fuzzing)]
#[doc(hidden)]
pub mod fuzzing;
pub mod limits;
mod principal;
pub mod protocol;
mod secret;
mod serve;
mod server;
mod session;
#[cfg(feature = "cli")]
mod telemetry;
pub mod testing;
mod transport;

#[cfg(feature = "macros")]
pub use mcp_macros::*;

pub use auth::{Algorithm, ApiKey, ApiKeyOptions, ApiKeyValue, AuthOptions, InvalidDigest, JwtOptions, OAuthOptions};
pub use config::{CorsOptions, HttpStreamOptions, ServerOptions, SseOptions, TransportOptions};
pub use limits::Limits;
pub use principal::{AuthMethod, OwnerKey, Principal};
pub use secret::Secret;
pub use serve::{Bound, McpServer, Part};
pub use server::{
    ask::{AskError, ClientFeature, Elicit, ElicitUrl, Elicited, ListRoots, Sample},
    completion::CompletionRequest,
    context::{Claims, Context, FromContext, State},
    dynamic::DynamicTool,
    error::Error,
    form::{ElicitationForm, FormError},
    handle::Handle,
    outcome::{
        Failure, IntoCallToolResult, IntoGetPromptResult, IntoReadResourceResult, Json, PromptError, ReadRequest,
        ResourceError, StructuredContent, ToolError,
    },
};

/// What a server's source needs.
pub mod prelude {
    #[cfg(feature = "macros")]
    pub use mcp_macros::*;

    pub use crate::{
        Context, Elicited, Error, Handle, Json, McpServer, PromptError, ResourceError, ServerOptions, State, ToolError,
        protocol::{
            CallToolResult, ContentBlock, GetPromptResult, PromptMessage, ReadResourceResult, ResourceContents,
        },
    };
}
