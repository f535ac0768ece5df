//! Tools that are made while the program runs: words and a schema as values, and a closure.

use std::{fmt, future::Future, sync::Arc, time::Duration};

use serde_json::Value;

use super::{
    arguments::{Mode, ToolCall},
    context::{Context, States},
    outcome::{IntoCallToolResult, Step},
    patterns::Patterns,
    registration::{Function, ToolFunction},
    registry::RegisteredTool,
};
use crate::protocol::{self, Caching, CallToolResult, Icon, ToolAnnotations};

/// A tool that is made while the program runs: from a configuration, a database, another server.
///
/// Its schema is written by hand and sent as it is; the closure gets the arguments as a JSON object, whether they fit
/// the schema or not.
///
/// ```
/// use mcp_runtime::{DynamicTool, prelude::*, testing::TestClient};
/// use serde_json::json;
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// # mcp_test_schema::test_client!();
/// let schema = json!({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]});
/// let double = DynamicTool::new("double", "Doubles a number", schema, |arguments, _context| async move {
///     let n = arguments["n"].as_i64().ok_or_else(|| ToolError::new("`n` must be an integer"))?;
///     Ok::<_, ToolError>(n * 2)
/// });
/// let server = McpServer::new(ServerOptions::default()).dynamic_tool(double);
/// let client = TestClient::connect(server).await?;
/// assert_eq!(client.call("double", json!({"n": 21})).await?.first_text(), Some("42"));
/// # Ok::<(), Box<dyn std::error::Error>>(()) }).unwrap();
/// ```
///
/// [`Handle::add_dynamic_tool`](crate::Handle::add_dynamic_tool) adds one to a server that runs.
pub struct DynamicTool {
    listed: protocol::Tool,
    function: ToolFunction,
    scopes: &'static [&'static str],
    timeout: Option<Duration>,
}

impl DynamicTool {
    /// A tool of that name, with the JSON Schema of its arguments: an object schema, `"type": "object"` at its root.
    pub fn new<F, R, T>(name: impl Into<String>, description: impl Into<String>, input_schema: Value, call: F) -> Self
    where
        F: Fn(Value, Context) -> R + Send + Sync + 'static,
        R: Future<Output = T> + Send + 'static,
        T: IntoCallToolResult + 'static,
    {
        let listed = protocol::Tool {
            name: name.into(),
            title: None,
            description: Some(description.into()),
            icons: None,
            input_schema: input_schema.into(),
            output_schema: None,
            annotations: None,
            execution: None,
            meta: None,
        };
        Self { listed, function: Box::new(Closure(call)), scopes: &[], timeout: None }
    }

    /// Its name for people.
    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.listed.title = Some(title.into());
        self
    }

    /// Hints on its behaviour.
    #[must_use]
    pub fn annotations(mut self, annotations: ToolAnnotations) -> Self {
        self.listed.annotations = Some(annotations);
        self
    }

    /// Pictures.
    #[must_use]
    pub fn icons(mut self, icons: Vec<Icon>) -> Self {
        self.listed.icons = Some(icons);
        self
    }

    /// The JSON Schema of its structured content.
    #[must_use]
    pub fn output_schema(mut self, schema: Value) -> Self {
        self.listed.output_schema = Some(schema.into());
        self
    }

    /// The scopes that whoever calls it over HTTP must have; without authentication nobody has one.
    #[must_use]
    pub fn scopes(mut self, scopes: &'static [&'static str]) -> Self {
        self.scopes = scopes;
        self
    }

    /// The time for one call, extended by its progress.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    pub(super) fn renamed(mut self, rename: impl Fn(String) -> String) -> Self {
        self.listed.name = rename(self.listed.name);
        self
    }

    pub(super) fn register(self, states: Arc<States>, caching: Caching) -> RegisteredTool {
        let Self { listed, function, scopes, timeout } = self;
        RegisteredTool {
            listed,
            function,
            states,
            properties: None,
            scopes,
            flattened: Vec::new(),
            patterns: Patterns::default(),
            advertised: None,
            strict: false,
            timeout,
            mirrored: Vec::new(),
            task: None,
            caching,
        }
    }
}

impl fmt::Debug for DynamicTool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("DynamicTool").field(&self.listed.name).finish()
    }
}

struct Closure<F>(F);

impl<F, R, T> Function<ToolCall<'_>, CallToolResult> for Closure<F>
where
    F: Fn(Value, Context) -> R + Send + Sync,
    R: Future<Output = T> + Send + 'static,
    T: IntoCallToolResult + 'static,
{
    fn call(&self, call: ToolCall<'_>) -> Step<CallToolResult> {
        let Mode::Run(run) = call.0 else { return Step::Described };
        // The dispatcher lets objects through only; their text was parsed as a whole before.
        let arguments = run.arguments.and_then(|raw| serde_json::from_str(raw.get()).ok());
        let arguments = arguments.unwrap_or_else(|| Value::Object(serde_json::Map::new()));
        let result = (self.0)(arguments, run.scene.context().clone());
        Step::Later(Box::pin(async move { result.await.into_call_tool_result() }))
    }
}
