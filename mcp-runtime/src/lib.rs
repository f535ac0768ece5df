//! MCP servers from annotated Rust functions.

#[doc(hidden)]
pub mod __private;
pub mod config;
pub mod limits;
pub mod protocol;
mod serve;
mod server;
mod session;
#[cfg(feature = "cli")]
mod telemetry;
pub mod testing;
mod transport;

#[cfg(feature = "macros")]
pub use mcp_macros::*;

pub use config::{AuthOptions, CorsOptions, HttpStreamOptions, ServerOptions, SseOptions, TransportOptions};
pub use limits::Limits;
pub use serve::{Bound, Handle, McpServer};
pub use server::{
    context::{Context, FromContext, State},
    error::Error,
    outcome::{
        IntoCallToolResult, IntoGetPromptResult, IntoReadResourceResult, Json, PromptError, ReadRequest, ResourceError,
        ToolError,
    },
};

/// The README's code is compiled, too.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct ReadMe;

/// What a server's source needs.
pub mod prelude {
    #[cfg(feature = "macros")]
    pub use mcp_macros::*;

    pub use crate::{
        Context, Error, Json, McpServer, PromptError, ResourceError, ServerOptions, State, ToolError,
        protocol::{
            CallToolResult, ContentBlock, GetPromptResult, PromptMessage, ReadResourceResult, ResourceContents,
        },
    };
}
