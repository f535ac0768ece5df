//! Lists: what each version sees of an entry, and pages.

use mcp_runtime::McpServer;
use mcp_test_support::{Running, Transport};
use serde_json::{Value, json};

use crate::{everywhere, fixture};

#[tokio::test]
async fn a_tool_is_listed_as_the_version_knows_it() {
    everywhere(async |case| {
        let tools = case.wire.result("tools/list", json!({})).await;
        let mut add = json!({
            "name": "add",
            "description": "Adds two numbers",
            "inputSchema": {
                "type": "object",
                "properties": {
                    "a": {"type": "integer", "description": "The first"},
                    "b": {"type": "integer", "description": "The second"},
                },
                "required": ["a", "b"],
                "additionalProperties": false,
            },
        });
        if case.since("2025-03-26") {
            add["annotations"] = json!({"readOnlyHint": true, "idempotentHint": true});
            if case.since("2025-06-18") {
                add["title"] = json!("Addition");
            } else {
                add["annotations"]["title"] = json!("Addition");
            }
        }
        if case.since("2025-11-25") {
            add["icons"] = json!([{"src": "https://example.com/add.png"}]);
        }
        assert_eq!(named(&tools["tools"], "add"), &add, "{}", case.name);

        let point = named(&tools["tools"], "point");
        assert_eq!(point["inputSchema"]["required"], json!(["x"]), "{}", case.name);
        assert_eq!(point["inputSchema"]["properties"]["y"]["default"], 7);
        let output = point.get("outputSchema").map(|schema| &schema["type"]);
        assert_eq!(output, case.since("2025-06-18").then_some(&json!("object")), "{}", case.name);
        let output = named(&tools["tools"], "numbers").get("outputSchema").map(|schema| &schema["required"]);
        let wrapped = case.since("2025-06-18") && !case.is_stateless();
        assert_eq!(output.filter(|_| wrapped), wrapped.then_some(&json!(["result"])), "{}", case.name);

        let nothing = json!({"type": "object", "properties": {}, "additionalProperties": false});
        assert_eq!(named(&tools["tools"], "fail")["inputSchema"], nothing);
        assert!(tools.get("nextCursor").is_none(), "{}", case.name);
    })
    .await;
}

#[tokio::test]
async fn schemas_say_what_parameters_take() {
    everywhere(async |case| {
        let tools = case.wire.result("tools/list", json!({})).await;
        let schema = &named(&tools["tools"], "kinds")["inputSchema"];
        let properties = &schema["properties"];
        for (name, expected) in [
            ("days", json!({"type": "integer", "minimum": 1, "maximum": 7})),
            ("code", json!({"type": "string", "minLength": 2, "maxLength": 4, "pattern": "^[a-z]+$"})),
            ("tags", json!({"type": "array", "items": {"type": "string"}, "maxItems": 2})),
            ("colour", json!({"type": "string", "enum": ["red", "green"]})),
            ("note", json!({"type": "string"})),
            ("ratio", json!({"type": "number"})),
        ] {
            assert_eq!(properties[name], expected, "{}: {name}", case.name);
        }
        assert_eq!(properties["address"]["additionalProperties"], false);
        assert_eq!(schema["required"], json!(["days", "code", "tags", "colour", "address"]));

        let window = &named(&tools["tools"], "window")["inputSchema"];
        assert_eq!(window["properties"]["from"]["description"], "Where it begins");
        assert_eq!(window["required"], json!(["from", "name"]));
    })
    .await;
}

#[tokio::test]
async fn resources_and_templates_are_listed_apart() {
    everywhere(async |case| {
        let resources = case.wire.result("resources/list", json!({})).await;
        let mut fixed = json!({
            "uri": "test://fixed",
            "name": "fixed",
            "description": "A fixed text",
            "mimeType": "text/plain",
            "size": 5,
            "annotations": {"audience": ["user"], "priority": 0.5},
        });
        assert_eq!(named(&resources["resources"], "fixed"), &fixed, "{}", case.name);
        let templates = case.wire.result("resources/templates/list", json!({})).await;
        fixed = json!({
            "uriTemplate": "test://item/{id}",
            "name": "item",
            "description": "An item by its number",
            "mimeType": "application/json",
        });
        assert_eq!(named(&templates["resourceTemplates"], "item"), &fixed, "{}", case.name);
    })
    .await;
}

#[tokio::test]
async fn prompts_are_listed_with_their_arguments() {
    everywhere(async |case| {
        let prompts = case.wire.result("prompts/list", json!({})).await;
        let mut greet = json!({
            "name": "greet",
            "description": "Greets somebody",
            "arguments": [
                {"name": "name", "description": "Whom to greet", "required": true},
                {"name": "times", "description": "How often", "required": false},
            ],
        });
        if case.since("2025-06-18") {
            greet["title"] = json!("Greeting");
        }
        assert_eq!(named(&prompts["prompts"], "greet"), &greet, "{}", case.name);
        assert!(named(&prompts["prompts"], "talk").get("arguments").is_none());
    })
    .await;
}

#[tokio::test]
async fn pages_follow_each_other_and_other_cursors_are_refused() {
    const LISTS: [(&str, &str, usize); 4] = [
        ("tools/list", "tools", 25),
        ("resources/list", "resources", 3),
        ("resources/templates/list", "resourceTemplates", 2),
        ("prompts/list", "prompts", 2),
    ];
    let small: fn() -> McpServer = || fixture::server().page_size(1);
    for transport in Transport::ALL {
        let running = Running::start(transport, small).await;
        let mut wire = running.connect_as("2025-11-25").await;
        let mut foreign = None;
        for (method, member, count) in LISTS {
            if let Some(cursor) = foreign.take() {
                let refusal = wire.refusal(method, json!({"cursor": cursor})).await;
                assert_eq!(refusal["code"], -32602, "{transport:?}: {method} took a cursor of another list");
            }
            let mut names = Vec::new();
            let mut params = json!({});
            loop {
                let page = wire.result(method, params).await;
                let entries = page[member].as_array().unwrap();
                assert_eq!(entries.len(), 1, "{transport:?}: {method}");
                names.push(entries[0]["name"].clone());
                match page.get("nextCursor") {
                    Some(cursor) => {
                        foreign = Some(cursor.clone());
                        params = json!({"cursor": cursor});
                    }
                    None => break,
                }
            }
            assert_eq!(names.len(), count, "{transport:?}: {method} gave {names:?}");
            names.sort_by_key(Value::to_string);
            names.dedup();
            assert_eq!(names.len(), count, "{transport:?}: {method} repeats itself");
            for cursor in ["", "nonsense", "AAAAAAAAAAAAAAAAAAAAAA"] {
                assert_eq!(wire.refusal(method, json!({"cursor": cursor})).await["code"], -32602, "{cursor}");
            }
        }
    }
}

#[tokio::test]
async fn lists_of_what_is_not_there_are_no_methods() {
    use mcp_runtime::ServerOptions;

    let empty: fn() -> McpServer = || McpServer::new(ServerOptions::new("empty", "1"));
    for transport in Transport::ALL {
        let running = Running::start(transport, empty).await;
        let mut wire = running.connect_as("2025-11-25").await;
        for method in ["tools/list", "resources/list", "resources/templates/list", "prompts/list"] {
            assert_eq!(wire.refusal(method, json!({})).await["code"], -32601, "{transport:?}: {method}");
        }
    }
}

fn named<'a>(entries: &'a Value, name: &str) -> &'a Value {
    let entries = entries.as_array().expect("a list");
    entries.iter().find(|entry| entry["name"] == name).unwrap_or_else(|| panic!("no {name} in {entries:?}"))
}
