//! The words of the standard (floor 0): its types, its versions, and the one place that rewrites between them.
//!
//! The types are those of the newest version. What an older version lacks is taken out on the way to the wire by
//! `adapt`, so that nothing above this floor knows of versions.

pub(crate) mod adapt;
pub mod caching;
pub mod capabilities;
pub mod completion;
pub mod content;
pub mod elicitation;
pub mod error;
pub(crate) mod input;
pub mod json;
pub(crate) mod jsonrpc;
pub mod lifecycle;
pub mod logging;
pub(crate) mod method;
pub mod prompts;
pub(crate) mod read;
pub mod resources;
pub mod roots;
pub mod sampling;
pub(crate) mod tasks;
pub mod tools;
pub(crate) mod unambiguous;
pub mod version;
pub(crate) mod write;

pub use caching::{CacheScope, Caching};
pub use capabilities::{ClientCapabilities, ServerCapabilities};
pub use completion::{CompleteResult, Completion};
pub use content::{
    Annotations, AudioContent, ContentBlock, EmbeddedResource, Icon, ImageContent, ResourceContents, ResourceLink,
    Role, TextContent,
};
pub use elicitation::{ElicitAction, ElicitRequestParams, ElicitResult, ElicitSchema};
pub use error::{ErrorCode, RpcError};
pub use json::RawJson;
pub use lifecycle::{DiscoverResult, Implementation, InitializeResult};
pub use logging::LoggingLevel;
pub use prompts::{GetPromptResult, ListPromptsResult, Prompt, PromptArgument, PromptMessage};
pub use resources::{ListResourceTemplatesResult, ListResourcesResult, ReadResourceResult, Resource, ResourceTemplate};
pub use roots::{ListRootsResult, Root};
pub use sampling::{
    CreateMessageRequestParams, CreateMessageResult, ModelHint, ModelPreferences, SamplingMessage,
    SamplingMessageContentBlock, ToolChoice, ToolChoiceMode, ToolResultContent, ToolUseContent,
};
pub use tools::{CallToolResult, ListToolsResult, TaskSupport, Tool, ToolAnnotations, ToolExecution};
pub use version::ProtocolVersion;

/// The `_meta` member of requests, results and most objects: free keys, with a grammar of their own.
pub type Meta = serde_json::Map<String, serde_json::Value>;
