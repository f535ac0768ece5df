//! Schemas of whole tools: what is flattened, what is returned, what is sent as it is, and what is warned of.

use std::{
    collections::{BTreeMap, HashMap},
    sync::{Arc, Mutex},
};

use mcp_runtime::{DynamicTool, prelude::*, testing::TestClient};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tracing_subscriber::fmt::MakeWriter;

use super::types::{Colour, External, Point, Shape, Tree, WithShape};

/// Draws a figure
#[mcp_tool]
fn draw(
    #[mcp(flatten)] shape: Shape,
    /// In which colour
    colour: Colour,
) {
    let _ = (shape, colour);
}

/// Draws a figure with more members
#[mcp_tool]
fn draw_more(#[mcp(flatten)] shape: WithShape) {
    let _ = shape;
}

/// Takes any labels
#[mcp_tool]
fn label(#[mcp(flatten)] labels: HashMap<String, u8>, name: String) {
    let _ = (labels, name);
}

#[tokio::test]
async fn a_choice_at_the_top_is_one_object_of_all_members() {
    let coordinate = json!({"type": "integer", "minimum": -2_147_483_648, "maximum": 2_147_483_647});
    let mut right = coordinate.clone();
    right["description"] = json!("To the right");
    let figure = json!({
        "kind": {"type": "string", "enum": ["circle", "square", "empty", "at"]},
        "radius": {"type": "number"},
        "side": {"type": "number"},
        "name": {"type": "string"},
        "x": right,
        "y": coordinate,
    });
    let client = connect(McpServer::new(ServerOptions::default()).tool::<draw>().tool::<draw_more>()).await;
    let mut properties = figure.clone();
    properties["colour"] = json!({"type": "string", "enum": ["red", "green"], "description": "In which colour"});
    let expected = json!({
        "type": "object",
        "description": "A figure. (either kind \"circle\", radius; or kind \"square\", name, side; or kind \"empty\"; \
            or kind \"at\", x, y)",
        "properties": properties,
        "required": ["kind", "colour"],
        "additionalProperties": false,
    });
    assert_eq!(input_schema(&client, "draw").await, expected);
    let more = input_schema(&client, "draw_more").await;
    assert_eq!(more["required"], json!(["a", "kind"]));
    assert_eq!(more["properties"]["kind"], figure["kind"]);
    for (tool, arguments, is_taken) in [
        ("draw", json!({"kind": "circle", "radius": 1, "colour": "red"}), true),
        ("draw", json!({"kind": "circle", "radius": "1", "colour": "red"}), true),
        ("draw", json!({"kind": "circle", "side": 1, "colour": "red"}), false),
        ("draw", json!({"radius": 1, "colour": "red"}), false),
        ("draw_more", json!({"kind": "empty", "a": 1}), true),
        ("draw_more", json!({"kind": "empty"}), false),
    ] {
        let result = client.call(tool, arguments.clone()).await.unwrap();
        assert_eq!(!result.is_error, is_taken, "{tool} {arguments}: {result:?}");
    }
}

#[tokio::test]
async fn a_flattened_map_says_what_its_members_are() {
    let client = connect(McpServer::new(ServerOptions::default()).tool::<label>()).await;
    let expected = json!({
        "type": "object",
        "properties": {"name": {"type": "string"}},
        "required": ["name"],
        "additionalProperties": {"type": "integer", "minimum": 0, "maximum": 255},
    });
    assert_eq!(input_schema(&client, "label").await, expected);
}

#[derive(Serialize, JsonSchema)]
struct Answer {
    always: u8,
    maybe: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    skipped: Option<u8>,
    #[serde(default)]
    defaulted: Vec<Option<Colour>>,
    #[serde(flatten)]
    kind: Kind,
    by_name: BTreeMap<String, u8>,
    #[schemars(skip)]
    hidden: u8,
}

#[derive(Serialize, JsonSchema)]
#[serde(tag = "kind")]
enum Kind {
    None,
    Some { value: Option<i32> },
}

#[derive(Serialize, JsonSchema)]
struct Node {
    parent: Option<u8>,
    children: Vec<Node>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all(serialize = "UPPERCASE", deserialize = "lowercase"))]
struct TwoNames {
    name: Option<Node>,
}

