//! Questions to the client's model: `sampling/createMessage`.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{AudioContent, ContentBlock, ImageContent, Meta, RawJson, Role, TextContent, Tool};

/// The parameters of `sampling/createMessage`.
///
/// ```
/// use mcp_runtime::protocol::{CreateMessageRequestParams, ModelPreferences};
///
/// let request = CreateMessageRequestParams {
///     system_prompt: Some("Answer in one word.".into()),
///     model_preferences: Some(ModelPreferences { speed_priority: Some(1.0), ..Default::default() }),
///     ..CreateMessageRequestParams::new("What is the capital of France?", 100)
/// };
/// assert_eq!(request.messages.len(), 1);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CreateMessageRequestParams {
    /// The conversation so far.
    pub messages: Vec<SamplingMessage>,
    /// The most tokens of the answer.
    pub max_tokens: u64,
    /// What the model is told beforehand; the client may change it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub system_prompt: Option<String>,
    /// Which model to take; the client decides.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model_preferences: Option<ModelPreferences>,
    /// What of other servers' context to add; left out where the client does not offer it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub include_context: Option<IncludeContext>,
    /// How freely the model chooses its words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
    /// Texts at which the answer ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop_sequences: Option<Vec<String>>,
    /// For the provider of the model, in its own terms.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Meta>,
    /// Tools that the model may ask for; needs a client that offers `sampling.tools`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools: Option<Vec<Tool>>,
    /// Whether it must ask for one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_choice: Option<ToolChoice>,
}

/// What of other servers' context to add to a question. Deprecated since 2025-11-25, but for `none`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum IncludeContext {
    /// Nothing.
    None,
    /// This server's.
    ThisServer,
    /// All servers'.
    AllServers,
}

/// Which model to take.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ModelPreferences {
    /// Names of models, or parts of such, the first that fits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hints: Option<Vec<ModelHint>>,
    /// How much the price counts, 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_priority: Option<f64>,
    /// How much the speed counts, 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub speed_priority: Option<f64>,
    /// How much the ability counts, 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub intelligence_priority: Option<f64>,
}

/// The name of a model, or a part of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelHint {
    /// E.g. `claude-sonnet`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

/// Whether the model must ask for a tool.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolChoice {
    /// May, must, must not; may where it is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<ToolChoiceMode>,
}

/// May, must, must not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ToolChoiceMode {
    /// It may.
    Auto,
    /// It must.
    Required,
    /// It must not.
    None,
}

/// One message of a conversation with a model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SamplingMessage {
    /// Who speaks.
    pub role: Role,
    /// What is said.
    #[serde(with = "one_or_many")]
    pub content: Vec<SamplingMessageContentBlock>,
    /// Free keys.
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
}

/// One block of such a message.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
pub enum SamplingMessageContentBlock {
    /// Text.
    Text(TextContent),
    /// A picture.
    Image(ImageContent),
    /// A sound.
    Audio(AudioContent),
    /// The model asks for a tool.
    ToolUse(ToolUseContent),
    /// What the tool gave.
    ToolResult(ToolResultContent),
}

/// The model asks for a tool.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolUseContent {
    /// What the request is called; the result repeats it.
    pub id: String,
    /// The tool.
    pub name: String,
    /// Its arguments.
    pub input: RawJson,
    /// Free keys.
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
}

/// What a tool gave that the model asked for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolResultContent {
    /// The id of the model's request.
    pub tool_use_id: String,
    /// The result.
    pub content: Vec<ContentBlock>,
    /// The same for a program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub structured_content: Option<RawJson>,
    /// Whether the content tells of a failure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub is_error: Option<bool>,
    /// Free keys.
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
}

/// The answer to `sampling/createMessage`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CreateMessageResult {
    /// Who speaks: the assistant.
    pub role: Role,
    /// What it says.
    #[serde(with = "one_or_many")]
    pub content: Vec<SamplingMessageContentBlock>,
    /// The model that answered.
    pub model: String,
    /// Why it ended: `endTurn`, `stopSequence`, `maxTokens`, `toolUse`, or a word of the provider's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop_reason: Option<String>,
    /// Free keys.
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
}

