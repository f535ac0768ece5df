//! Every kind of thing that a server can offer: the fixtures that the protocol's conformance suite asks for, by their
//! own names, and a few for experiments.

use std::time::Duration;

use mcp_runtime::{
    prelude::*,
    protocol::{LoggingLevel, PromptMessage},
};
use serde_json::{Value, json};

/// A red pixel.
const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x02\0\0\0\x90wS\xde\0\0\0\x0cIDATx\x9cc\xf8\xcf\xc0\0\0\x03\x01\x01\0\xc9\xfe\x92\xef\0\0\0\0IEND\xaeB`\x82";

/// No sound at all, 8 kHz.
const WAV: &[u8] = b"RIFF\x24\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0\x40\x1f\0\0\x40\x1f\0\0\x01\0\x08\0data\0\0\0\0";

const PAUSE: Duration = Duration::from_millis(50);

/// Has one of everything.
#[mcp_server(name = "everything", version = "1.0.0")]
mod everything {
    use super::*;

    /// Gives a simple text
    #[mcp_tool(read_only)]
    fn test_simple_text() -> &'static str {
        "This is a simple text response for testing."
    }

    /// Gives a message back
    #[mcp_tool(read_only)]
    fn echo(message: String) -> String {
        message
    }

    /// Sleeps, and heeds cancellation
    #[mcp_tool]
    async fn slow(
        context: Context,
        /// How long, in milliseconds
        ms: u64,
    ) -> Result<String, ToolError> {
        tokio::select! {
            () = tokio::time::sleep(Duration::from_millis(ms)) => Ok(format!("slept {ms} ms")),
            () = context.cancelled() => Err(ToolError::new("cancelled")),
        }
    }

    /// Panics
    #[mcp_tool]
    fn boom() -> String {
        panic!("boom was called")
    }

    /// Gives a picture
    #[mcp_tool(read_only)]
    fn test_image_content() -> ContentBlock {
        ContentBlock::image(PNG, "image/png")
    }

    /// Gives a sound
    #[mcp_tool(read_only)]
    fn test_audio_content() -> ContentBlock {
        ContentBlock::audio(WAV, "audio/wav")
    }

    /// Gives a resource with its contents
    #[mcp_tool(read_only)]
    fn test_embedded_resource() -> ContentBlock {
        let text = "This is an embedded resource content.";
        let contents = ResourceContents::text("test://embedded-resource", text);
        ContentBlock::resource(contents.with_mime_type("text/plain"))
    }

    /// Gives a text, a picture and a resource
    #[mcp_tool(read_only)]
    fn test_multiple_content_types() -> Vec<ContentBlock> {
        let data = json!({"test": "data", "value": 123}).to_string();
        let resource = ResourceContents::text("test://mixed-content-resource", data);
        vec![
            ContentBlock::text("Multiple content types test:"),
            ContentBlock::image(PNG, "image/png"),
            ContentBlock::resource(resource.with_mime_type("application/json")),
        ]
    }

    /// Fails
    #[mcp_tool]
    fn test_error_handling() -> Result<(), ToolError> {
        Err(ToolError::new("This tool intentionally returns an error for testing"))
    }

    /// Reports its progress three times
    #[mcp_tool]
    async fn test_tool_with_progress(context: Context) -> &'static str {
        for progress in [0, 50, 100] {
            context.progress(progress, 100).await;
            tokio::time::sleep(PAUSE).await;
        }
        "Progress was reported three times."
    }

    /// Logs three lines
    #[mcp_tool]
    async fn test_tool_with_logging(context: Context) -> &'static str {
        for step in ["started", "processing data", "completed"] {
            context.log(LoggingLevel::Info, format!("Tool execution {step}")).await;
            tokio::time::sleep(PAUSE).await;
        }
        "Three lines were logged."
    }

    /// Takes what a schema written by hand says
    #[mcp_tool(input_schema = contact_schema())]
    fn json_schema_2020_12_tool(#[mcp(flatten)] contact: Value) -> String {
        format!("got {contact}")
    }

    /// A text
    #[mcp_resource(uri = "test://static-text", mime_type = "text/plain")]
    fn static_text() -> &'static str {
        "This is the content of the static text resource."
    }

    /// Bytes
    #[mcp_resource(uri = "test://static-binary", mime_type = "image/png")]
    fn static_binary() -> Vec<u8> {
        PNG.to_vec()
    }

    /// A resource to watch
    #[mcp_resource(uri = "test://watched-resource", mime_type = "text/plain")]
    fn watched_resource() -> &'static str {
        "This is watched."
    }

    /// Data by its number
    #[mcp_resource(uri = "test://template/{id}/data", mime_type = "application/json")]
    fn template(id: String) -> Json<Value> {
        Json(json!({"id": id, "templateTest": true, "data": format!("Data for ID: {id}")}))
    }

    /// A prompt without arguments
    #[mcp_prompt]
    fn test_simple_prompt() -> &'static str {
        "This is a simple prompt for testing."
    }

    /// A prompt with two arguments
    #[mcp_prompt]
    fn test_prompt_with_arguments(
        /// The first
        #[mcp(complete = completions)]
        arg1: String,
        /// The second
        arg2: String,
    ) -> String {
        format!("Prompt with arguments: arg1='{arg1}', arg2='{arg2}'")
    }

    /// A prompt that holds a resource
    #[mcp_prompt]
    fn test_prompt_with_embedded_resource(
        /// The resource's URI
        #[mcp(name = "resourceUri")]
        resource_uri: String,
    ) -> Vec<PromptMessage> {
        let text = "Embedded resource content for testing.";
        let contents = ResourceContents::text(resource_uri, text).with_mime_type("text/plain");
        vec![
            PromptMessage::user(ContentBlock::resource(contents)),
            PromptMessage::user("Please process the embedded resource above."),
        ]
    }

    /// A prompt that holds a picture
    #[mcp_prompt]
    fn test_prompt_with_image() -> Vec<PromptMessage> {
        vec![
            PromptMessage::user(ContentBlock::image(PNG, "image/png")),
            PromptMessage::user("Please analyze the image above."),
        ]
    }

    fn completions(value: &str) -> Vec<String> {
        let all = ["test", "testing", "paris", "park"];
        all.iter().filter(|word| word.starts_with(value)).map(ToString::to_string).collect()
    }

    pub(super) fn contact_schema() -> Value {
        json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "type": "object",
            "$defs": {
                "address": {
                    "$anchor": "addressDef",
                    "type": "object",
                    "properties": { "street": { "type": "string" }, "city": { "type": "string" } },
                },
            },
            "properties": {
                "name": { "type": "string" },
                "address": { "$ref": "#/$defs/address" },
                "contactMethod": { "type": "string", "enum": ["phone", "email"] },
                "phone": { "type": "string" },
                "email": { "type": "string" },
            },
            "allOf": [{ "anyOf": [{ "required": ["phone"] }, { "required": ["email"] }] }],
            "if": { "properties": { "contactMethod": { "const": "phone" } }, "required": ["contactMethod"] },
            "then": { "required": ["phone"] },
            "else": { "required": ["email"] },
            "additionalProperties": false,
        })
    }
}

fn server() -> McpServer {
    everything::server()
}

fn main() -> Result<(), Error> {
    server().run_blocking()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use mcp_runtime::{protocol::ContentBlock, testing::TestClient};
    use serde_json::json;

    #[tokio::test]
    async fn has_one_of_everything() {
        let client = TestClient::connect(super::server()).await.unwrap();
        let kinds = client.call("test_multiple_content_types", json!({})).await.unwrap().content;
        assert!(matches!(kinds[..], [ContentBlock::Text(_), ContentBlock::Image(_), ContentBlock::Resource(_)]));
        assert!(client.call("test_error_handling", json!({})).await.unwrap().is_error);
        assert_eq!(client.call("boom", json!({})).await.unwrap_err().code, -32603);
        let template = client.read("test://template/123/data").await.unwrap();
        assert!(template.contents[0].as_text().unwrap().contains("123"));
        let schema = client.list_tools().await.unwrap();
        let schema = schema.iter().find(|tool| tool.name == "json_schema_2020_12_tool").unwrap();
        assert_eq!(schema.input_schema, super::everything::contact_schema().into());
        let reference = json!({"type": "ref/prompt", "name": "test_prompt_with_arguments"});
        let params = json!({"ref": reference, "argument": {"name": "arg1", "value": "test"}});
        let completed = client.request("completion/complete", params).await.unwrap();
        assert_eq!(completed["completion"]["values"], json!(["test", "testing"]));
    }

    #[tokio::test(start_paused = true)]
    async fn a_slow_call_can_be_cancelled() {
        let client = TestClient::connect(super::server()).await.unwrap();
        let slow = json!({"name": "slow", "arguments": {"ms": 3_600_000}});
        let started = client.start("tools/call", slow).await;
        started.cancel().await;
        // Time for it to end by itself, had it not heeded its cancellation; then its id is free again.
        tokio::time::sleep(Duration::from_secs(2)).await;
        let again = json!({"name": "slow", "arguments": {"ms": 1}});
        assert!(client.request("tools/call", again).await.is_ok());
        drop(client);
        assert!(started.answer().await.is_err(), "a cancelled call has no answer");
    }
}