fn answer(maybe: Option<&str>, skipped: Option<u8>, kind: Kind) -> Answer {
    let defaulted = vec![Some(Colour::Red), None];
    let by_name = BTreeMap::from([("a".to_owned(), 1)]);
    Answer { always: 1, maybe: maybe.map(str::to_owned), skipped, defaulted, kind, by_name, hidden: 5 }
}

/// Answers with as little as can be, or as much
#[mcp_tool]
fn answer_with(full: bool) -> Json<Answer> {
    let kind = if full { Kind::Some { value: None } } else { Kind::None };
    Json(if full { answer(Some("a"), Some(2), kind) } else { answer(None, None, kind) })
}

/// Answers with one kind or the other
#[mcp_tool]
fn kind(some: bool) -> Json<Kind> {
    Json(if some { Kind::Some { value: Some(5) } } else { Kind::None })
}

/// Answers with a tree
#[mcp_tool]
fn nodes() -> Json<Node> {
    let leaf = |parent| Node { parent, children: Vec::new() };
    Json(Node { parent: None, children: vec![leaf(Some(1)), leaf(None)] })
}

/// Answers with a list
#[mcp_tool]
fn list() -> Result<Json<Vec<Option<u8>>>, ToolError> {
    Ok(Json(vec![Some(1), None]))
}

/// Answers with what is called otherwise when it is read
#[mcp_tool]
fn two_names() -> Json<TwoNames> {
    Json(TwoNames { name: None })
}

#[tokio::test]
async fn what_a_tool_returns_fits_its_output_schema() {
    let server = McpServer::new(ServerOptions::default())
        .tool::<answer_with>()
        .tool::<kind>()
        .tool::<nodes>()
        .tool::<list>()
        .tool::<two_names>();
    let client = connect(server).await;
    let tools = client.list_tools().await.unwrap();
    for (name, arguments) in [
        ("answer_with", json!({"full": false})),
        ("answer_with", json!({"full": true})),
        ("kind", json!({"some": false})),
        ("kind", json!({"some": true})),
        ("nodes", json!({})),
        ("list", json!({})),
        ("two_names", json!({})),
    ] {
        let tool = tools.iter().find(|tool| tool.name == name).unwrap();
        let schema: Value = tool.output_schema.as_ref().unwrap().parse().unwrap();
        assert_eq!(schema["type"], "object", "{name}: {schema}");
        for keyword in ["anyOf", "oneOf", "allOf", "$ref"] {
            assert!(schema.get(keyword).is_none(), "{name}: {schema}");
        }
        let result = client.call(name, arguments.clone()).await.unwrap();
        let content: Value = result.structured_content.unwrap().parse().unwrap();
        let complaints: Vec<_> =
            jsonschema::draft202012::new(&schema).unwrap().iter_errors(&content).map(|it| it.to_string()).collect();
        assert!(complaints.is_empty(), "{name} {arguments}: {content} {schema} {complaints:?}");
    }
}

/// Left as schemars makes it, and sent as it was written by hand.
#[mcp_server(profile = "full")]
mod full {
    use super::*;

    /// Takes all kinds
    #[mcp_tool]
    fn all(option: Option<u32>, #[mcp(minimum = 1)] point: u8, external: Option<External>) {
        let _ = (option, point, external);
    }

    /// Takes what was written by hand
    #[mcp_tool(input_schema = json!({"type": "object", "oneOf": [{"required": ["a"]}], "$comment": "mine"}))]
    fn by_hand(a: Option<u8>) {
        let _ = a;
    }
}

#[tokio::test]
async fn the_full_profile_and_what_was_written_by_hand_are_left_alone() {
    let client = connect(full::server()).await;
    let schema = input_schema(&client, "all").await;
    let option = json!({"type": ["integer", "null"], "format": "uint32", "minimum": 0});
    assert_eq!(schema["properties"]["option"], option);
    let point = json!({"type": "integer", "format": "uint8", "minimum": 1, "maximum": 255});
    assert_eq!(schema["properties"]["point"], point);
    let external = json!({"anyOf": [{"$ref": "#/$defs/External"}, {"type": "null"}]});
    assert_eq!(schema["properties"]["external"], external);
    let generated: Value = schemars::schema_for!(External).into();
    assert_eq!(schema["$defs"]["External"]["oneOf"], generated["oneOf"]);
    assert_eq!(schema["required"], json!(["point"]));
    let by_hand = json!({"type": "object", "oneOf": [{"required": ["a"]}], "$comment": "mine"});
    assert_eq!(input_schema(&client, "by_hand").await, by_hand);
}

