//! From the newest model to an older version: the one place where a message loses what its reader does not know.

use serde_json::{Value, json};

use super::{
    Annotations, AudioContent, CallToolResult, CompleteResult, ContentBlock, CreateMessageRequestParams,
    ElicitRequestParams, GetPromptResult, Implementation, InitializeResult, Prompt, ProtocolVersion, RawJson,
    ReadResourceResult, Resource, ResourceContents, ResourceTemplate, RpcError, SamplingMessage,
    SamplingMessageContentBlock, Tool, ToolAnnotations,
    capabilities::{Empty, TaskRequests, TaskToolRequests, TasksCapability},
    elicitation::{LegacyTitledEnumSchema, PrimitiveSchemaDefinition},
    error::{ErrorCode, ErrorObject},
    tasks::{self, CoreTask, Task},
};

/// A value that an older version knows in part only.
pub(crate) trait Lower {
    /// Takes out, or puts in other words, what `version` does not know.
    fn lower(&mut self, version: ProtocolVersion);
}

impl Lower for CallToolResult {
    fn lower(&mut self, version: ProtocolVersion) {
        for block in &mut self.content {
            block.lower(version);
        }
        let Some(structured) = &mut self.structured_content else {
            return;
        };
        if !version.has_structured_content() {
            self.structured_content = None;
        } else if !structured.is_object() && !version.has_structured_values() {
            *structured = wrapped(structured);
        }
    }
}

impl Lower for ContentBlock {
    fn lower(&mut self, version: ProtocolVersion) {
        match self {
            Self::Audio(audio) if !version.has_audio_content() => *self = Self::text(instead_of(audio)),
            Self::ResourceLink(link) if !version.has_resource_links() => *self = Self::text(link.uri.as_str()),
            Self::ResourceLink(link) if !version.has_icons() => link.icons = None,
            _ => {}
        }
        if !version.has_object_meta() {
            *self.meta_mut() = None;
        }
        self.annotations_mut().lower(version);
        if let Self::Resource(embedded) = self {
            embedded.resource.lower(version);
        }
    }
}

impl Lower for Option<Annotations> {
    fn lower(&mut self, version: ProtocolVersion) {
        if let Some(annotations) = self
            && !version.has_last_modified()
        {
            annotations.last_modified = None;
        }
    }
}

impl Lower for ResourceContents {
    fn lower(&mut self, version: ProtocolVersion) {
        if !version.has_object_meta() {
            self.meta = None;
        }
    }
}

impl Lower for ReadResourceResult {
    fn lower(&mut self, version: ProtocolVersion) {
        for contents in &mut self.contents {
            contents.lower(version);
        }
        if !version.has_result_type() {
            self.ttl_ms = None;
            self.cache_scope = None;
        }
    }
}

impl Lower for GetPromptResult {
    fn lower(&mut self, version: ProtocolVersion) {
        for message in &mut self.messages {
            message.content.lower(version);
        }
    }
}

/// The same in every version.
impl Lower for CompleteResult {
    fn lower(&mut self, _: ProtocolVersion) {}
}

/// Members that several listed objects share: `title`, `icons`, `_meta`.
macro_rules! lower_listed {
    ($object:expr, $version:expr) => {
        if !$version.has_titles() {
            $object.title = None;
        }
        if !$version.has_icons() {
            $object.icons = None;
        }
        if !$version.has_object_meta() {
            $object.meta = None;
        }
    };
}

impl Lower for Tool {
    fn lower(&mut self, version: ProtocolVersion) {
        if !version.has_tool_annotations() {
            self.annotations = None;
        } else if !version.has_titles()
            && let Some(title) = self.title.take()
        {
            // 2025-03-26 knows a tool's title among its annotations only.
            self.annotations.get_or_insert_with(ToolAnnotations::default).title.get_or_insert(title);
        }
        lower_listed!(self, version);
        if !version.has_core_tasks() {
            self.execution = None;
        }
        if !version.has_structured_content() {
            self.output_schema = None;
        } else if !version.has_structured_values() {
            self.output_schema = self.output_schema.take().and_then(|schema| object_schema(&schema));
        }
    }
}

impl Lower for Resource {
    fn lower(&mut self, version: ProtocolVersion) {
        lower_listed!(self, version);
        self.annotations.lower(version);
    }
}

impl Lower for ResourceTemplate {
    fn lower(&mut self, version: ProtocolVersion) {
        lower_listed!(self, version);
        self.annotations.lower(version);
    }
}

impl Lower for Prompt {
    fn lower(&mut self, version: ProtocolVersion) {
        lower_listed!(self, version);
        if !version.has_titles() {
            for argument in self.arguments.iter_mut().flatten() {
                argument.title = None;
            }
        }
    }
}

impl Lower for Implementation {
    fn lower(&mut self, version: ProtocolVersion) {
        if !version.has_titles() {
            self.title = None;
        }
        if !version.has_icons() {
            self.icons = None;
            self.description = None;
            self.website_url = None;
        }
    }
}

impl Lower for InitializeResult {
    fn lower(&mut self, version: ProtocolVersion) {
        self.server_info.lower(version);
        let capabilities = &mut self.capabilities;
        if !version.has_completions_capability() {
            capabilities.completions = None;
        }
        // What is an extension in the newest version was part of the core once, and nothing before.
        if let Some(extensions) = &mut capabilities.extensions {
            let has_tasks = extensions.remove(tasks::EXTENSION).is_some();
            capabilities.tasks = (has_tasks && version.has_core_tasks()).then(tasks_capability);
            if extensions.is_empty() {
                capabilities.extensions = None;
            }
        }
    }
}

