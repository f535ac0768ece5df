//! Every field at every version: an object of the server has the members that the version's schema lists for it, all of
//! them and no others.

use std::collections::BTreeSet;

use mcp_runtime::{
    prelude::*,
    protocol::{
        Annotations, AudioContent, EmbeddedResource, GetPromptResult, Icon, ImageContent, Meta, PromptMessage,
        ReadResourceResult, ResourceLink, Role, TextContent,
    },
};
use mcp_test_support::{Running, STATELESS, Transport, VERSIONS, schema::Checker};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

#[derive(Serialize, JsonSchema)]
struct Point {
    x: i32,
}

/// How to use what is full.
#[mcp_server(
    name = "full",
    version = "1",
    title = "Full",
    website_url = "https://example.com",
    icons = ["https://example.com/i"]
)]
mod functions {
    use super::*;

    /// Described
    #[mcp_tool(
        title = "Everything",
        read_only,
        destructive = false,
        idempotent,
        open_world = false,
        icons = ["https://example.com/i"]
    )]
    fn everything() -> Json<Point> {
        Json(Point { x: 1 })
    }

    /// Gives all there is to give
    #[mcp_tool]
    fn results() -> CallToolResult {
        CallToolResult {
            content: blocks(),
            structured_content: Some(json!({"x": 1}).into()),
            is_error: true,
            meta: Some(meta()),
        }
    }

    /// Described
    #[mcp_resource(
        uri = "test://full",
        title = "Full",
        mime_type = "text/plain",
        size = 5,
        icons = ["https://example.com/i"],
        annotations(audience = ["user"], priority = 0.5)
    )]
    fn full() -> ReadResourceResult {
        ReadResourceResult { contents: vec![text(), blob()], meta: Some(meta()), ..ReadResourceResult::default() }
    }

    /// Described
    #[mcp_resource(
        uri = "test://full/{name}",
        title = "Full",
        mime_type = "text/plain",
        icons = ["https://example.com/i"],
        annotations(audience = ["assistant"], priority = 1)
    )]
    fn template(name: String) -> String {
        name
    }

    /// Described
    #[mcp_prompt(title = "Full", icons = ["https://example.com/i"])]
    fn prompt(
        /// Described
        #[mcp(complete = names)]
        name: String,
    ) -> GetPromptResult {
        let messages = blocks().into_iter().map(|content| PromptMessage { role: Role::User, content }).collect();
        GetPromptResult { description: Some(name), messages, meta: Some(meta()) }
    }

    async fn names(value: &str) -> Vec<String> {
        vec![value.to_owned()]
    }
}

fn meta() -> Meta {
    json!({"example.com/key": 1}).as_object().expect("an object").clone()
}

fn annotations() -> Option<Annotations> {
    let last_modified = Some("2026-01-01T00:00:00Z".to_owned());
    Some(Annotations { audience: Some(vec![Role::User]), priority: Some(0.5), last_modified })
}

fn text() -> ResourceContents {
    ResourceContents { meta: Some(meta()), ..ResourceContents::text("test://text", "x").with_mime_type("text/plain") }
}

fn blob() -> ResourceContents {
    ResourceContents { meta: Some(meta()), ..ResourceContents::blob("test://blob", [0]).with_mime_type("image/png") }
}

