//! Calls of tools: results, contents by version, and refusals.

use std::fmt;

use mcp_runtime::{prelude::*, testing::TestClient};
use serde_json::{Value, json};

use crate::everywhere;

#[tokio::test]
async fn results_are_what_functions_return() {
    everywhere(async |case| {
        for (tool, arguments, text) in [
            ("add", json!({"a": 2, "b": 40}), "42"),
            ("echo", json!({"message": "héllo \u{2028} \"✓\"\n"}), "héllo \u{2028} \"✓\"\n"),
            ("echo_later", json!({"message": "later"}), "later"),
            ("compute", json!({"ms": 1}), "computed"),
            ("exact", json!({"n": -5}), "-5"),
        ] {
            let expected = json!({"content": [{"type": "text", "text": text}]});
            assert_eq!(case.wire.call(tool, arguments).await, expected, "{}: {tool}", case.name);
        }
        assert_eq!(case.wire.call("log", json!({})).await, json!({"content": []}), "{}", case.name);
    })
    .await;
}

#[tokio::test]
async fn structured_content_is_there_where_the_version_has_it() {
    everywhere(async |case| {
        let result = case.wire.call("point", json!({"x": 1})).await;
        let text: Value = serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap();
        assert_eq!(text, json!({"x": 1, "y": 7}), "{}", case.name);
        let expected = case.since("2025-06-18").then(|| json!({"x": 1, "y": 7}));
        assert_eq!(result.get("structuredContent"), expected.as_ref(), "{}", case.name);

        let result = case.wire.call("numbers", json!({})).await;
        let numbers = if case.is_stateless() { json!([1, 2, 3]) } else { json!({"result": [1, 2, 3]}) };
        let expected = case.since("2025-06-18").then_some(numbers);
        assert_eq!(result.get("structuredContent"), expected.as_ref(), "{}", case.name);
    })
    .await;
}

#[tokio::test]
async fn content_that_a_version_does_not_know_becomes_text() {
    everywhere(async |case| {
        let result = case.wire.call("content", json!({})).await;
        let kinds: Vec<_> =
            result["content"].as_array().unwrap().iter().map(|block| block["type"].as_str().unwrap()).collect();
        let audio = if case.since("2025-03-26") { "audio" } else { "text" };
        let link = if case.since("2025-06-18") { "resource_link" } else { "text" };
        assert_eq!(kinds, ["text", "image", audio, link, "resource"], "{}", case.name);
        assert_eq!(result["content"][1]["data"], "AQID");
        assert_eq!(result["content"][4]["resource"], json!({"uri": "test://inline", "text": "inline"}));
        if link == "text" {
            assert_eq!(result["content"][3]["text"], "test://fixed");
        }
    })
    .await;
}

#[tokio::test]
async fn a_failure_is_a_result_that_the_model_can_read() {
    everywhere(async |case| {
        let expected = json!({"content": [{"type": "text", "text": "it failed; try another"}], "isError": true});
        assert_eq!(case.wire.call("fail", json!({})).await, expected, "{}", case.name);
    })
    .await;
}

#[tokio::test]
async fn a_call_without_arguments_may_leave_them_out() {
    everywhere(async |case| {
        for params in [
            json!({"name": "numbers"}),
            json!({"name": "numbers", "arguments": {}}),
            json!({"name": "numbers", "arguments": null}),
        ] {
            assert!(case.wire.result("tools/call", params.clone()).await["content"].is_array(), "{params}");
        }
    })
    .await;
}

#[tokio::test]
async fn a_call_that_is_none_is_refused() {
    everywhere(async |case| {
        for params in [
            json!({}),
            json!({"arguments": {}}),
            json!({"name": 5}),
            json!({"name": "add", "arguments": [1, 2]}),
            json!({"name": "add", "arguments": "x"}),
            json!({"name": "add", "arguments": {}, "_meta": []}),
            json!({"name": "add", "arguments": {}, "_meta": {"progressToken": {}}}),
        ] {
            if case.is_stateless() && params["_meta"].is_array() {
                // Then it does not speak for itself, and there is no session that does.
                continue;
            }
            let refusal = case.wire.refusal("tools/call", params.clone()).await;
            assert_eq!(refusal["code"], -32602, "{}: {params}", case.name);
        }
        let refusal = case.wire.refusal("tools/call", json!({"name": "ad", "arguments": {}})).await;
        assert_eq!(refusal["code"], -32602);
        assert_eq!(refusal["message"], "there is no tool `ad`; did you mean `add`?", "{}", case.name);
        let refusal = case.wire.refusal("tools/call", json!({"name": "subtract"})).await;
        assert_eq!(refusal["message"], "there is no tool `subtract`", "{}", case.name);
    })
    .await;
}

