//! Getting prompts, and completing their arguments.

use serde_json::json;

use crate::everywhere;

#[tokio::test]
async fn messages_are_what_functions_return() {
    everywhere(async |case| {
        let params = json!({"name": "greet", "arguments": {"name": "Ada", "times": "2"}});
        let expected = json!({
            "description": "Greets somebody",
            "messages": [{"role": "user", "content": {"type": "text", "text": "Hello, Ada! Hello, Ada!"}}],
        });
        assert_eq!(case.wire.result("prompts/get", params).await, expected, "{}", case.name);
        let talk = case.wire.result("prompts/get", json!({"name": "talk"})).await;
        assert_eq!(talk["messages"][1]["role"], "assistant", "{}", case.name);
    })
    .await;
}

#[tokio::test]
async fn arguments_that_do_not_fit_are_refused_by_name() {
    everywhere(async |case| {
        for (arguments, part) in [
            (json!({}), "`name`: missing"),
            (
                json!({"name": "Ada", "times": "often"}),
                "`times`: invalid digit found in string, got the text \"often\"",
            ),
            (json!({"name": "Ada", "time": "2"}), "`time`: unknown argument, did you mean `times`?"),
            (json!({"name": 5}), "- `name`: expected a string, got 5"),
            (json!([1]), "`params.arguments` must be an object"),
        ] {
            let params = json!({"name": "greet", "arguments": arguments});
            let refusal = case.wire.refusal("prompts/get", params.clone()).await;
            assert_eq!(refusal["code"], -32602, "{}: {params}", case.name);
            assert!(refusal["message"].as_str().unwrap().contains(part), "{}: {refusal}", case.name);
        }
        let refusal = case.wire.refusal("prompts/get", json!({"name": "gret"})).await;
        assert_eq!(refusal["message"], "there is no prompt `gret`; did you mean `greet`?", "{}", case.name);
    })
    .await;
}

#[tokio::test]
async fn arguments_are_completed() {
    everywhere(async |case| {
        let reference = json!({"type": "ref/prompt", "name": "greet"});
        let params = json!({"ref": reference, "argument": {"name": "name", "value": "A"}});
        let result = case.wire.result("completion/complete", params).await;
        let completion = &result["completion"];
        assert_eq!(completion["values"].as_array().unwrap().len(), 100, "{}", case.name);
        assert_eq!(completion["values"][1], "A1");
        assert_eq!((&completion["total"], &completion["hasMore"]), (&json!(150), &json!(true)));

        let params = json!({"ref": reference, "argument": {"name": "times", "value": ""}});
        let result = case.wire.result("completion/complete", params).await;
        assert_eq!(result["completion"]["values"], json!([]), "{}", case.name);

        let params = json!({"ref": reference, "argument": {"name": "nonsense", "value": ""}});
        assert_eq!(case.wire.refusal("completion/complete", params).await["code"], -32602, "{}", case.name);

        for reference in [json!({"type": "ref/prompt", "name": "x"}), json!({"type": "ref/x"}), json!({})] {
            let params = json!({"ref": reference, "argument": {"name": "name", "value": ""}});
            assert_eq!(case.wire.refusal("completion/complete", params).await["code"], -32602, "{reference}");
        }
        // A resource that is there is not what was meant: it has no variables.
        let reference = json!({"type": "ref/resource", "uri": "test://fixed"});
        let params = json!({"ref": reference, "argument": {"name": "name", "value": ""}});
        let refusal = case.wire.refusal("completion/complete", params).await;
        assert_eq!(refusal["message"], "there is no resource template `test://fixed`", "{}", case.name);
    })
    .await;
}
