//! Messages that are none, and ids as they come.

use mcp_test_support::Transport;
use serde_json::json;

use crate::everywhere;

#[tokio::test]
async fn ids_come_back_to_the_letter() {
    everywhere(async |case| {
        let digits = "7".repeat(400);
        for id in ["0", "-1", "9007199254740993", "18446744073709551617", &digits, r#""1""#, r#""é\u0000\"""#, r#""""#]
        {
            // Refused everywhere, and under its id.
            let text =
                format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"initialize","params":{{"protocolVersion":7}}}}"#);
            case.wire.send_text(&text).await;
            let expected = format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"#);
            let answer = case.wire.receive_raw().await;
            assert!(answer.starts_with(&expected), "{}: {answer}", case.name);
        }
    })
    .await;
}

#[tokio::test]
async fn what_is_no_message_is_refused_and_survived() {
    everywhere(async |case| {
        for (text, code) in [
            ("{", -32700),
            ("nonsense", -32700),
            (r#"{"jsonrpc":"2.0","id":1,"method":"ping"} {}"#, -32700),
            ("\u{feff}{}", -32700),
            ("Content-Length: 5", -32700),
            ("5", -32600),
            (r#""text""#, -32600),
            ("{}", -32600),
            (r#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#, -32600),
            (r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, -32600),
            (r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, -32600),
            (r#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#, -32600),
            (r#"{"jsonrpc":"2.0","id":1,"method":7}"#, -32600),
            (r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}"#, -32602),
            (r#"{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}"#, -32600),
        ] {
            case.wire.send_text(text).await;
            let answer = case.wire.receive().await;
            assert_eq!(answer["error"]["code"], code, "{}: {text}: {answer}", case.name);
        }
        case.wire.probe().await;
    })
    .await;
}

#[tokio::test]
async fn what_needs_no_answer_gets_none() {
    everywhere(async |case| {
        if case.is_stateless() && case.wire.transport == Transport::Http {
            // Nothing is asked of the client, and nobody may say what belongs to no session.
            return;
        }
        for text in [
            r#"{"jsonrpc":"2.0","id":99,"result":{}}"#,
            r#"{"jsonrpc":"2.0","id":99,"error":{"code":1,"message":"x"}}"#,
            r#"{"jsonrpc":"2.0","method":"notifications/unheard_of","params":{"a":1}}"#,
            r#"{"jsonrpc":"2.0","method":"tools/call","params":{"name":"boom"}}"#,
            r#"{"jsonrpc":"2.0","method":"notifications/cancelled"}"#,
            r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":[]}"#,
        ] {
            case.wire.send_text(text).await;
        }
        let id = case.wire.start("tools/list", json!({})).await;
        assert_eq!(case.wire.receive().await["id"], id, "{}", case.name);
    })
    .await;
}

#[tokio::test]
async fn hostile_nesting_is_refused_cheaply() {
    everywhere(async |case| {
        let (open, close) = ("[".repeat(100_000), "]".repeat(100_000));
        let meta = case.meta_text();
        let text = format!(
            r#"{{"jsonrpc":"2.0","id":"deep","method":"tools/call","params":{{{meta}"name":"echo","arguments":{{"message":{open}{close}}}}}}}"#
        );
        if case.is_stateless() && case.wire.transport == Transport::Http {
            // The client of the tests cannot read it either, to repeat its parts in headers.
            return;
        }
        case.wire.send_text(&text).await;
        let answer = case.wire.answer(&json!("deep")).await;
        assert_eq!(answer["result"]["isError"], true, "{}: {answer}", case.name);
        assert!(answer.to_string().len() < 500, "{}", case.name);
    })
    .await;
}
