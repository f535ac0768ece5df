//! What a server has: the tables of its definitions, checked once, and the lists made from them.

use super::definition::{Prompt, Resource, Tool};

/// A lone tool: the type beside a function under `#[mcp_tool]`.
pub trait ToolItem {
    /// The function's table entry.
    const TOOL: Tool<()>;
}

/// A lone resource: the type beside a function under `#[mcp_resource]`.
pub trait ResourceItem {
    /// The function's table entry.
    const RESOURCE: Resource<()>;
}

/// A lone prompt: the type beside a function under `#[mcp_prompt]`.
pub trait PromptItem {
    /// The function's table entry.
    const PROMPT: Prompt<()>;
}
