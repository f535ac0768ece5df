//! The methods that a client may call, as one table.

use super::ProtocolVersion;

/// A method of the protocol, from client to server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Method {
    Initialize,
    Discover,
    Ping,
    SetLevel,
    ListTools,
    CallTool,
    ListResources,
    ListResourceTemplates,
    ReadResource,
    ListPrompts,
    GetPrompt,
    Complete,
    Subscribe,
    Unsubscribe,
    Listen,
    GetTask,
    UpdateTask,
    CancelTask,
    TaskResult,
    ListTasks,
    Initialized,
    Cancelled,
}

/// By which member of its parameters a request names what it is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Naming {
    Name,
    Uri,
    TaskId,
}

impl Method {
    /// The method of that name.
    pub(crate) fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "tools/call" => Self::CallTool,
            "tools/list" => Self::ListTools,
            "resources/read" => Self::ReadResource,
            "resources/list" => Self::ListResources,
            "resources/templates/list" => Self::ListResourceTemplates,
            "prompts/get" => Self::GetPrompt,
            "prompts/list" => Self::ListPrompts,
            "completion/complete" => Self::Complete,
            "resources/subscribe" => Self::Subscribe,
            "resources/unsubscribe" => Self::Unsubscribe,
            "subscriptions/listen" => Self::Listen,
            "tasks/get" => Self::GetTask,
            "tasks/update" => Self::UpdateTask,
            "tasks/cancel" => Self::CancelTask,
            "tasks/result" => Self::TaskResult,
            "tasks/list" => Self::ListTasks,
            "logging/setLevel" => Self::SetLevel,
            "ping" => Self::Ping,
            "initialize" => Self::Initialize,
            "server/discover" => Self::Discover,
            "notifications/initialized" => Self::Initialized,
            "notifications/cancelled" => Self::Cancelled,
            _ => return None,
        })
    }

    /// Whether there is such a method in that version.
    pub(crate) fn exists_in(self, version: ProtocolVersion) -> bool {
        match self {
            Self::Discover | Self::Listen => version.is_stateless(),
            Self::Initialize
            | Self::Ping
            | Self::SetLevel
            | Self::Subscribe
            | Self::Unsubscribe
            | Self::Initialized => !version.is_stateless(),
            Self::GetTask | Self::CancelTask => version.has_core_tasks() || version.has_tasks_extension(),
            Self::UpdateTask => version.has_tasks_extension(),
            Self::TaskResult | Self::ListTasks => version.has_core_tasks(),
            _ => true,
        }
    }

    /// The member of its parameters that the header `Mcp-Name` repeats.
    pub(crate) fn names_by(self) -> Option<Naming> {
        match self {
            Self::CallTool | Self::GetPrompt => Some(Naming::Name),
            Self::ReadResource => Some(Naming::Uri),
            Self::GetTask | Self::UpdateTask | Self::CancelTask => Some(Naming::TaskId),
            _ => None,
        }
    }

    /// Whether it is answered.
    pub(crate) fn is_request(self) -> bool {
        !matches!(self, Self::Initialized | Self::Cancelled)
    }
}
