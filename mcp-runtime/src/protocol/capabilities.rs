//! What each side says it can do.

use serde::{Deserialize, Serialize};

use super::{Meta, RawJson};

/// What a client offers to the server.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ClientCapabilities {
    /// It has roots to list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub roots: Option<RawJson>,
    /// It can ask its model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sampling: Option<RawJson>,
    /// It can ask its user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub elicitation: Option<RawJson>,
    /// Extensions by their identifier.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extensions: Option<Meta>,
    /// What is outside of the standard.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub experimental: Option<Meta>,
}

/// What a server offers; computed from what is registered.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ServerCapabilities {
    /// `logging/setLevel` and log notifications.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub logging: Option<Empty>,
    /// `completion/complete`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub completions: Option<Empty>,
    /// Prompts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompts: Option<ListCapability>,
    /// Resources.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resources: Option<ListCapability>,
    /// Tools.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools: Option<ListCapability>,
    /// Extensions by their identifier, with their settings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extensions: Option<Meta>,
    /// Tasks as version 2025-11-25 has them; later they are an extension.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tasks: Option<TasksCapability>,
}

/// What can be done with tasks (2025-11-25).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TasksCapability {
    /// `tasks/list`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub list: Option<Empty>,
    /// `tasks/cancel`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cancel: Option<Empty>,
    /// The requests that may become tasks.
    #[serde(default)]
    pub requests: TaskRequests,
}

/// The requests that may become tasks (2025-11-25).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskRequests {
    /// Those to tools.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools: Option<TaskToolRequests>,
}

/// The requests to tools that may become tasks (2025-11-25).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskToolRequests {
    /// `tools/call`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<Empty>,
}

/// A capability without settings: `{}`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Empty {}

/// The settings of a capability that has a list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ListCapability {
    /// Whether changes of the list are announced.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub list_changed: bool,
    /// Whether single entries can be subscribed to (resources).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub subscribe: bool,
}