impl Lower for ElicitRequestParams {
    fn lower(&mut self, version: ProtocolVersion) {
        match self {
            Self::Url(url) if !version.has_elicitation_id() => url.elicitation_id = None,
            Self::Form(form) if !version.has_elicitation_modes() => {
                form.mode = None;
                for (_, field) in &mut form.requested_schema.properties {
                    field.lower(version);
                }
            }
            _ => {}
        }
    }
}

impl Lower for PrimitiveSchemaDefinition {
    fn lower(&mut self, version: ProtocolVersion) {
        if version.has_elicitation_modes() {
            return;
        }
        match self {
            Self::Text(text) => text.default = None,
            Self::Number(number) => number.default = None,
            Self::UntitledSingleSelect(choice) => choice.default = None,
            Self::LegacyTitled(choice) => choice.default = None,
            Self::TitledSingleSelect(choice) => {
                let choice = std::mem::take(choice);
                *self = Self::LegacyTitled(LegacyTitledEnumSchema {
                    title: choice.title,
                    description: choice.description,
                    options: choice.options,
                    default: None,
                });
            }
            // A choice of several is refused before: these versions cannot ask it.
            Self::Boolean(_) | Self::UntitledMultiSelect(_) | Self::TitledMultiSelect(_) => {}
        }
    }
}

impl Lower for CreateMessageRequestParams {
    fn lower(&mut self, version: ProtocolVersion) {
        for block in self.messages.iter_mut().flat_map(|message| &mut message.content) {
            block.lower(version);
        }
        for tool in self.tools.iter_mut().flatten() {
            tool.lower(version);
        }
        if version.has_sampling_tools() {
            return;
        }
        self.tools = None;
        self.tool_choice = None;
        // A message is one block: what has several becomes several, of the same role.
        let split = |message: SamplingMessage| {
            let (role, meta) = (message.role, message.meta.filter(|_| version.has_object_meta()));
            message.content.into_iter().map(move |block| SamplingMessage {
                role,
                content: vec![block],
                meta: meta.clone(),
            })
        };
        self.messages = std::mem::take(&mut self.messages).into_iter().flat_map(split).collect();
    }
}

impl Lower for SamplingMessageContentBlock {
    fn lower(&mut self, version: ProtocolVersion) {
        match self {
            Self::Audio(audio) if !version.has_audio_content() => *self = Self::text(instead_of(audio)),
            Self::ToolResult(result) => {
                for block in &mut result.content {
                    block.lower(version);
                }
            }
            _ => {}
        }
        let (annotations, meta) = match self {
            Self::Text(content) => (&mut content.annotations, &mut content.meta),
            Self::Image(content) => (&mut content.annotations, &mut content.meta),
            Self::Audio(content) => (&mut content.annotations, &mut content.meta),
            Self::ToolUse(_) | Self::ToolResult(_) => return,
        };
        annotations.lower(version);
        if !version.has_object_meta() {
            *meta = None;
        }
    }
}

/// All that can be done with tasks in 2025-11-25.
fn tasks_capability() -> TasksCapability {
    let tools = TaskToolRequests { call: Some(Empty {}) };
    TasksCapability { list: Some(Empty {}), cancel: Some(Empty {}), requests: TaskRequests { tools: Some(tools) } }
}

/// A task in the words of 2025-11-25.
pub(crate) fn core_task(task: Task) -> CoreTask {
    CoreTask {
        task_id: task.task_id,
        status: task.status,
        status_message: task.status_message,
        created_at: task.created_at,
        last_updated_at: task.last_updated_at,
        ttl: task.ttl_ms,
        poll_interval: task.poll_interval_ms,
    }
}

/// What stands in the place of a sound.
fn instead_of(audio: &AudioContent) -> String {
    format!("[audio, {}: not supported by this version of the protocol]", audio.mime_type)
}

/// The `error` member of a refusal, with the version's own number.
pub(crate) fn error_object(error: &RpcError, version: ProtocolVersion) -> ErrorObject {
    let code = match error.code {
        ErrorCode::ResourceNotFound if version <= ProtocolVersion::V2025_11_25 => -32002,
        code => code.number(),
    };
    ErrorObject { code, message: error.message.clone(), data: error.data.clone() }
}

/// A value that is no object, as one.
fn wrapped(value: &RawJson) -> RawJson {
    raw(format!(r#"{{"result":{}}}"#, value.get()))
}

/// An output schema for versions in which structured content is an object: wrapped as the content is. None where the
/// schema leaves open whether the content is an object; then the content goes without a schema.
fn object_schema(schema: &RawJson) -> Option<RawJson> {
    let mut value: Value = schema.parse().ok()?;
    let is_object = |schema: &Value| schema["type"] == "object";
    if is_object(&value) {
        return Some(schema.clone());
    }
    let choices = value.get("oneOf").or_else(|| value.get("anyOf")).and_then(Value::as_array);
    if choices.is_some_and(|choices| choices.iter().all(is_object)) {
        value["type"] = "object".into();
        return Some(value.into());
    }
    value.get("type")?.as_str()?;
    let definitions = value.as_object_mut().and_then(|object| object.remove("$defs"));
    let mut wrapped = json!({ "type": "object", "properties": { "result": value }, "required": ["result"] });
    if let Some(definitions) = definitions {
        // They stay where references look for them.
        wrapped["$defs"] = definitions;
    }
    Some(wrapped.into())
}

fn raw(text: String) -> RawJson {
    serde_json::value::RawValue::from_string(text).unwrap_or_default().into()
}