impl CreateMessageRequestParams {
    /// A conversation, or one question of the user, and the most tokens of the answer.
    pub fn new(messages: impl Into<SamplingMessages>, max_tokens: u64) -> Self {
        Self { messages: messages.into().0, max_tokens, ..Self::default() }
    }

    /// Whether it needs a client that offers `sampling.tools`.
    pub(crate) fn has_tools(&self) -> bool {
        self.tools.is_some() || self.tool_choice.is_some() || self.messages.iter().any(SamplingMessage::has_tools)
    }
}

/// The messages of a conversation: a list of them, one, or the text of one.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SamplingMessages(Vec<SamplingMessage>);

impl From<Vec<SamplingMessage>> for SamplingMessages {
    fn from(messages: Vec<SamplingMessage>) -> Self {
        Self(messages)
    }
}

impl From<SamplingMessage> for SamplingMessages {
    fn from(message: SamplingMessage) -> Self {
        Self(vec![message])
    }
}

impl From<&str> for SamplingMessages {
    fn from(text: &str) -> Self {
        SamplingMessage::user(text).into()
    }
}

impl From<String> for SamplingMessages {
    fn from(text: String) -> Self {
        SamplingMessage::user(text).into()
    }
}

impl SamplingMessage {
    /// What the user says.
    pub fn user(content: impl Into<SamplingMessageContentBlock>) -> Self {
        Self { role: Role::User, content: vec![content.into()], meta: None }
    }

    /// What the assistant says.
    pub fn assistant(content: impl Into<SamplingMessageContentBlock>) -> Self {
        Self { role: Role::Assistant, content: vec![content.into()], meta: None }
    }

    /// What the tools gave that the model asked for: one result each.
    pub fn tool_results(results: impl IntoIterator<Item = ToolResultContent>) -> Self {
        let content = results.into_iter().map(SamplingMessageContentBlock::ToolResult).collect();
        Self { role: Role::User, content, meta: None }
    }

    fn has_tools(&self) -> bool {
        use SamplingMessageContentBlock::{ToolResult, ToolUse};
        self.content.iter().any(|block| matches!(block, ToolUse(_) | ToolResult(_)))
    }
}

impl SamplingMessageContentBlock {
    /// Text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(TextContent { text: text.into(), ..TextContent::default() })
    }

    /// The text of a text block.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(content) => Some(&content.text),
            _ => None,
        }
    }
}

impl From<&str> for SamplingMessageContentBlock {
    fn from(text: &str) -> Self {
        Self::text(text)
    }
}

impl From<String> for SamplingMessageContentBlock {
    fn from(text: String) -> Self {
        Self::text(text)
    }
}

impl ToolResultContent {
    /// The result of the model's request `tool_use_id`.
    pub fn new(tool_use_id: impl Into<String>, content: Vec<ContentBlock>) -> Self {
        Self { tool_use_id: tool_use_id.into(), content, structured_content: None, is_error: None, meta: None }
    }
}

impl CreateMessageResult {
    /// What the model `model` said.
    pub fn new(content: impl Into<SamplingMessageContentBlock>, model: impl Into<String>) -> Self {
        let (role, content, model) = (Role::Assistant, vec![content.into()], model.into());
        Self { role, content, model, stop_reason: Some("endTurn".to_owned()), meta: None }
    }

    /// The text of the first text block.
    pub fn first_text(&self) -> Option<&str> {
        self.content.iter().find_map(SamplingMessageContentBlock::as_text)
    }

    /// The tools that the model asks for. Answer all of them in one message: [`SamplingMessage::tool_results`].
    pub fn tool_uses(&self) -> impl Iterator<Item = &ToolUseContent> {
        self.content.iter().filter_map(|block| match block {
            SamplingMessageContentBlock::ToolUse(tool) => Some(tool),
            _ => None,
        })
    }

    /// The same as a message of the conversation that goes on.
    pub fn into_message(self) -> SamplingMessage {
        SamplingMessage { role: self.role, content: self.content, meta: None }
    }
}

/// Content that is one block, or a list of them. One block is written alone, which every version reads.
mod one_or_many {
    use super::{Deserialize, Deserializer, SamplingMessageContentBlock as Block, Serialize, Serializer};

