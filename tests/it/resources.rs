//! Reading resources: fixed ones, templates, what is not there.

use serde_json::json;

use crate::everywhere;

#[tokio::test]
async fn contents_are_what_functions_return() {
    everywhere(async |case| {
        for (uri, contents) in [
            ("test://fixed", json!({"mimeType": "text/plain", "text": "fixed"})),
            ("test://bytes", json!({"mimeType": "application/octet-stream", "blob": "AP8B"})),
            ("test://item/7", json!({"mimeType": "application/json", "text": "7"})),
            ("file:///a/b%20c/../d", json!({"text": "a/b c/../d"})),
        ] {
            let mut expected = contents;
            expected["uri"] = json!(uri);
            let result = case.wire.result("resources/read", json!({"uri": uri})).await;
            assert_eq!(result, json!({"contents": [expected]}), "{}", case.name);
        }
    })
    .await;
}

#[tokio::test]
async fn what_is_not_there_has_its_own_code_and_names_the_uri() {
    everywhere(async |case| {
        for uri in ["test://nothing-like-it", "test://item/101", "test://item/1/2", "test://item/..", ""] {
            let refusal = case.wire.refusal("resources/read", json!({"uri": uri})).await;
            let code = if case.is_stateless() { -32602 } else { -32002 };
            assert_eq!(refusal["code"], code, "{}: {uri}: {refusal}", case.name);
            assert_eq!(refusal["data"], json!({"uri": uri}), "{}", case.name);
        }
        let refusal = case.wire.refusal("resources/read", json!({"uri": "test://fixd"})).await;
        assert!(refusal["message"].as_str().unwrap().ends_with("did you mean `test://fixed`?"), "{refusal}");
    })
    .await;
}

#[tokio::test]
async fn what_cannot_be_read_says_why() {
    everywhere(async |case| {
        let refusal = case.wire.refusal("resources/read", json!({"uri": "test://broken"})).await;
        assert_eq!(refusal, json!({"code": -32603, "message": "the disk is on fire"}), "{}", case.name);
        let refusal = case.wire.refusal("resources/read", json!({"uri": "test://item/abc"})).await;
        assert_eq!(refusal["code"], -32602, "{}: {refusal}", case.name);
        assert!(refusal["message"].as_str().unwrap().contains("`id`"), "{refusal}");
        assert_eq!(case.wire.refusal("resources/read", json!({})).await["code"], -32602);
    })
    .await;
}
