//! Servers out of parts: a lone function registered by hand, state, and two modules mounted on one server.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use mcp_runtime::prelude::*;

/// Counts its own calls
#[mcp_tool]
fn count(calls: State<Arc<AtomicU64>>) -> u64 {
    calls.fetch_add(1, Ordering::Relaxed) + 1
}

#[mcp_server]
mod text {
    /// Turns a text round
    #[mcp_tool(read_only)]
    fn reverse(text: String) -> String {
        text.chars().rev().collect()
    }
}

#[mcp_server]
mod dice {
    /// The middle of a die's throws
    #[mcp_tool(read_only)]
    fn mean(#[mcp(default = 6, minimum = 1)] sides: u32) -> f64 {
        f64::from(sides + 1) / 2.0
    }
}

fn server() -> McpServer {
    McpServer::new(ServerOptions::new("compose", "1.0.0"))
        .tool::<count>()
        .state(Arc::new(AtomicU64::new(0)))
        .mount(text::server())
        .mount_at("dice", dice::server())
}

fn main() -> Result<(), Error> {
    server().run_blocking()
}

#[cfg(test)]
mod tests {
    use mcp_runtime::testing::TestClient;
    use serde_json::json;

    #[tokio::test]
    async fn all_parts_answer() {
        let client = TestClient::connect(super::server()).await.unwrap();
        let tools = client.list_tools().await.unwrap();
        let names: Vec<_> = tools.iter().map(|tool| tool.name.as_str()).collect();
        assert_eq!(names, ["count", "reverse", "dice_mean"]);
        for (tool, arguments, expected) in [
            ("count", json!({}), "1"),
            ("count", json!({}), "2"),
            ("reverse", json!({"text": "abc"}), "cba"),
            ("dice_mean", json!({}), "3.5"),
            ("dice_mean", json!({"sides": 20}), "10.5"),
        ] {
            let result = client.call(tool, arguments).await.unwrap();
            assert_eq!(result.first_text(), Some(expected), "{tool}");
        }
    }
}
