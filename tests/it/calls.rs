//! Calls under way: side by side, cancelled, timed out, telling of their progress, logging.

use mcp_runtime::prelude::*;
use mcp_test_support::Transport;
use serde_json::json;

use crate::{everywhere, everywhere_on};

const LOG_LEVEL: &str = "io.modelcontextprotocol/logLevel";

#[tokio::test]
async fn a_slow_call_delays_nothing() {
    everywhere(async |case| {
        let mut slow = Vec::new();
        for _ in 0..40 {
            slow.push(case.wire.start("tools/call", json!({"name": "hang"})).await);
        }
        case.wire.probe().await;
        assert_eq!(case.wire.call("add", json!({"a": 1, "b": 2})).await["content"][0]["text"], "3");
        let computing = json!({"name": "compute", "arguments": {"ms": 200}});
        let computing = case.wire.start("tools/call", computing).await;
        case.wire.probe().await;
        assert_eq!(case.wire.answer(&json!(computing)).await["result"]["content"][0]["text"], "computed");
    })
    .await;
}

#[tokio::test]
async fn a_cancelled_call_gets_no_answer() {
    everywhere(async |case| {
        for tool in ["hang", "heed"] {
            let id = case.wire.start("tools/call", json!({"name": tool})).await;
            // Cancelling what is not there, or is not even a request, is passed over.
            for params in [json!({"requestId": 4711}), json!({}), json!({"requestId": id.to_string()})] {
                // Over HTTP the newest version knows no such notification, and another would belong to no session.
                if !case.is_stateless() || case.wire.transport != Transport::Http {
                    case.wire.notify("notifications/cancelled", params).await;
                }
            }
            case.wire.cancel(&json!(id)).await;
            // Long enough for an answer that is on its way: the second call ends after the first would have.
            for _ in 0..2 {
                let ping = case.wire.start("tools/call", json!({"name": "compute", "arguments": {"ms": 5}})).await;
                assert_eq!(case.wire.receive().await["id"], ping, "{}: {tool}", case.name);
            }
        }
    })
    .await;
}

#[tokio::test]
async fn an_id_is_free_again_once_its_call_ended() {
    everywhere(async |case| {
        if case.is_stateless() && case.wire.transport == Transport::Http {
            // Nothing is known of one request while another is looked at.
            return;
        }
        let hang = json!({"jsonrpc": "2.0", "id": "same", "method": "tools/call", "params": {"name": "hang"}});
        case.wire.send(&hang).await;
        case.wire.send(&hang).await;
        let refusal = case.wire.answer(&json!("same")).await;
        assert_eq!(refusal["error"]["code"], -32600, "{}", case.name);
        case.wire.cancel(&json!("same")).await;
        // The call ends in its own time: until then its id is taken.
        for attempt in 0.. {
            let list = json!({"jsonrpc": "2.0", "id": "same", "method": "tools/list", "params": {}});
            case.wire.send(&list).await;
            let answer = case.wire.answer(&json!("same")).await;
            if answer.get("result").is_some() {
                break;
            }
            assert!(attempt < 10_000, "{}: {answer}", case.name);
            tokio::task::yield_now().await;
        }
    })
    .await;
}

#[tokio::test]
async fn a_call_over_its_time_is_an_error() {
    everywhere(async |case| {
        let refusal = case.wire.refusal("tools/call", json!({"name": "late"})).await;
        assert_eq!(refusal, json!({"code": -32603, "message": "the call took too long"}), "{}", case.name);
    })
    .await;
}

#[tokio::test]
async fn progress_extends_a_call_and_never_spares_it_the_clock() {
    everywhere(async |case| {
        let diligent = case.wire.call("diligent", json!({})).await;
        assert_eq!(diligent["content"][0]["text"], "done", "{}", case.name);
        let chatter = case.wire.start("tools/call", json!({"name": "chatter"})).await;
        case.wire.probe().await;
        case.wire.cancel(&json!(chatter)).await;
    })
    .await;
}

