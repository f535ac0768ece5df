//! A checker that finds nothing is no checker: messages that are wrong in one place each, and right ones beside them.

use serde_json::{Value, json};

use super::{Asked, Checker, Conversation};

fn checker(version: &str) -> &'static Checker {
    Checker::for_version(version).unwrap_or_else(|| panic!("{version} exists"))
}

fn check(version: &str, asked: &Asked, result: &Value, complaint: Option<&str>) {
    let wrong = checker(version).result(asked, result);
    expect(&format!("{version}: {asked:?} {result}"), &wrong, complaint);
}

fn expect(what: &str, wrong: &[String], complaint: Option<&str>) {
    match complaint {
        None => assert!(wrong.is_empty(), "{what}: {wrong:#?}"),
        Some(words) => assert!(wrong.iter().any(|text| text.contains(words)), "{what}: {wrong:#?} lacks {words:?}"),
    }
}

#[test]
fn results_belong_to_the_method_and_the_version() {
    let text = json!({"type": "text", "text": "x"});
    let content = json!({"content": [text]});
    let tool = |more: Value| {
        let mut tool =
            json!({"name": "t", "inputSchema": {"type": "object", "additionalProperties": false, "$defs": {}}});
        tool.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        json!({"tools": [tool]})
    };
    let said = |capabilities: Value, info: Value, version: &str| {
        let mut server = json!({"name": "s", "version": "1"});
        server.as_object_mut().unwrap().extend(info.as_object().unwrap().clone());
        json!({"protocolVersion": version, "capabilities": capabilities, "serverInfo": server})
    };
    for (version, method, result, complaint) in [
        // As it should be.
        ("2024-11-05", "tools/call", content.clone(), None),
        ("2024-11-05", "tools/list", tool(json!({"description": "d"})), None),
        ("2025-11-25", "tools/list", tool(json!({"title": "T", "icons": [{"src": "https://example.com/i"}]})), None),
        ("2025-06-18", "ping", json!({}), None),
        ("2025-06-18", "ping", json!({"_meta": {"any": 1}}), None),
        ("2026-07-28", "tools/call", json!({"content": [], "resultType": "complete"}), None),
        ("2026-07-28", "tools/call", json!({"requestState": "s", "resultType": "input_required"}), None),
        // Missing and of another type.
        ("2024-11-05", "tools/call", json!({}), Some("\"content\" is a required")),
        ("2024-11-05", "tools/call", json!({"content": "x"}), Some("is not of type \"array\"")),
        ("2025-11-25", "tools/call", json!({"content": [{"type": "text"}]}), Some("\"text\" is a required")),
        ("2025-11-25", "tools/list", json!({"tools": [{"name": "t"}]}), Some("\"inputSchema\" is a required")),
        ("2026-07-28", "tools/call", content.clone(), Some("\"resultType\" is a required")),
        ("2026-07-28", "tools/call", json!({"content": [], "resultType": "input_required"}), Some("resultType is")),
        ("2025-06-18", "resources/read", json!({"contents": [{"uri": "a:b", "blob": "?"}]}), Some("\"byte\"")),
        ("2025-06-18", "resources/read", json!({"contents": [{"uri": "no uri", "text": ""}]}), Some("\"uri\"")),
        ("2025-06-18", "resources/read", json!({"contents": [{"uri": "a:b"}]}), Some("fits no choice")),
        (
            "2025-11-25",
            "tools/list",
            json!({"tools": [{"name": "t", "inputSchema": {"type": "object", "properties": {"a": {"type": "integr"}}}}]}),
            Some("\"integr\""),
        ),
        // Of another method.
        ("2025-06-18", "prompts/list", tool(json!({})), Some("\"prompts\" is a required")),
        ("2025-06-18", "ping", content.clone(), Some("'content' was unexpected")),
        ("2025-06-18", "tools/unheard_of", json!({}), Some("does not have")),
        ("2026-07-28", "ping", json!({"resultType": "complete"}), Some("does not have")),
        ("2026-07-28", "initialize", json!({"resultType": "complete"}), Some("does not have")),
        // Of a newer version.
        ("2024-11-05", "tools/list", tool(json!({"annotations": {}})), Some("'annotations' was unexpected")),
        ("2025-03-26", "tools/list", tool(json!({"title": "T"})), Some("'title' was unexpected")),
        ("2025-06-18", "tools/list", tool(json!({"icons": []})), Some("'icons' was unexpected")),
        ("2025-03-26", "tools/call", json!({"content": [], "structuredContent": {}}), Some("was unexpected")),
        ("2025-06-18", "tools/call", json!({"content": [], "structuredContent": [1]}), Some("is not of type")),
        (
            "2024-11-05",
            "tools/call",
            json!({"content": [{"type": "audio", "data": "", "mimeType": "a/b"}]}),
            Some("fits no"),
        ),
        (
            "2024-11-05",
            "tools/call",
            json!({"content": [{"type": "text", "text": "", "_meta": {}}]}),
            Some("'_meta' was unexpected"),
        ),
        ("2025-11-25", "tools/call", json!({"content": [], "resultType": "complete"}), Some("was unexpected")),
        ("2025-06-18", "initialize", said(json!({"tools": {}}), json!({"title": "T"}), "2025-06-18"), None),
        ("2025-03-26", "initialize", said(json!({}), json!({"title": "T"}), "2025-03-26"), Some("'title' was")),
        ("2024-11-05", "initialize", said(json!({"completions": {}}), json!({}), "2024-11-05"), Some("'completions'")),
        (
            "2025-06-18",
            "initialize",
            said(json!({"tools": {"list_changed": true}}), json!({}), ""),
            Some("'list_changed'"),
        ),
    ] {
        check(version, &Asked::of(method), &result, complaint);
    }
}