/// A block of each kind, with all that it can have.
fn blocks() -> Vec<ContentBlock> {
    let (annotations, meta) = (annotations(), Some(meta()));
    let (data, uri) = ("AAAA".to_owned(), "test://full".to_owned());
    let icon = Icon {
        src: "https://example.com/i".to_owned(),
        mime_type: Some("image/png".to_owned()),
        sizes: Some(vec!["48x48".to_owned()]),
        theme: Some("dark".to_owned()),
    };
    let word = || Some("word".to_owned());
    let embedded = |resource| EmbeddedResource { resource, annotations: annotations.clone(), meta: meta.clone() };
    vec![
        ContentBlock::Text(TextContent { text: data.clone(), annotations: annotations.clone(), meta: meta.clone() }),
        ContentBlock::Image(ImageContent {
            data: data.clone(),
            mime_type: "image/png".to_owned(),
            annotations: annotations.clone(),
            meta: meta.clone(),
        }),
        ContentBlock::Audio(AudioContent {
            data,
            mime_type: "audio/wav".to_owned(),
            annotations: annotations.clone(),
            meta: meta.clone(),
        }),
        ContentBlock::Resource(embedded(text())),
        ContentBlock::Resource(embedded(blob())),
        ContentBlock::ResourceLink(ResourceLink {
            uri,
            name: "full".to_owned(),
            title: word(),
            description: word(),
            mime_type: word(),
            size: Some(1),
            icons: Some(vec![icon]),
            annotations: annotations.clone(),
            meta: meta.clone(),
        }),
    ]
}

