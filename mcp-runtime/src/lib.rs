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
//! - [`McpServer`] puts a server together and runs it, by [`ServerOptions`]; [`McpService`] is one in an application of your
//!   own, axum's for example.
//! - [`testing::TestClient`] is a client for tests, without a wire.
//! - [`protocol`] has the words of the Model Context Protocol, in its newest version.
//!
//! # What runs where
//!
//! | function | runs | so it should |
//! |---|---|---|
//! | `fn` | in place, on the task that read its request | be short: neither wait nor compute for long |
//! | `async fn` | in place up to its first wait; it goes on as a task of its own | not block between its waits |
//! | `fn` under `#[mcp_tool(blocking)]` | on a pool of threads apart from the runtime's | take what time it needs |
//!
//! While a function runs in place, its connection waits (on stdio whatever the client says next, cancellations included),
//! and one thread (over HTTP one of the runtime's, of which there are as many as cores) does nothing else; the others hear
//! everybody else, with a delay of 50 ms at most. In exchange a call that is ready at once costs no task, no channel and no change of
//! threads.
//!
//! The pool has [`Limits::max_blocking_threads`] threads, behind a queue of [`Limits::blocking_queue`] calls; what comes when
//! that is full is refused. A thread cannot be stopped: where a call on it is cancelled or overdue nobody waits for
//! it any more, and the function runs on to its end, in its place. Resources and prompts have no `blocking`: make them
//! async, and hand what blocks to `tokio::task::spawn_blocking`.
//!
//! # Cargo features
//!
//! | feature | default | what it adds |
//! |---|---|---|
//! | `macros` | yes | the four attribute macros |
//! | `http` | yes | the listener: HTTP+SSE and Streamable HTTP; a service for the listener of an application |
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
#[cfg(feature = "http")]
pub use serve::{McpBody, McpService};
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
