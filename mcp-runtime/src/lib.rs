//! The facade.

#[doc(hidden)]
pub mod __private;
pub mod limits;
pub mod protocol;
mod serve;
mod server;
mod session;

#[cfg(feature = "macros")]
pub use mcp_macros::*;
pub use serve::McpServer;
pub use server::{
    context::{Context, FromContext, State},
    error::Error,
    outcome::{
        IntoCallToolResult, IntoGetPromptResult, IntoReadResourceResult, Json, PromptError,
        ReadRequest, ResourceError, ToolError,
    },
};

/// What a server's source needs.
pub mod prelude {
    #[cfg(feature = "macros")]
    pub use mcp_macros::*;

    pub use crate::{Context, Error, Json, McpServer, PromptError, ResourceError, ToolError};
}
