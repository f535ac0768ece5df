//! Every kind of thing that a server can offer: the fixtures that the protocol's conformance suite asks for, by their
//! own names, and a few for experiments.

use std::time::Duration;

use mcp_runtime::{
    prelude::*,
    protocol::{
        CreateMessageRequestParams, ElicitSchema, LoggingLevel, PromptMessage,
        elicitation::{
            BooleanSchema, LegacyTitledEnumSchema, NumberSchema, StringSchema, TitledMultiSelectEnumSchema,
            TitledSingleSelectEnumSchema, UntitledMultiSelectEnumSchema, UntitledSingleSelectEnumSchema,
        },
    },
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// A red pixel.
const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x02\0\0\0\x90wS\xde\0\0\0\x0cIDATx\x9cc\xf8\xcf\xc0\0\0\x03\x01\x01\0\xc9\xfe\x92\xef\0\0\0\0IEND\xaeB`\x82";

/// No sound at all, 8 kHz.
const WAV: &[u8] = b"RIFF\x24\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0\x40\x1f\0\0\x40\x1f\0\0\x01\0\x08\0data\0\0\0\0";

const PAUSE: Duration = Duration::from_millis(50);

/// Who calls, where the listener authenticates.
#[derive(Serialize, JsonSchema)]
struct Whoami {
    /// `jwt`, `apikey` or `oauth`
    method: Option<String>,
    /// Whom the credential stands for
    subject: Option<String>,
    /// The client that it was given to
    client: Option<String>,
    /// What it is good for
    scopes: Vec<String>,
}

/// Who somebody is.
#[derive(Deserialize, Serialize, JsonSchema)]
struct User {
    /// User's response
    username: String,
    /// User's email address
    email: String,
}

#[derive(Deserialize, JsonSchema)]
struct Name {
    name: String,
}

#[derive(Deserialize, JsonSchema)]
struct Color {
    color: String,
}

#[derive(Deserialize, JsonSchema)]
struct Confirmation {
    ok: bool,
}

#[derive(Deserialize, JsonSchema)]
struct Deletion {
    /// Delete it?
    confirm: bool,
}

#[derive(Deserialize, JsonSchema)]
struct Topic {
    context: String,
}

/// Has one of everything.
#[mcp_server(name = "everything", version = "1.0.0", resumability)]
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

    /// Who calls
    #[mcp_tool(read_only)]
    fn whoami(context: Context) -> Json<Whoami> {
        let principal = context.principal();
        Json(Whoami {
            method: principal.map(|principal| principal.method().to_string()),
            subject: principal.and_then(|principal| principal.subject().map(str::to_owned)),
            client: principal.and_then(|principal| principal.client().map(str::to_owned)),
            scopes: principal.map(|principal| principal.scopes().to_vec()).unwrap_or_default(),
        })
    }

    /// Does what only administrators may do
    #[mcp_tool(scopes("admin"))]
    fn admin() -> &'static str {
        "administrated"
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

    /// Logs a line, to whom the request says that it wants it
    #[mcp_tool]
    async fn test_logging_tool(context: Context) -> &'static str {
        context.log(LoggingLevel::Info, "A line was logged").await;
        "A line was logged."
    }

    /// Gives back a value that a header repeats
    #[mcp_tool(read_only)]
    fn test_custom_header(
        /// The value of the header `Mcp-Param-Value`, too
        #[mcp(header = "Value")]
        value: String,
    ) -> String {
        value
    }

    /// Asks the client's model
    #[mcp_tool]
    async fn test_sampling(
        context: Context,
        /// The prompt to send to the model
        prompt: String,
    ) -> Result<String, ToolError> {
        let answer = context.sample(CreateMessageRequestParams::new(prompt, 100)).await?;
        Ok(format!("LLM response: {}", answer.first_text().unwrap_or("No response")))
    }

    /// Asks the user
    #[mcp_tool]
    async fn test_elicitation(
        context: Context,
        /// The message to show the user
        message: String,
    ) -> Result<String, ToolError> {
        Ok(match context.elicit::<User>(message).await? {
            Elicited::Accepted(user) => format!("User response: accept, {}", json!(user)),
            other => response(&other),
        })
    }

    /// Asks the user, with something filled in beforehand
    #[mcp_tool]
    async fn test_elicitation_sep1034_defaults(context: Context) -> Result<String, ToolError> {
        let statuses = UntitledSingleSelectEnumSchema::new(["active", "inactive", "pending"]);
        let form = ElicitSchema::new()
            .optional("name", StringSchema::new().description("User name").default_value("John Doe"))
            .optional("age", NumberSchema::integer().description("User age").default_value(30))
            .optional("score", NumberSchema::number().description("User score").default_value(95.5))
            .optional("status", statuses.description("User status").default_value("active"))
            .optional("verified", BooleanSchema::new().description("Verification status").default_value(true));
        let message = "Please review and update the form fields with defaults";
        Ok(response(&context.elicit::<Value>(message).form(form).await?))
    }

    /// Asks the user to choose, in every way that there is
    #[mcp_tool]
    async fn test_elicitation_sep1330_enums(context: Context) -> Result<String, ToolError> {
        let values = ["option1", "option2", "option3"];
        let titled = [("value1", "First Option"), ("value2", "Second Option"), ("value3", "Third Option")];
        let legacy = [("opt1", "Option One"), ("opt2", "Option Two"), ("opt3", "Option Three")];
        let form = ElicitSchema::new()
            .optional("untitledSingle", UntitledSingleSelectEnumSchema::new(values))
            .optional("titledSingle", TitledSingleSelectEnumSchema::new(titled))
            .optional("legacyEnum", LegacyTitledEnumSchema::new(legacy))
            .optional("untitledMulti", UntitledMultiSelectEnumSchema::new(values).min_items(1).max_items(3))
            .optional("titledMulti", TitledMultiSelectEnumSchema::new(titled).min_items(1).max_items(3));
        Ok(response(&context.elicit::<Value>("Please select options from the enum fields").form(form).await?))
    }

    /// Asks for a name
    #[mcp_tool]
    async fn test_input_required_result_elicitation(context: Context) -> Result<String, ToolError> {
        let name = context.elicit::<Name>("What is your name?").key("user_name").await?;
        Ok(format!("Hello, {}!", name.accepted().map_or_else(|| "stranger".to_owned(), |it| it.name)))
    }

    /// Asks the client's model for a capital
    #[mcp_tool]
    async fn test_input_required_result_sampling(context: Context) -> Result<String, ToolError> {
        let question = CreateMessageRequestParams::new("What is the capital of France?", 100);
        let answer = context.sample(question).key("capital_question").await?;
        Ok(answer.first_text().unwrap_or_default().to_owned())
    }

    /// Asks for the client's roots
    #[mcp_tool]
    async fn test_input_required_result_list_roots(context: Context) -> Result<String, ToolError> {
        let roots = context.roots().key("client_roots").await?;
        Ok(format!("The roots are: {}", roots.into_iter().map(|root| root.uri).collect::<Vec<_>>().join(", ")))
    }

    /// Asks, and knows the client again by what it keeps
    #[mcp_tool]
    async fn test_input_required_result_request_state(context: Context) -> Result<String, ToolError> {
        let confirmed = context.elicit::<Confirmation>("Please confirm").key("confirm").await?;
        Ok(format!("state-ok: {}", confirmed.accepted().is_some_and(|it| it.ok)))
    }

    /// Asks the user, the model and for the roots at once
    #[mcp_tool]
    async fn test_input_required_result_multiple_inputs(context: Context) -> Result<String, ToolError> {
        let question = CreateMessageRequestParams::new("Generate a greeting", 50);
        let (name, greeting, roots) = tokio::try_join!(
            context.elicit::<Name>("What is your name?").key("user_name").into_future(),
            context.sample(question).key("greeting").into_future(),
            context.roots().key("client_roots").into_future(),
        )?;
        let name = name.accepted().map_or_else(|| "stranger".to_owned(), |it| it.name);
        Ok(format!("{} {name}, you have {} roots", greeting.first_text().unwrap_or("Hello"), roots.len()))
    }

    /// Asks one thing after another
    #[mcp_tool]
    async fn test_input_required_result_multi_round(context: Context) -> Result<String, ToolError> {
        let name = context.elicit::<Name>("Step 1: What is your name?").key("step1").await?;
        let color = context.elicit::<Color>("Step 2: What is your favorite color?").key("step2").await?;
        let name = name.accepted().map_or_else(|| "stranger".to_owned(), |it| it.name);
        Ok(format!("{name} likes {}", color.accepted().map_or_else(|| "nothing".to_owned(), |it| it.color)))
    }

    /// Asks, and refuses a client that has changed what it keeps
    #[mcp_tool]
    async fn test_input_required_result_tampered_state(context: Context) -> Result<String, ToolError> {
        let confirmed = context.elicit::<Confirmation>("Please confirm").key("confirm").await?;
        Ok(format!("confirmed: {}", confirmed.accepted().is_some_and(|it| it.ok)))
    }

    /// Asks whatever the client can answer
    #[mcp_tool]
    async fn test_input_required_result_capabilities(context: Context) -> Result<String, ToolError> {
        let question = CreateMessageRequestParams::new("What is the capital of France?", 100);
        let (name, answer) = tokio::join!(
            context.elicit::<Name>("What is your name?").key("user_name").into_future(),
            context.sample(question).key("capital_question").into_future(),
        );
        let name = name.ok().and_then(Elicited::accepted).map(|it| it.name);
        let answer = answer.ok().and_then(|it| it.first_text().map(str::to_owned));
        if name.is_none() && answer.is_none() {
            return Err(ToolError::new("the client can answer nothing"));
        }
        Ok(format!("{}: {}", name.as_deref().unwrap_or("somebody"), answer.as_deref().unwrap_or("nothing")))
    }

    /// Cannot do without the client's model
    #[mcp_tool]
    async fn test_missing_capability(context: Context) -> Result<String, ToolError> {
        let answer = context.sample(CreateMessageRequestParams::new("Say something.", 100)).await?;
        Ok(answer.first_text().unwrap_or_default().to_owned())
    }

    /// Says how far it is, and asks the user in between
    #[mcp_tool]
    async fn test_streaming_elicitation(context: Context) -> Result<String, ToolError> {
        context.progress(1, 2).await;
        let name = context.elicit::<Name>("What is your name?").key("user_name").await?;
        context.progress(2, 2).await;
        Ok(format!("Hello, {}!", name.accepted().map_or_else(|| "stranger".to_owned(), |it| it.name)))
    }

    /// Greets somebody
    #[mcp_tool(read_only)]
    fn greet(name: String) -> String {
        format!("Hello, {name}!")
    }

    /// Computes for so many seconds
    #[mcp_tool(task)]
    async fn slow_compute(seconds: u64, label: String) -> String {
        tokio::time::sleep(Duration::from_secs(seconds)).await;
        format!("{label} took {seconds} s")
    }

    /// Fails after a while
    #[mcp_tool(task = "required")]
    async fn failing_job() -> Result<(), ToolError> {
        tokio::time::sleep(Duration::from_secs(1)).await;
        Err(ToolError::new("The job failed, as it always does"))
    }

    /// Breaks after a while
    #[mcp_tool(task)]
    async fn protocol_error_job() -> String {
        tokio::time::sleep(PAUSE).await;
        panic!("the job broke")
    }

    /// Deletes a file, once its user agrees
    #[mcp_tool(task)]
    async fn confirm_delete(context: Context, filename: String) -> Result<String, ToolError> {
        let answer = context.elicit::<Deletion>(format!("Delete {filename}?")).key("confirm").await?;
        let confirmed = answer.accepted().is_some_and(|answer| answer.confirm);
        Ok(format!("{filename} was {}", if confirmed { "deleted" } else { "kept" }))
    }

    /// Asks two things at once
    #[mcp_tool(task)]
    async fn multi_input(context: Context) -> Result<String, ToolError> {
        let (name, deletion) = tokio::try_join!(
            context.elicit::<Name>("What is your name?").key("name").into_future(),
            context.elicit::<Deletion>("Are you sure?").key("confirm").into_future(),
        )?;
        let name = name.accepted().map_or_else(|| "stranger".to_owned(), |it| it.name);
        Ok(format!("{name} is {}", if deletion.accepted().is_some_and(|it| it.confirm) { "sure" } else { "not sure" }))
    }

    /// Asks for a name, then goes on as a task
    #[mcp_tool(task = "required")]
    async fn test_tool_with_task(context: Context) -> Result<String, ToolError> {
        let name = context.elicit::<Name>("What is your name?").key("user_name").before_task().await?;
        tokio::time::sleep(PAUSE).await;
        Ok(format!("Hello, {}!", name.accepted().map_or_else(|| "stranger".to_owned(), |it| it.name)))
    }

    /// Says that the list of tools has changed
    #[mcp_tool]
    fn test_trigger_tool_change(handle: Handle) -> &'static str {
        handle.tools_changed();
        "The tools have changed."
    }

    /// Says that the list of prompts has changed
    #[mcp_tool]
    fn test_trigger_prompt_change(handle: Handle) -> &'static str {
        handle.prompts_changed();
        "The prompts have changed."
    }

    /// Says that the contents of a resource have changed
    #[mcp_tool]
    fn touch(
        /// Which; clients are told that subscribed to exactly this
        #[mcp(default = "test://watched-resource")]
        uri: String,
        handle: Handle,
    ) -> String {
        handle.resource_updated(&uri);
        format!("{uri} has changed.")
    }

    /// Ends its connection, so that the client comes back for the answer
    #[mcp_tool]
    async fn test_reconnection(context: Context) -> &'static str {
        context.close_stream();
        tokio::time::sleep(2 * PAUSE).await;
        "The answer came over another connection."
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

    /// A prompt that asks for its context
    #[mcp_prompt]
    async fn test_input_required_result_prompt(context: Context) -> Result<String, PromptError> {
        let topic = context.elicit::<Topic>("What context should the prompt use?").key("user_context").await?;
        let topic = topic.accepted().map_or_else(|| "none".to_owned(), |it| it.context);
        Ok(format!("Use the following context: {topic}"))
    }

    /// What a user did, in the words of the fixtures.
    fn response<T: Serialize>(elicited: &Elicited<T>) -> String {
        match elicited {
            Elicited::Accepted(content) => format!("Elicitation completed: action=accept, content={}", json!(content)),
            Elicited::Declined => "User response: decline".to_owned(),
            Elicited::Cancelled => "User response: cancel".to_owned(),
        }
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

    use mcp_runtime::{
        protocol::{ContentBlock, CreateMessageResult, ElicitResult, ProtocolVersion, Root},
        testing::TestClient,
    };
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

    #[tokio::test]
    async fn asks_in_every_version_that_can_be_asked() {
        for version in ProtocolVersion::ALL.into_iter().skip(2) {
            let client = TestClient::of(super::server())
                .version(version)
                .on_elicit(|_| {
                    ElicitResult::accept(json!({"name": "Ada", "color": "red", "ok": true, "context": "tea"}))
                })
                .on_sample(|_| CreateMessageResult::new("Paris", "test-model"))
                .on_roots(|| vec![Root::new("file:///a")])
                .connect()
                .await
                .unwrap();
            let check = async |tool: &str, text: &str| {
                let tool = format!("test_input_required_result_{tool}");
                let result = client.call(&tool, json!({})).await.unwrap();
                assert_eq!(result.first_text(), Some(text), "{tool} at {version}");
            };
            check("elicitation", "Hello, Ada!").await;
            check("sampling", "Paris").await;
            check("list_roots", "The roots are: file:///a").await;
            check("request_state", "state-ok: true").await;
            check("multiple_inputs", "Paris Ada, you have 1 roots").await;
            check("multi_round", "Ada likes red").await;
            check("tampered_state", "confirmed: true").await;
            check("capabilities", "Ada: Paris").await;
            let prompt = client.get_prompt("test_input_required_result_prompt", json!({})).await.unwrap();
            assert_eq!(prompt.messages[0].content.as_text(), Some("Use the following context: tea"));
            let result = client.call("test_sampling", json!({"prompt": "?"})).await.unwrap();
            assert_eq!(result.first_text(), Some("LLM response: Paris"), "{version}");
            assert!(!client.call("test_elicitation_sep1034_defaults", json!({})).await.unwrap().is_error, "{version}");
        }
    }

    #[tokio::test]
    async fn a_client_without_a_model_is_told_so() {
        for version in ProtocolVersion::ALL {
            let client = TestClient::connect_as(super::server(), version).await.unwrap();
            match client.call("test_missing_capability", json!({})).await {
                Ok(result) => assert!(result.is_error && !version.is_stateless(), "{version}"),
                Err(refusal) => {
                    assert!(version.is_stateless(), "{version}: {refusal}");
                    assert_eq!(
                        (refusal.code, refusal.data),
                        (-32021, json!({"requiredCapabilities": {"sampling": {}}}))
                    );
                }
            }
        }
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
