//! Whether what a server says is what the standard has it say: one checker a version, made of the standard's own schema.
//!
//! Each message is checked twice. First against the schema as it is; then against the same schema, closed, in which an
//! object has the members that its definition lists and no others, so that nothing of a newer version passes as an
//! unknown member of an open object.

mod closed;
mod conversation;
mod errata;
mod tasks;
#[cfg(test)]
mod tests;

use std::{
    collections::BTreeSet,
    fmt::{self, Write as _},
    sync::OnceLock,
};

use jsonschema::{ValidationError, Validator, error::ValidationErrorKind};
use serde_json::{Map, Value, json};

pub use conversation::{Conversation, Shared};

/// Where each version's schema comes from is told in `tests/schema/standard/README.md`.
const SCHEMAS: [(&str, &str); 5] = [
    ("2024-11-05", include_str!("../standard/2024-11-05.json")),
    ("2025-03-26", include_str!("../standard/2025-03-26.json")),
    ("2025-06-18", include_str!("../standard/2025-06-18.json")),
    ("2025-11-25", include_str!("../standard/2025-11-25.json")),
    ("2026-07-28", include_str!("../standard/2026-07-28.json")),
];

/// Makes a `TestClient` which connects as mcp-runtime's does, and checks each message. It is a macro, since this package
/// does not know mcp-runtime.
#[macro_export]
macro_rules! test_client {
    ($($visibility:tt)?) => {
        /// A client within the process, whose server is held to the standard's schemas.
        #[derive(Debug)]
        $($visibility)? struct TestClient;

        impl TestClient {
            /// A client that is yet to connect.
            pub fn of(server: ::mcp_runtime::McpServer) -> ::mcp_runtime::testing::TestClientBuilder {
                let conversation = $crate::Shared::default();
                ::mcp_runtime::testing::TestClient::of(server).watch(move |speaker, message| match speaker {
                    ::mcp_runtime::testing::Speaker::Client => conversation.observe_sent(message),
                    ::mcp_runtime::testing::Speaker::Server => conversation.observe_received(message),
                })
            }

            /// Connects, with the newest version of the protocol that has a handshake.
            ///
            /// # Errors
            /// When the server cannot start.
            pub async fn connect(
                server: ::mcp_runtime::McpServer,
            ) -> Result<::mcp_runtime::testing::TestClient, ::mcp_runtime::Error> {
                Self::of(server).connect().await
            }

            /// Connects as a client of that version.
            ///
            /// # Errors
            /// When the server cannot start.
            pub async fn connect_as(
                server: ::mcp_runtime::McpServer,
                version: ::mcp_runtime::protocol::ProtocolVersion,
            ) -> Result<::mcp_runtime::testing::TestClient, ::mcp_runtime::Error> {
                Self::of(server).version(version).connect().await
            }
        }
    };
}

/// Longer complaints are cut: some messages of tests are large on purpose.
const LONGEST: usize = 600;

/// What one version of the standard has a server say.
pub struct Checker {
    /// Its date.
    pub version: &'static str,
    definitions: Map<String, Value>,
    standard: Validator,
    closed: Validator,
}

/// What is known of a request when its answer comes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Asked {
    /// None where the message was not one that has an answer other than an error.
    pub method: Option<String>,
    /// Whether it asked for a task in place of its result.
    pub task: bool,
}

impl Asked {
    /// A request of that method.
    pub fn of(method: &str) -> Self {
        Self { method: Some(method.to_owned()), task: false }
    }
}

impl fmt::Debug for Checker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Checker").field("version", &self.version).finish_non_exhaustive()
    }
}