/// Where an object stands in a result, its definition, and what the server has no say in: members with the version from
/// which on they are absent.
type Row = (&'static str, &'static str, &'static [(&'static str, &'static str)]);

const ALWAYS: &str = "";
const ICON: &[(&str, &str)] = &[("mimeType", ALWAYS), ("sizes", ALWAYS), ("theme", ALWAYS)];

/// Each request with the objects in its result. A version whose schema lacks a definition has no such object.
fn table() -> Vec<(&'static str, Value, Vec<Row>)> {
    // Declared entries have no `_meta` of their own, declared icons and annotations only what attributes take.
    const META: &[(&str, &str)] = &[("_meta", ALWAYS)];
    const LIST: &[(&str, &str)] = &[("_meta", ALWAYS), ("nextCursor", ALWAYS)];
    const DECLARED: &[(&str, &str)] = &[("lastModified", ALWAYS)];
    vec![
        (
            "tools/list",
            json!({}),
            vec![
                ("", "ListToolsResult", LIST),
                // No tool takes its time as a task.
                ("/tools/0", "Tool", &[("_meta", ALWAYS), ("execution", ALWAYS)]),
                // The title stands in the tool itself where that has one.
                ("/tools/0/annotations", "ToolAnnotations", &[("title", "2025-06-18")]),
                ("/tools/0/icons/0", "Icon", ICON),
            ],
        ),
        (
            "resources/list",
            json!({}),
            vec![
                ("", "ListResourcesResult", LIST),
                ("/resources/0", "Resource", META),
                ("/resources/0/annotations", "Annotations", DECLARED),
                ("/resources/0/icons/0", "Icon", ICON),
            ],
        ),
        (
            "resources/templates/list",
            json!({}),
            vec![
                ("", "ListResourceTemplatesResult", LIST),
                ("/resourceTemplates/0", "ResourceTemplate", META),
                ("/resourceTemplates/0/annotations", "Annotations", DECLARED),
                ("/resourceTemplates/0/icons/0", "Icon", ICON),
            ],
        ),
        (
            "prompts/list",
            json!({}),
            vec![
                ("", "ListPromptsResult", LIST),
                ("/prompts/0", "Prompt", META),
                ("/prompts/0/icons/0", "Icon", ICON),
                ("/prompts/0/arguments/0", "PromptArgument", &[("title", ALWAYS)]),
            ],
        ),
        (
            "tools/call",
            json!({"name": "results"}),
            vec![
                ("", "CallToolResult", &[]),
                ("/content/0", "TextContent", &[]),
                ("/content/0/annotations", "Annotations", &[]),
                ("/content/1", "ImageContent", &[]),
                ("/content/2", "AudioContent", &[]),
                ("/content/3", "EmbeddedResource", &[]),
                ("/content/3/resource", "TextResourceContents", &[]),
                ("/content/4/resource", "BlobResourceContents", &[]),
                ("/content/5", "ResourceLink", &[]),
                ("/content/5/icons/0", "Icon", &[]),
            ],
        ),
        (
            "resources/read",
            json!({"uri": "test://full"}),
            vec![
                ("", "ReadResourceResult", &[]),
                ("/contents/0", "TextResourceContents", &[]),
                ("/contents/1", "BlobResourceContents", &[]),
            ],
        ),
        (
            "prompts/get",
            json!({"name": "prompt", "arguments": {"name": "n"}}),
            vec![
                ("", "GetPromptResult", &[]),
                ("/messages/0", "PromptMessage", &[]),
                ("/messages/0/content", "TextContent", &[]),
                ("/messages/1/content", "ImageContent", &[]),
                ("/messages/2/content", "AudioContent", &[]),
                ("/messages/3/content", "EmbeddedResource", &[]),
                ("/messages/3/content/resource", "TextResourceContents", &[]),
                ("/messages/4/content/resource", "BlobResourceContents", &[]),
                ("/messages/5/content", "ResourceLink", &[]),
            ],
        ),
        (
            "completion/complete",
            json!({"ref": {"type": "ref/prompt", "name": "prompt"}, "argument": {"name": "name", "value": "v"}}),
            vec![("", "CompleteResult", META)],
        ),
    ]
}

/// Whether each object is what its definition lists. That what a version does not know is nowhere else, and that values are
/// right, is checked as the messages come.
fn check(version: &str, what: &str, result: &Value, rows: &[Row]) {
    let checker = Checker::for_version(version).expect("a version");
    for (place, definition, absent) in rows {
        let Some(mut listed) = checker.members(definition) else { continue };
        for (member, since) in *absent {
            // In the newest version every result says who gives it.
            let says_who = version == STATELESS && place.is_empty() && *member == "_meta";
            if version >= *since && !says_who {
                listed.remove(member);
            }
        }
        let object = result.pointer(place).and_then(Value::as_object);
        let object = object.unwrap_or_else(|| panic!("{what} at {version}: no {definition} at {place:?}: {result}"));
        let said: BTreeSet<_> = object.keys().map(String::as_str).collect();
        assert_eq!(said, listed, "{what} at {version}: the {definition} at {place:?}");
    }
}

#[tokio::test]
async fn an_object_has_the_members_that_its_version_lists() {
    let running = Running::start(Transport::Memory, functions::server).await;
    for version in VERSIONS {
        let mut wire = running.connect().await;
        let greeting = wire.initialize(version).await;
        let rows: [Row; 4] = [
            ("", "InitializeResult", &[("_meta", ALWAYS)]),
            ("/serverInfo", "Implementation", &[("description", ALWAYS)]),
            ("/serverInfo/icons/0", "Icon", ICON),
            ("/capabilities", "ServerCapabilities", &[("experimental", ALWAYS), ("tasks", ALWAYS)]),
        ];
        check(version, "initialize", &greeting["result"], &rows);
        for (method, params, rows) in table() {
            let result = wire.result(method, params).await;
            check(version, method, &result, &rows);
        }
    }
    // Older versions may be told of extensions, too; their schemas do not say so.
    let extended = || functions::server().extension("com.example/more", json!({}));
    let mut wire = Running::start(Transport::Memory, extended).await.connect_as(STATELESS).await;
    let rows: Vec<Row> = vec![
        ("", "DiscoverResult", &[]),
        ("/_meta/io.modelcontextprotocol~1serverInfo", "Implementation", &[("description", ALWAYS)]),
        ("/_meta/io.modelcontextprotocol~1serverInfo/icons/0", "Icon", ICON),
        ("/capabilities", "ServerCapabilities", &[("experimental", ALWAYS)]),
    ];
    for (method, params, rows) in table().into_iter().chain([("server/discover", json!({}), rows)]) {
        let answer = wire.request(method, params).await;
        check(STATELESS, method, &answer["result"], &rows);
    }
}