#[tokio::test]
async fn a_call_over_the_number_is_not_begun() {
    everywhere(async |case| {
        if case.is_stateless() && case.wire.transport == Transport::Http {
            // There is no session whose requests could be counted; connections are.
            return;
        }
        for i in 0..64 {
            let hang = json!({"jsonrpc": "2.0", "id": format!("hang-{i}"), "method": "tools/call", "params": {"name": "hang"}});
            case.wire.send(&hang).await;
        }
        let one_more = json!({"name": "add", "arguments": {"a": 1, "b": 2}});
        let mut id = case.wire.start("tools/call", one_more.clone()).await;
        let mut refusal = None;
        if case.wire.transport == Transport::Http {
            // Requests that overtake those before them are served until the places are taken.
            loop {
                let answer = case.wire.answer(&json!(id)).await;
                if answer.get("error").is_some() {
                    refusal = Some(answer);
                    break;
                }
                id = case.wire.start("tools/call", one_more.clone()).await;
            }
        }
        let list = case.wire.start("tools/list", json!({})).await;
        if case.wire.transport != Transport::Stdio {
            // Over HTTP the refusal is the answer to the POST.
            let refusal = match refusal {
                Some(refusal) => refusal,
                None => case.wire.receive().await,
            };
            assert_eq!(refusal["id"], id, "{}: {refusal}", case.name);
            assert!(refusal["error"]["message"].as_str().unwrap().contains("under way"), "{refusal}");
        }
        assert_eq!(case.wire.receive().await["id"], list, "{}", case.name);
        // What is not a call is heard all the same, and so is a cancellation, which makes room.
        case.wire.cancel(&json!("hang-7")).await;
        if case.wire.transport == Transport::Stdio {
            assert_eq!(case.wire.answer(&json!(id)).await["result"]["content"][0]["text"], "3", "{}", case.name);
        }
    })
    .await;
}

#[tokio::test]
async fn progress_is_told_to_whom_asked_for_it() {
    everywhere(async |case| {
        for token in [json!("token"), json!(0), json!(9_007_199_254_740_993_i64)] {
            let meta = json!({"progressToken": token});
            let params = json!({"name": "count", "arguments": {"to": 3}, "_meta": meta});
            let id = case.wire.start("tools/call", params).await;
            // The second report of each value is no progress, and is left out.
            for i in 1..=3 {
                let mut params = json!({"progressToken": token, "progress": i, "total": 3});
                if case.since("2025-03-26") {
                    params["message"] = json!(format!("at {i}"));
                }
                let expected = json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": params});
                assert_eq!(case.wire.receive().await, expected, "{}", case.name);
            }
            let answer = case.wire.receive().await;
            assert_eq!((&answer["id"], &answer["result"]["content"][0]["text"]), (&json!(id), &json!("3")));
        }
        let id = case.wire.start("tools/call", json!({"name": "count", "arguments": {"to": 3}})).await;
        assert_eq!(case.wire.receive().await["id"], id, "{}: nobody asked for progress", case.name);
    })
    .await;
}

#[tokio::test]
async fn log_lines_come_from_the_level_on_that_was_asked_for() {
    everywhere(async |case| {
        for (level, expected) in [
            // Where each request speaks for itself, one that asks for nothing gets nothing.
            (None, if case.is_stateless() { vec![] } else { vec!["warning", "emergency"] }),
            (Some("debug"), vec!["debug", "warning", "emergency"]),
            (Some("error"), vec!["emergency"]),
        ] {
            let mut params = json!({"name": "log"});
            match level {
                Some(level) if case.is_stateless() => params["_meta"][LOG_LEVEL] = level.into(),
                Some(level) => {
                    assert_eq!(case.wire.result("logging/setLevel", json!({"level": level})).await, json!({}));
                }
                None => {}
            }
            let id = case.wire.start("tools/call", params).await;
            let mut levels = Vec::new();
            loop {
                let message = case.wire.receive().await;
                if message["id"] == id {
                    break;
                }
                assert_eq!(message["method"], "notifications/message", "{}", case.name);
                if message["params"]["level"] == "warning" {
                    assert_eq!(message["params"]["logger"], "fixture");
                    assert_eq!(message["params"]["data"], json!({"code": 7}));
                }
                levels.push(message["params"]["level"].as_str().map(str::to_owned).unwrap());
            }
            assert_eq!(levels, expected, "{}: {level:?}", case.name);
        }
        for level in [json!("loud"), json!(3)] {
            let (method, params) = if case.is_stateless() {
                ("tools/call", json!({"name": "log", "_meta": {LOG_LEVEL: level}}))
            } else {
                ("logging/setLevel", json!({"level": level}))
            };
            assert_eq!(case.wire.refusal(method, params.clone()).await["code"], -32602, "{params}");
        }
    })
    .await;
}

#[mcp_server(name = "clumsy", version = "1.0.0")]
mod clumsy {
    struct Clumsy;

    impl Drop for Clumsy {
        fn drop(&mut self) {
            panic!("it fell");
        }
    }

    /// Is given too little time, and fails as it is let go of
    #[mcp_tool(timeout = "10ms")]
    async fn late() -> String {
        let _clumsy = Clumsy;
        std::future::pending().await
    }
}

#[tokio::test]
async fn a_panic_as_a_handler_is_dropped_takes_no_answer_with_it() {
    everywhere_on(clumsy::server, async |case, _| {
        let refusal = case.wire.refusal("tools/call", json!({"name": "late"})).await;
        assert_eq!(refusal["code"], -32603, "{}", case.name);
    })
    .await;
}