#[test]
fn a_task_is_a_result_only_of_who_asked_for_one() {
    let stamps = ("2026-01-01T00:00:00Z", "2026-01-01T00:00:00Z");
    let task =
        json!({"taskId": "t", "status": "working", "createdAt": stamps.0, "lastUpdatedAt": stamps.1, "ttl": null});
    let created = json!({"task": task});
    let asked = Asked { task: true, ..Asked::of("tools/call") };
    check("2025-11-25", &asked, &created, None);
    check("2025-11-25", &asked, &json!({"content": []}), None);
    check("2025-11-25", &Asked::of("tools/call"), &created, Some("\"content\" is a required"));
    check("2025-06-18", &asked, &created, Some("\"content\" is a required"));
    // Two definitions in one object, closed as one.
    check("2025-11-25", &Asked::of("tasks/get"), &task, None);
    let mut more = task;
    more["more"] = json!(1);
    check("2025-11-25", &Asked::of("tasks/get"), &more, Some("'more' was unexpected"));
}

#[test]
fn what_a_server_says_unasked_is_checked_by_its_method() {
    let progress = |params: Value| json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": params});
    let said = json!({"progressToken": 1, "progress": 1, "message": "m"});
    for (version, message, complaint) in [
        ("2024-11-05", progress(json!({"progressToken": 1, "progress": 0.5, "total": 1})), None),
        ("2025-03-26", progress(said.clone()), None),
        ("2024-11-05", progress(said), Some("'message' was unexpected")),
        ("2025-11-25", progress(json!({"progressToken": 1, "progress": null})), Some("is not of type \"number\"")),
        ("2025-11-25", json!({"method": "notifications/tools/list_changed"}), Some("\"jsonrpc\" is a required")),
        ("2025-11-25", json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}), None),
        ("2025-11-25", json!({"jsonrpc": "2.0", "method": "notifications/initialized"}), Some("ServerNotification")),
        ("2025-11-25", json!({"jsonrpc": "2.0", "id": 1, "method": "notifications/progress"}), Some("ServerRequest")),
        ("2025-06-18", json!({"jsonrpc": "2.0", "id": 1, "method": "ping"}), None),
        ("2025-06-18", json!({"jsonrpc": "2.0", "id": 1, "method": "ping", "result": {}}), Some("[\"result\"]")),
        ("2025-03-26", json!({"jsonrpc": "2.0", "id": 1, "method": "elicitation/create"}), Some("ServerRequest")),
        ("2026-07-28", json!({"jsonrpc": "2.0", "id": 1, "method": "roots/list"}), Some("ServerRequest")),
    ] {
        expect(&format!("{version}: {message}"), &checker(version).said(&message), complaint);
    }
}

#[test]
fn errors_have_a_code_and_a_message_and_nothing_of_their_own() {
    let error = |id: Value, error: Value| json!({"jsonrpc": "2.0", "id": id, "error": error});
    let plain = json!({"code": -32600, "message": "m"});
    let without_id = json!({"jsonrpc": "2.0", "error": plain});
    for (version, message, complaint) in [
        ("2024-11-05", error(json!(1), plain.clone()), None),
        ("2024-11-05", error(Value::Null, plain.clone()), None),
        ("2025-11-25", error(Value::Null, plain.clone()), None),
        ("2025-11-25", error(json!([]), plain.clone()), Some("/id")),
        ("2025-11-25", without_id.clone(), None),
        ("2025-06-18", without_id, Some("\"id\" is a required")),
        ("2025-06-18", error(json!(1), json!({"code": "x", "message": "m"})), Some("is not of type \"integer\"")),
        ("2025-06-18", error(json!(1), json!({"code": 1})), Some("\"message\" is a required")),
        ("2025-06-18", error(json!(1), json!({"code": 1, "message": "m", "kind": 1})), Some("'kind' was unexpected")),
        ("2025-11-25", error(json!(1), json!({"code": -32042, "message": "m"})), Some("\"data\" is a required")),
        ("2026-07-28", error(json!(1), json!({"code": -32022, "message": "m", "data": {}})), Some("\"supported\"")),
        ("2026-07-28", error(json!(1), plain), None),
    ] {
        expect(&format!("{version}: {message}"), &checker(version).error(&message), complaint);
    }
}