impl Checker {
    /// The checker of that version, if the standard has it. Compiled when it is first asked for.
    pub fn for_version(version: &str) -> Option<&'static Self> {
        static CHECKERS: [OnceLock<Checker>; SCHEMAS.len()] = [const { OnceLock::new() }; SCHEMAS.len()];
        let place = SCHEMAS.iter().position(|(date, _)| *date == version)?;
        Some(CHECKERS[place].get_or_init(|| Self::new(SCHEMAS[place].0, SCHEMAS[place].1)))
    }

    fn new(version: &'static str, schema: &str) -> Self {
        let mut schema: Value = serde_json::from_str(schema).expect("a schema in JSON");
        let key = if schema.get("$defs").is_some() { "$defs" } else { "definitions" };
        let dialect = schema["$schema"].take();
        let Value::Object(mut definitions) = schema[key].take() else { panic!("{version}: no definitions") };
        errata::correct(version, &mut definitions);
        if version == tasks::VERSION {
            tasks::extend(&mut definitions);
        }
        // One validator for all definitions: it takes an object whose member's name is the definition's.
        let compile = |definitions: &Map<String, Value>| {
            let members: Map<_, _> =
                definitions.keys().map(|name| (name.clone(), json!({"$ref": format!("#/{key}/{name}")}))).collect();
            jsonschema::options()
                .should_validate_formats(true)
                .should_ignore_unknown_formats(false)
                .with_format("byte", is_base64)
                .build(&json!({"$schema": dialect, key: definitions, "properties": members}))
                .unwrap_or_else(|error| panic!("{version}: {error}"))
        };
        let (standard, closed) = (compile(&definitions), compile(&closed::close(&definitions)));
        Self { version, definitions, standard, closed }
    }

    /// What is wrong with a value that should be of that definition.
    pub fn value(&self, definition: &str, value: &Value) -> Vec<String> {
        assert!(self.definitions.contains_key(definition), "{}: {definition} is not defined", self.version);
        let instance = json!({ definition: value });
        let wrong = words(&self.standard, &instance);
        if wrong.is_empty() { words(&self.closed, &instance) } else { wrong }
    }

    /// What is wrong with the result of that request.
    pub fn result(&self, asked: &Asked, result: &Value) -> Vec<String> {
        let Some(method) = &asked.method else { return vec!["a result for what was no request".to_owned()] };
        let Some(choices) = self.results_of(method, asked.task) else {
            return vec![format!("a result of {method}, which {} does not have", self.version)];
        };
        let mut wrong = Vec::new();
        for choice in choices {
            let mut complaints = self.value(&choice, result);
            complaints.extend(wrong_schemas(result));
            complaints.extend(self.wrong_result_type(&choice, result));
            if complaints.is_empty() {
                return complaints;
            }
            wrong.extend(complaints);
        }
        wrong
    }

    /// What is wrong with a whole message that answers with a result, apart from the result.
    pub fn result_frame(&self, message: &Value) -> Vec<String> {
        let frame = self.named(&["JSONRPCResultResponse", "JSONRPCResponse"]);
        let mut wrong = words(&self.standard, &json!({ frame: message }));
        wrong.extend(unlisted(message, &["jsonrpc", "id", "result"]));
        wrong
    }

    /// What is wrong with a whole message that answers with an error.
    pub fn error(&self, message: &Value) -> Vec<String> {
        let frame = self.named(&["JSONRPCErrorResponse", "JSONRPCError"]);
        let mut message = message.clone();
        if message.get("id") == Some(&Value::Null) {
            // The schemas have no words for it, JSON-RPC 2.0 has: null where the request's id could not be read.
            message["id"] = json!(0);
        }
        let mut wrong = self.value(frame, &message);
        // Definitions that a number belongs to, as whole messages or as their `error`.
        for (name, definition) in &self.definitions {
            let branches = definition["properties"]["error"]["allOf"].as_array().into_iter().flatten();
            let numbers: Vec<_> =
                branches.filter_map(|branch| branch.pointer("/properties/code/const")).filter(|n| n.is_i64()).collect();
            if numbers.contains(&&message["error"]["code"]) {
                wrong.extend(self.value(name, &message));
            } else if definition.pointer("/properties/code/const").is_some_and(|n| *n == message["error"]["code"]) {
                wrong.extend(self.value(name, &message["error"]));
            }
        }
        wrong
    }

    /// What is wrong with a whole message that is a notification or a request of the server.
    pub fn said(&self, message: &Value) -> Vec<String> {
        let (union, frame, members) = match message.get("id") {
            Some(_) => ("ServerRequest", "JSONRPCRequest", &["jsonrpc", "id", "method", "params"][..]),
            None => ("ServerNotification", "JSONRPCNotification", &["jsonrpc", "method", "params"][..]),
        };
        let method = message["method"].as_str().unwrap_or_default();
        let Some(name) = self.in_union(union, method) else {
            return vec![format!("{method:?} is no {union} of {}", self.version)];
        };
        let mut wrong = words(&self.standard, &json!({ frame: message }));
        wrong.extend(unlisted(message, members));
        // Older schemas define a message without its frame.
        let listed = &self.definitions[name]["properties"];
        let mut inner = message.clone();
        for member in ["jsonrpc", "id"] {
            if let (None, Some(inner)) = (listed.get(member), inner.as_object_mut()) {
                inner.remove(member);
            }
        }
        wrong.extend(self.value(name, &inner));
        wrong
    }

    /// The members that a definition lists; none where the version does not have it.
    pub fn members(&self, definition: &str) -> Option<BTreeSet<&str>> {
        Some(self.definitions.get(definition)?["properties"].as_object()?.keys().map(String::as_str).collect())
    }

    /// Whether an array of answers is a message.
    pub fn has_batches(&self) -> bool {
        self.definitions.contains_key("JSONRPCBatchResponse")
    }

    /// Whether that may be asked; what has no method that can be read may be anything.
    fn has_request(&self, asked: &Asked) -> bool {
        asked.method.as_ref().is_none_or(|method| self.results_of(method, asked.task).is_some())
    }

    /// The definitions that a result of that method can be of.
    fn results_of(&self, method: &str, task: bool) -> Option<Vec<String>> {
        if self.version == tasks::VERSION
            && let Some(result) = tasks::results_of(method)
        {
            return Some(vec![result.to_owned()]);
        }
        let stem = self.in_union("ClientRequest", method)?.strip_suffix("Request").expect("a request");
        if let Some(answer) = self.definitions.get(&format!("{stem}ResultResponse")) {
            let result = &answer["properties"]["result"];
            let choices = result["anyOf"].as_array().map_or(std::slice::from_ref(result), Vec::as_slice);
            let mut choices: Vec<_> = choices.iter().filter_map(reference).map(str::to_owned).collect();
            if method == "tools/call" {
                choices.push(tasks::CREATED.to_owned());
            }
            return Some(choices);
        }
        let result = format!("{stem}Result");
        let mut choices = vec![if self.definitions.contains_key(&result) { result } else { "EmptyResult".to_owned() }];
        // A server may take such a request without making a task of it.
        if task && self.definitions.contains_key("CreateTaskResult") {
            choices.push("CreateTaskResult".to_owned());
        }
        Some(choices)
    }

    /// `resultType` is any text in the schema; the standard ties it to what the result is.
    fn wrong_result_type(&self, definition: &str, result: &Value) -> Option<String> {
        let right = match definition {
            "InputRequiredResult" => "input_required",
            tasks::CREATED => "task",
            _ => "complete",
        };
        let given = result.get("resultType")?;
        (given != right).then(|| format!("resultType is {given} in a {definition}"))
    }

    /// The definition with that method, of those that a union names.
    fn in_union(&self, union: &str, method: &str) -> Option<&str> {
        let choices = self.definitions.get(union)?["anyOf"].as_array().expect("a union").iter();
        let choice = |name: &&str| self.definitions[*name]["properties"]["method"]["const"] == method;
        choices.filter_map(reference).find(choice)
    }

    fn named<'a>(&self, names: &[&'a str]) -> &'a str {
        names.iter().find(|name| self.definitions.contains_key(**name)).expect("a definition")
    }
}