#[tokio::test]
async fn foreign_json_stays_within_its_message() {
    everywhere(async |case| {
        let params = json!({"name": "foreign", "_meta": {"io.modelcontextprotocol/logLevel": "debug"}});
        let id = case.wire.start("tools/call", params).await;
        let log = case.wire.receive().await;
        assert_eq!(log["params"]["data"][0]["id"], 99, "{}: {log}", case.name);
        let answer = case.wire.receive().await;
        assert_eq!(answer["id"], id, "{}: {answer}", case.name);
    })
    .await;
}

#[tokio::test]
async fn what_json_cannot_say_is_an_error_of_its_call() {
    everywhere(async |case| {
        let refusal = case.wire.refusal("tools/call", json!({"name": "endless"})).await;
        let expected = json!({"code": -32603, "message": "the result could not be written as JSON"});
        assert_eq!(refusal, expected, "{}", case.name);
    })
    .await;
}

#[tokio::test]
async fn a_panic_is_an_error_of_its_call_and_of_nothing_else() {
    everywhere(async |case| {
        for tool in ["boom", "boom_later"] {
            let refusal = case.wire.refusal("tools/call", json!({"name": tool})).await;
            assert_eq!(refusal, json!({"code": -32603, "message": "the handler failed"}), "{}: {tool}", case.name);
        }
        assert_eq!(case.wire.call("add", json!({"a": 1, "b": 1})).await["content"][0]["text"], "2");
    })
    .await;
}

/// An error as those of `anyhow` are: its causes are in the alternate form alone.
#[derive(Debug)]
struct Chain;

impl fmt::Display for Chain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if f.alternate() { "outer: middle: inner" } else { "outer" })
    }
}

impl std::error::Error for Chain {}

/// Fails with causes
#[mcp_tool]
fn chained() -> Result<(), Chain> {
    Err(Chain)
}

/// Fails with an error that is kept as a `ToolError`
#[mcp_tool]
fn kept() -> Result<(), ToolError> {
    Err::<(), Box<dyn std::error::Error + Send + Sync>>(Box::new(Chain))?;
    Ok(())
}

/// Fails with any error
#[mcp_tool]
fn boxed() -> Result<(), Box<dyn std::error::Error>> {
    Err(Chain)?
}

/// Fails with an error of the standard library, or of `serde_json`
#[mcp_tool]
fn parsed(number: String, bytes: Vec<u8>, json: String) -> Result<String, ToolError> {
    let number: i32 = number.parse()?;
    let text = String::from_utf8(bytes)?;
    let value: Value = serde_json::from_str(&json)?;
    std::fs::read_to_string("\0")?;
    Ok(format!("{number} {text} {value}"))
}

/// Fails with causes
#[mcp_resource(uri = "test://chained")]
fn chained_resource() -> Result<String, Chain> {
    Err(Chain)
}

/// Fails with causes
#[mcp_prompt]
fn chained_prompt() -> Result<String, Chain> {
    Err(Chain)
}

#[tokio::test]
async fn an_error_tells_its_causes() {
    let server = McpServer::new(ServerOptions::default())
        .tool::<(chained, kept, boxed, parsed)>()
        .resource::<chained_resource>()
        .prompt::<chained_prompt>();
    let client = TestClient::connect(server).await.unwrap();
    let check = async |tool: &str, arguments: Value, expected: &str| {
        let result = client.call(tool, arguments).await.unwrap();
        assert_eq!((result.first_text(), result.is_error), (Some(expected), true), "{tool}");
    };
    for tool in ["chained", "kept", "boxed"] {
        check(tool, json!({}), "outer: middle: inner").await;
    }
    for (number, bytes, json, expected) in [
        ("x", json!([]), "0", "invalid digit found in string"),
        ("1", json!([255]), "0", "invalid utf-8 sequence of 1 bytes from index 0"),
        ("1", json!([]), "x", "expected value at line 1 column 1"),
        ("1", json!([]), "0", "file name contained an unexpected NUL byte"),
    ] {
        check("parsed", json!({"number": number, "bytes": bytes, "json": json}), expected).await;
    }
    assert_eq!(client.read("test://chained").await.unwrap_err().message, "outer: middle: inner");
    assert_eq!(client.get_prompt("chained_prompt", json!({})).await.unwrap_err().message, "outer: middle: inner");
}