    pub(super) fn serialize<S: Serializer>(blocks: &[Block], serializer: S) -> Result<S::Ok, S::Error> {
        match blocks {
            [block] => block.serialize(serializer),
            blocks => blocks.serialize(serializer),
        }
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Block>, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Content {
            Many(Vec<Block>),
            One(Box<Block>),
        }
        Ok(match Content::deserialize(deserializer)? {
            Content::Many(blocks) => blocks,
            Content::One(block) => vec![*block],
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_read_with_one_block_or_several() {
        let check = |content: &str, blocks: usize, tools: usize| {
            let text = format!(r#"{{"role":"assistant","content":{content},"model":"m"}}"#);
            let result: CreateMessageResult = serde_json::from_str(&text).unwrap_or_else(|e| panic!("{text}: {e}"));
            assert_eq!((result.content.len(), result.tool_uses().count()), (blocks, tools), "{text}");
            let written = serde_json::to_value(&result).unwrap();
            assert_eq!(serde_json::from_value::<CreateMessageResult>(written).unwrap(), result);
        };
        check(r#"{"type":"text","text":"x"}"#, 1, 0);
        check(r#"[{"type":"text","text":"x"},{"type":"tool_use","id":"1","name":"n","input":{"a":1}}]"#, 2, 1);
        check("[]", 0, 0);
        let wrong = [r#"5"#, r#"{"type":"text"}"#, r#"{"type":"video"}"#, r#"[5]"#, "null"];
        for content in wrong {
            let text = format!(r#"{{"role":"assistant","content":{content},"model":"m"}}"#);
            assert!(serde_json::from_str::<CreateMessageResult>(&text).is_err(), "{text}");
        }
    }

    #[test]
    fn one_block_is_written_alone() {
        let request = CreateMessageRequestParams::new("Why?", 10);
        let expected = r#"{"messages":[{"role":"user","content":{"type":"text","text":"Why?"}}],"maxTokens":10}"#;
        assert_eq!(serde_json::to_string(&request).unwrap(), expected);
        assert!(!request.has_tools());
        let results = [ToolResultContent::new("1", vec![]), ToolResultContent::new("2", vec![])];
        let request = CreateMessageRequestParams::new(SamplingMessage::tool_results(results), 10);
        assert!(request.has_tools());
        assert!(serde_json::to_value(&request).unwrap()["messages"][0]["content"].is_array());
    }

    #[test]
    fn an_older_version_gets_the_blocks_it_knows() {
        use crate::protocol::{ProtocolVersion, adapt::Lower};
        use serde_json::json;
        let audio = AudioContent { data: String::new(), mime_type: "audio/wav".into(), ..AudioContent::default() };
        let mut message = SamplingMessage::user("a");
        message.content.push(SamplingMessageContentBlock::Audio(audio));
        let params = CreateMessageRequestParams {
            tool_choice: Some(ToolChoice::default()),
            include_context: Some(IncludeContext::None),
            ..CreateMessageRequestParams::new(message, 5)
        };
        let check = |version: &str, messages: serde_json::Value, has_tools: bool| {
            let mut params = params.clone();
            params.lower(ProtocolVersion::parse(version).unwrap());
            let written = serde_json::to_value(&params).unwrap();
            assert_eq!(written["messages"], messages, "{version}");
            assert_eq!(written.get("toolChoice").is_some(), has_tools, "{version}");
            assert_eq!(written["includeContext"], "none", "{version}");
        };
        let text = json!({"type": "text", "text": "a"});
        let audio = json!({"type": "audio", "data": "", "mimeType": "audio/wav"});
        let note = json!({"type": "text", "text": "[audio, audio/wav: not supported by this version of the protocol]"});
        let user = |content: &serde_json::Value| json!({"role": "user", "content": content});
        check("2024-11-05", json!([user(&text), user(&note)]), false);
        check("2025-03-26", json!([user(&text), user(&audio)]), false);
        check("2025-06-18", json!([user(&text), user(&audio)]), false);
        check("2025-11-25", json!([user(&json!([text, audio]))]), true);
    }
}