#[test]
fn a_conversation_knows_what_was_asked_and_the_version() {
    let ask = |id: Value, method: &str, params: Value| {
        json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string()
    };
    let answer = |id: Value, result: Value| json!({"jsonrpc": "2.0", "id": id, "result": result}).to_string();
    let greeting = |version: &str| json!({"protocolVersion": version, "capabilities": {}, "serverInfo": {"name": "s", "version": "1"}});
    let stateless = json!({"_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}});

    let mut talk = Conversation::default();
    for (sent, received, complaint) in [
        ("", answer(json!(1), json!({})), Some("nobody asked")),
        ("{", r#"{"jsonrpc":"2.0","error":{"code":-32700,"message":"m"}}"#.to_owned(), None),
        ("", "{".to_owned(), Some("not a JSON object")),
        (&ask(json!(1), "initialize", json!({})), answer(json!(1), greeting("2099-01-01")), Some("is no version")),
        (&ask(json!("1"), "initialize", json!({})), answer(json!(1), greeting("2025-03-26")), Some("nobody asked")),
        ("", answer(json!("1"), greeting("2025-03-26")), None),
        // From here on it is that version.
        (
            &ask(json!(2), "tools/call", json!({})),
            answer(json!(2), json!({"content": [], "structuredContent": {}})),
            Some("was unexpected"),
        ),
        (&ask(json!(3), "ping", json!({})), answer(json!(3), json!({})), None),
        ("", answer(json!(3), json!({})), Some("nobody asked")),
        (
            r#"{"jsonrpc":"2.0","id":18446744073709551617,"method":"ping"}"#,
            r#"{"jsonrpc":"2.0","id":18446744073709551617,"result":{}}"#.to_owned(),
            None,
        ),
        (
            r#"{"jsonrpc":"2.0","id":"\uDC00","method":"ping"}"#,
            r#"{"jsonrpc":"2.0","id":"\uDC00","result":{}}"#.to_owned(),
            None,
        ),
        ("", r#"{"jsonrpc":"2.0","id":"\uDC01","result":{}}"#.to_owned(), Some("nobody asked")),
        ("", r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"m"}}"#.to_owned(), None),
        ("", r#"{"jsonrpc":"2.0","id":77,"error":{"code":-32700,"message":"m"}}"#.to_owned(), Some("nobody asked")),
        ("", r#"{"jsonrpc":"2.0","result":{}}"#.to_owned(), Some("without an id")),
        // Batches are of that version.
        (&format!("[{}]", ask(json!(4), "ping", json!({}))), format!("[{}]", answer(json!(4), json!({}))), None),
        ("", "[]".to_owned(), Some("an empty batch")),
        // An id again, of a request that was given up.
        (
            &ask(json!(5), "tools/list", json!({})),
            r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1}}"#.to_owned(),
            None,
        ),
        (&ask(json!(5), "prompts/list", json!({})), answer(json!(5), json!({"prompts": []})), None),
        // A stateless request brings its version.
        (&ask(json!(6), "tools/call", stateless.clone()), answer(json!(6), json!({"content": []})), Some("resultType")),
        (
            &ask(json!(7), "tools/call", stateless),
            answer(json!(7), json!({"content": [], "resultType": "complete"})),
            None,
        ),
        // What the client calls a resource may be no URI; what the server calls one may not.
        (
            &ask(json!(9), "resources/read", json!({"uri": "file:///[/..%2fb"})),
            answer(json!(9), json!({"contents": [{"uri": "file:///[/..%2fb", "text": ""}]})),
            None,
        ),
        (
            &ask(json!(9), "resources/read", json!({"uri": "file:///[/..%2fb"})),
            answer(json!(9), json!({"contents": [{"uri": "file:///[/b", "text": ""}]})),
            Some("is not a \"uri\""),
        ),
        (
            &ask(json!(9), "resources/subscribe", json!({"uri": "test://["})),
            r#"{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"test://["}}"#.to_owned(),
            None,
        ),
        (
            "",
            r#"{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"test://]"}}"#.to_owned(),
            Some("is not a \"uri\""),
        ),
        // What that version does not have is of the session still.
        (r#"{"jsonrpc":"2.0","id":8,"method":"ping"}"#, answer(json!(8), json!({})), None),
        // And so is whatever states no version.
        (r#"{"jsonrpc":"2.0","id":8,"method":"tools/list"}"#, answer(json!(8), json!({"tools": []})), None),
    ] {
        talk.observe_sent(sent);
        expect(&format!("{sent} {received}"), &talk.complaints(&received), complaint);
    }
    let mut unshaken = Conversation::default();
    unshaken.observe_sent(&ask(
        json!(1),
        "tools/list",
        json!({"_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}}),
    ));
    unshaken.observe_sent(r#"{"jsonrpc":"2.0","id":2,"method":"ping"}"#);
    expect("no handshake", &unshaken.complaints(&answer(json!(2), json!({}))), None);
    let mut other = Conversation::default();
    other.observe_sent(&format!("[{}]", ask(json!(4), "ping", json!({}))));
    expect("a batch", &other.complaints(&format!("[{}]", answer(json!(4), json!({})))), Some("has no batches"));
}

#[test]
fn a_refusal_by_status_may_leave_its_id_out_at_any_version() {
    let mut talk = Conversation::default();
    talk.observe_sent(r#"{"jsonrpc":"2.0","id":1,"method":"initialize"}"#);
    let server = json!({"name": "s", "version": "1"});
    let greeting = json!({"protocolVersion": "2024-11-05", "capabilities": {}, "serverInfo": server});
    talk.observe_received(&json!({"jsonrpc": "2.0", "id": 1, "result": greeting}).to_string());
    let without_id = r#"{"jsonrpc":"2.0","error":{"code":-32600,"message":"m"}}"#;
    talk.observe_refusal(without_id);
    talk.observe_refusal(r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"m"}}"#);
    expect("no refusal", &talk.complaints(without_id), Some("\"id\" is a required"));
}

#[test]
fn of_several_requests_with_one_id_any_may_be_refused() {
    let ask = |method: &str| json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": {}}).to_string();
    let refusal = || json!({"jsonrpc": "2.0", "id": 1, "error": {"code": -32600, "message": "m"}}).to_string();
    let answer = |result: Value| json!({"jsonrpc": "2.0", "id": 1, "result": result}).to_string();
    let called = || answer(json!({"content": []}));
    let pinged = || answer(json!({}));
    for (received, complaint) in [
        (vec![refusal(), called()], None),
        (vec![refusal(), pinged()], None),
        (vec![pinged(), refusal()], None),
        (vec![refusal(), refusal()], None),
        (vec![called(), called()], Some("'content' was unexpected")),
        (vec![refusal(), called(), pinged()], Some("nobody asked")),
        (vec![refusal(), refusal(), refusal()], Some("nobody asked")),
    ] {
        let mut talk = Conversation::default();
        talk.observe_sent(&ask("tools/call"));
        talk.observe_sent(&ask("ping"));
        let wrong: Vec<_> = received.iter().flat_map(|text| talk.complaints(text)).collect();
        expect(&format!("{received:?}"), &wrong, complaint);
    }
}

#[test]
fn bounds_of_a_number_may_be_fractions() {
    for version in ["2025-11-25", "2026-07-28"] {
        let field = |default: Value| {
            checker(version).value("NumberSchema", &json!({"type": "number", "minimum": 0.5, "default": default}))
        };
        expect(version, &field(json!(95.5)), None);
        expect(version, &field(json!("95.5")), Some("is not of type \"number\""));
    }
}

#[test]
fn a_refusal_by_status_is_of_the_last_request() {
    let mut talk = Conversation::default();
    talk.observe_sent(r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#);
    talk.observe_sent(r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#);
    talk.observe_refusal(r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"m"}}"#);
    expect("an answer", &talk.complaints(r#"{"jsonrpc":"2.0","id":1,"result":{"tools":[]}}"#), None);
}

#[test]
fn on_a_resumed_stream_an_answer_may_come_again() {
    let mut talk = Conversation::default();
    let (tools, wrong) =
        (r#"{"jsonrpc":"2.0","id":1,"result":{"tools":[]}}"#, r#"{"jsonrpc":"2.0","id":1,"result":{}}"#);
    talk.observe_sent(r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#);
    talk.observe_received(tools);
    expect("elsewhere", &talk.complaints(tools), Some("nobody asked"));
    talk.observe_resumed(tools);
    talk.observe_resumed(tools);
    talk.recall(wrong);
    expect("another", &talk.complaints(wrong), Some("\"tools\" is a required"));
}

#[test]
#[should_panic(expected = "has no such message")]
fn a_wrong_refusal_ends_the_test() {
    Conversation::default().observe_refusal(r#"{"error":{"code":-32600,"message":"m"}}"#);
}

#[test]
#[should_panic(expected = "has no such message")]
fn a_wrong_message_ends_the_test() {
    Conversation::default().observe_received(r#"{"jsonrpc":"2.0","id":1,"result":{}}"#);
}