/// Takes what not every client takes
#[mcp_tool]
fn troublesome(tree: Tree, pair: (u8, String), counts: HashMap<String, Option<f32>>, point: Point) {
    let _ = (tree, pair, counts, point);
}

/// Takes what was written by hand
#[mcp_tool(input_schema = json!({"type": "object", "properties": {"a b": {"type": "integer", "multipleOf": 2}},
    "oneOf": [{"required": ["a b"]}]}))]
fn by_hand() {}

#[test]
fn what_cannot_be_made_portable_is_warned_of_at_start() {
    let lines = warnings(McpServer::new(ServerOptions::default()).tool::<troublesome>().tool::<by_hand>());
    for (tool, place, keyword, clients, remedy) in [
        ("troublesome", "$defs.Tree", "$ref", "Claude (managed agents), Gemini", "nest to a fixed depth"),
        ("troublesome", "properties.pair", "prefixItems", "Gemini, OpenAI (strict)", "a struct with named fields"),
        ("troublesome", "properties.counts", "additionalProperties", "Gemini, OpenAI (strict)", "a list of structs"),
        ("by_hand", "the top", "oneOf", "Claude, OpenAI", "within a property"),
        ("by_hand", "properties.a b", "properties", "Claude", "1 to 64 of the characters"),
        ("by_hand", "properties.a b", "multipleOf", "Gemini", "in the description"),
    ] {
        let said = [format!("tool={tool} at={place} keyword={keyword} clients={clients}"), remedy.to_owned()];
        assert!(lines.iter().any(|line| said.iter().all(|it| line.contains(it))), "{said:?} in {lines:#?}");
    }
    assert!(!lines.iter().any(|line| line.contains("properties.point")), "{lines:#?}");
}

/// Takes what regular expressions elsewhere know
#[mcp_tool]
fn look_ahead(ahead: Ahead) {
    let _ = ahead;
}

#[derive(Deserialize, JsonSchema)]
#[allow(dead_code, reason = "decoded, and looked at by nobody")]
struct Ahead {
    #[schemars(regex(pattern = "^(?!a)"))]
    text: String,
    #[schemars(regex(pattern = "^a"))]
    plain: String,
}

#[test]
fn a_pattern_that_is_not_known_here_is_warned_of_at_start() {
    let lines = warnings(McpServer::new(ServerOptions::default()).tool::<look_ahead>());
    assert_eq!(lines.len(), 1, "{lines:#?}");
    assert!(lines[0].contains("tool=look_ahead pattern=^(?!a)"), "{}", lines[0]);
}

#[test]
fn few_warnings_stand_for_many() {
    let maps = (0..1000).map(|index| {
        let schema = json!({"type": "object", "properties": {"map": {"type": "object", "additionalProperties": true}}});
        DynamicTool::new(format!("tool_{index}"), "", schema, async |_, _| ())
    });
    let lines = warnings(maps.fold(McpServer::new(ServerOptions::default()), McpServer::dynamic_tool));
    assert_eq!(lines.len(), 21, "{lines:#?}");
    assert!(lines[20].contains("more=980"), "{}", lines[20]);
}

/// What is written to the log at a server's start, at the level of warnings.
fn warnings(server: McpServer) -> Vec<String> {
    let log = Log::default();
    let subscriber = tracing_subscriber::fmt()
        .with_writer(log.clone())
        .with_max_level(tracing_subscriber::filter::LevelFilter::WARN)
        .with_ansi(false)
        .finish();
    let _guard = tracing_subscriber::util::SubscriberInitExt::set_default(subscriber);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(TestClient::connect(server)).unwrap();
    let text = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
    text.lines().map(str::to_owned).collect()
}

#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl std::io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for Log {
    type Writer = Self;

    fn make_writer(&'a self) -> Self {
        self.clone()
    }
}

async fn connect(server: McpServer) -> TestClient {
    TestClient::connect(server).await.unwrap()
}

async fn input_schema(client: &TestClient, tool: &str) -> Value {
    let tools = client.list_tools().await.unwrap();
    tools.iter().find(|listed| listed.name == tool).unwrap().input_schema.parse().unwrap()
}
