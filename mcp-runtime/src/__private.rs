//! All that generated code may name. Nothing here is stable: it changes with the macros, which are pinned to it.

pub use std::{
    clone::Clone,
    option::Option::{self, None, Some},
    string::String,
    sync::Arc,
};

pub use serde_json;

pub use crate::{
    protocol::Role,
    serve::{McpServer, Part},
    server::{
        arguments::{PromptCall, ResourceCall, Said, ToolCall, never_called},
        completion::{Completer, Completions, Values, completions, type_of},
        definition::{Definition, Parameter, Prompt, Resource, Segment, Server, ServerState, Tool, receive, share},
        names::Names,
        outcome::{Step, later},
        registry::{PromptItem, ResourceItem, ToolItem},
    },
};
