//! The methods that a client may call, as one table.

/// A method of the protocol, from client to server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Method {
    Initialize,
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
    Initialized,
    Cancelled,
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
            "logging/setLevel" => Self::SetLevel,
            "ping" => Self::Ping,
            "initialize" => Self::Initialize,
            "notifications/initialized" => Self::Initialized,
            "notifications/cancelled" => Self::Cancelled,
            _ => return None,
        })
    }

    /// Whether it is answered.
    pub(crate) fn is_request(self) -> bool {
        !matches!(self, Self::Initialized | Self::Cancelled)
    }
}
