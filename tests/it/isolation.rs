//! Two clients never meet: same ids, same tokens, at the same time, on every transport.

use mcp_test_support::{Running, Transport, VERSIONS, Wire};
use serde_json::{Value, json};

use crate::fixture;

const ROUNDS: i64 = 50;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_client_gets_its_own_results_and_progress() {
    for transport in Transport::ALL {
        let running = Running::start(transport, fixture::server).await;
        let mut clients = Vec::new();
        for number in 0..8_i64 {
            let version = VERSIONS[usize::try_from(number).unwrap() % VERSIONS.len()];
            let wire = running.connect_as(version).await;
            clients.push(tokio::spawn(talk(wire, number)));
        }
        for client in clients {
            client.await.unwrap_or_else(|error| panic!("{transport:?}: {error}"));
        }
    }
}

/// Every client sends the same ids and progress tokens, and asks for what only it would ask for.
async fn talk(mut wire: Wire, number: i64) {
    for round in 0..ROUNDS {
        let steps = number + 2;
        let count = json!({"name": "count", "arguments": {"to": steps}, "_meta": {"progressToken": "same"}});
        let echo = json!({"name": "echo_later", "arguments": {"message": format!("{number}/{round}")}});
        for (id, params) in [("count", count), ("echo", echo)] {
            wire.send(&json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params})).await;
        }
        let (mut progress, mut answers) = (Vec::new(), 0);
        while answers < 2 {
            let message = wire.receive().await;
            match message["id"].as_str() {
                None => {
                    assert_eq!(message["params"]["total"], steps, "client {number}: {message}");
                    progress.push(message["params"]["progress"].clone());
                }
                Some(id) => {
                    let expected = if id == "count" { steps.to_string() } else { format!("{number}/{round}") };
                    assert_eq!(message["result"]["content"][0]["text"], expected, "client {number}: {message}");
                    answers += 1;
                }
            }
        }
        let expected: Vec<_> = (1..=steps).map(Value::from).collect();
        assert_eq!(progress, expected, "client {number}");
    }
}

#[tokio::test]
async fn one_client_cannot_cancel_the_call_of_another() {
    for transport in Transport::ALL {
        let running = Running::start(transport, fixture::server).await;
        let (mut one, mut other) = (running.connect_as("2025-11-25").await, running.connect_as("2025-11-25").await);
        let compute = json!({"name": "compute", "arguments": {"ms": 100}});
        one.send(&json!({"jsonrpc": "2.0", "id": "x", "method": "tools/call", "params": compute})).await;
        other.notify("notifications/cancelled", json!({"requestId": "x"})).await;
        let answer = one.answer(&json!("x")).await;
        assert_eq!(answer["result"]["content"][0]["text"], "computed", "{transport:?}");
    }
}
