//! Wrong arguments: every one named at once, by path, with what was expected and what came.

use serde_json::{Value, json};

use crate::everywhere;

#[tokio::test]
async fn every_wrong_argument_is_named() {
    const RIGHT: &str = r#"{"days": 3, "code": "abc", "tags": [], "colour": "red",
        "address": {"street": "Elm", "number": 5}}"#;
    everywhere(async |case| {
        for (change, expected) in [
            (json!({}), vec![]),
            (json!({"days": 8}), vec!["`days`: expected a number from 1 to 7, got 8"]),
            (json!({"days": 300}), vec!["`days`: expected an integer from 1 to 7, got 300"]),
            (json!({"days": "x"}), vec!["`days`: expected an integer from 1 to 7, got the string \"x\""]),
            (json!({"code": "a"}), vec!["`code`: expected at least 2 characters, got 1"]),
            (json!({"code": "AB"}), vec!["`code`: expected text that matches ^[a-z]+$, got \"AB\""]),
            (json!({"tags": ["a", "b", "c"]}), vec!["`tags`: expected at most 2 items, got 3"]),
            (json!({"tags": ["a", 5]}), vec!["`tags[1]`: expected a string, got integer `5`"]),
            (json!({"colour": "blue"}), vec!["`colour`: expected one of \"red\", \"green\", got the string \"blue\""]),
            (
                json!({"address": {"street": "Elm", "number": "x"}}),
                vec!["`address.number`: expected an integer, got string \"x\""],
            ),
            (json!({"address": {"street": "Elm"}}), vec!["`address`: missing field `number`"]),
            (json!({"note": 5}), vec!["`note`: expected a string, got 5"]),
            (json!({"nota": "x"}), vec!["`nota`: unknown argument, did you mean `note`?"]),
            (json!({"entirely": 1}), vec!["`entirely`: unknown argument"]),
            (
                json!({"days": null, "code": 5, "tags": "x", "extra_thing": 1}),
                vec![
                    "`extra_thing`: unknown argument",
                    "`days`: expected an integer from 1 to 7, got null",
                    "`code`: expected a string, got 5",
                    "`tags`: expected an array, got the string \"x\"",
                ],
            ),
        ] {
            let mut arguments: Value = serde_json::from_str(RIGHT).unwrap();
            arguments.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
            let result = case.wire.call("kinds", arguments).await;
            let text = result["content"][0]["text"].as_str().unwrap();
            if expected.is_empty() {
                assert_eq!(text, "3 abc [] red Elm 5 None None", "{}", case.name);
                continue;
            }
            assert_eq!(result["isError"], true, "{}: {change}", case.name);
            let lines: Vec<_> = text.lines().map(|line| line.trim_start_matches("- ")).collect();
            assert_eq!(lines[0], "Invalid arguments for tool `kinds`:", "{}", case.name);
            assert_eq!(lines[1..], expected, "{}: {change}", case.name);
        }
    })
    .await;
}

#[tokio::test]
async fn what_is_missing_is_named_with_its_kind() {
    everywhere(async |case| {
        let result = case.wire.call("add", json!({"a": "x"})).await;
        let expected = "Invalid arguments for tool `add`:\n\
            - `a`: expected an integer, got the string \"x\"\n\
            - `b`: missing, expected an integer";
        assert_eq!(result["content"][0]["text"], expected, "{}", case.name);
        assert_eq!(result["isError"], true);
    })
    .await;
}

#[tokio::test]
async fn numbers_as_text_are_understood_unless_the_tool_is_strict() {
    everywhere(async |case| {
        for (tool, arguments, text) in [
            ("add", json!({"a": "5", "b": 5.0}), Some("10")),
            ("add", json!({"a": 5e0, "b": " 5 "}), Some("10")),
            ("add", json!({"a": 5.5, "b": 1}), None),
            ("sum", json!({"numbers": [1.0, "2", 3]}), Some("6")),
            ("sum", json!({"numbers": "[1, 2]"}), Some("3")),
            ("window", json!({"name": "n", "from": "1", "to": "null"}), Some("n 1 None")),
            ("exact", json!({"n": 5}), Some("5")),
            ("exact", json!({"n": "5"}), None),
            ("exact", json!({"n": 5.0}), None),
            ("echo", json!({"message": "5"}), Some("5")),
            ("echo", json!({"message": 5}), None),
        ] {
            let result = case.wire.call(tool, arguments.clone()).await;
            match text {
                Some(text) => assert_eq!(result["content"][0]["text"], text, "{}: {tool} {arguments}", case.name),
                None => assert_eq!(result["isError"], true, "{}: {tool} {arguments}", case.name),
            }
        }
    })
    .await;
}

#[tokio::test]
async fn a_flattened_struct_takes_its_own_members() {
    everywhere(async |case| {
        for (arguments, text) in
            [(json!({"name": "n", "from": 1}), "n 1 None"), (json!({"name": "n", "from": 1, "to": 2}), "n 1 Some(2)")]
        {
            let result = case.wire.call("window", arguments).await;
            assert_eq!(result["content"][0]["text"], text, "{}: {result}", case.name);
        }
        for (tool, arguments, problem) in [
            ("window", json!({"name": "n"}), "`from`: missing"),
            ("window", json!({"name": "n", "from": "x"}), "`from`: expected an integer, got string \"x\""),
            ("window", json!({"name": "n", "from": 1, "form": 2}), "`form`: unknown argument, did you mean `from`?"),
            ("two_structs", json!({"from": 1, "street": "Elm"}), "`number`: missing"),
        ] {
            let result = case.wire.call(tool, arguments.clone()).await;
            let expected = format!("Invalid arguments for tool `{tool}`:\n- {problem}");
            assert_eq!(result["content"][0]["text"], expected, "{}: {arguments}", case.name);
        }
        let both = json!({"from": 1, "street": "Elm", "number": 5});
        assert_eq!(case.wire.call("two_structs", both).await["content"][0]["text"], "1 Elm 5", "{}", case.name);
    })
    .await;
}

#[tokio::test]
async fn an_argument_given_twice_is_refused() {
    everywhere(async |case| {
        let meta = case.meta_text();
        let text = format!(
            r#"{{"jsonrpc":"2.0","id":"twice","method":"tools/call",
            "params":{{{meta}"name":"add","arguments":{{"a":1,"b":2,"a":3}}}}}}"#
        );
        case.wire.send_text(&text.replace('\n', " ")).await;
        let answer = case.wire.answer(&json!("twice")).await;
        assert_eq!(answer["result"]["isError"], true, "{}: {answer}", case.name);

        let text = format!(
            r#"{{"jsonrpc":"2.0","id":"flat","method":"tools/call",
            "params":{{{meta}"name":"window","arguments":{{"name":"n","from":1,"from":2}}}}}}"#
        );
        case.wire.send_text(&text.replace('\n', " ")).await;
        let answer = case.wire.answer(&json!("flat")).await;
        let text = answer["result"]["content"][0]["text"].as_str().unwrap();
        assert!(text.ends_with("- `from`: given twice"), "{}: {text}", case.name);
    })
    .await;
}