/// What is wrong with the schemas of listed tools: to the standard they are objects, to JSON Schema they are more.
fn wrong_schemas(result: &Value) -> Vec<String> {
    let tools = result["tools"].as_array().into_iter().flatten();
    let schemas = tools.flat_map(|tool| [tool.get("inputSchema"), tool.get("outputSchema")]).flatten();
    schemas.filter_map(|schema| jsonschema::meta::validate(schema).err()).map(|error| said_short(&error)).collect()
}

/// The name of the definition that a schema refers to.
fn reference(schema: &Value) -> Option<&str> {
    schema.get("$ref")?.as_str()?.rsplit('/').next()
}

fn unlisted(message: &Value, listed: &[&str]) -> Option<String> {
    let given: BTreeSet<_> = message.as_object()?.keys().map(String::as_str).collect();
    let more: Vec<_> = given.difference(&listed.iter().copied().collect()).copied().collect();
    (!more.is_empty()).then(|| format!("members that the frame does not list: {more:?}"))
}

fn words(validator: &Validator, instance: &Value) -> Vec<String> {
    validator.iter_errors(instance).map(|error| said_short(&error)).collect()
}

fn said_short(error: &ValidationError<'_>) -> String {
    let mut text = format!("{}: ", error.instance_path());
    match error.kind() {
        // "Under none of the schemas" alone helps nobody: say what each of them lacks.
        ValidationErrorKind::AnyOf { context } | ValidationErrorKind::OneOfNotValid { context } => {
            text.push_str("fits no choice");
            for choice in context {
                let wrong: Vec<_> = choice.iter().map(said_short).collect();
                let _ = write!(text, " [{}]", wrong.join("; "));
            }
        }
        _ => text.push_str(&error.to_string()),
    }
    if let Some((end, _)) = text.char_indices().nth(LONGEST) {
        text.truncate(end);
        text.push('…');
    }
    text
}

/// The format `byte`: base64 with its padding.
fn is_base64(text: &str) -> bool {
    let digits = text.trim_end_matches('=');
    text.len().is_multiple_of(4)
        && text.len() - digits.len() <= 2
        && digits.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'+' || byte == b'/')
}
