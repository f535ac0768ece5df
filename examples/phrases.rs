//! Phrases: tools that come and go while the server runs, made of values rather than of functions.
//!
//! `cargo run --example phrases` speaks stdio; `cargo run --example phrases -- --transport sse` listens.

use mcp_runtime::{DynamicTool, prelude::*};
use serde_json::json;

/// Learns phrases with a gap in them, such as `Dear {}, good morning!`; each becomes a tool that fills the gap.
#[mcp_server(name = "phrases", version = "1.0.0")]
mod phrases {
    use super::*;

    /// Learns a phrase: from then on there is a tool of that name
    #[mcp_tool]
    fn learn(
        /// The tool's name
        name: String,
        /// The phrase, with `{}` where the gap is
        #[mcp(pattern = r"\{\}")]
        phrase: String,
        handle: Handle,
    ) -> Result<String, Error> {
        // Clients that want to know are told by the framework.
        handle.add_dynamic_tool(tool(&name, phrase))?;
        Ok(format!("learnt {name}"))
    }

    /// Forgets a phrase, and with it its tool
    #[mcp_tool(destructive = true)]
    fn forget(name: String, handle: Handle) -> Result<String, ToolError> {
        if matches!(name.as_str(), "learn" | "forget") {
            return Err(ToolError::new(format!("`{name}` is no phrase")));
        }
        handle.remove_tool(&name).map_err(|error| ToolError::new(error.to_string()))?;
        Ok(format!("forgot {name}"))
    }
}

/// A tool that fills the gap of a phrase.
fn tool(name: &str, phrase: String) -> DynamicTool {
    let schema = json!({
        "type": "object",
        "properties": { "gap": { "type": "string", "description": "What stands in the gap" } },
        "required": ["gap"],
        "additionalProperties": false,
    });
    DynamicTool::new(name, format!("Says: {phrase}"), schema, move |arguments, _context| {
        let said = arguments["gap"].as_str().map(|gap| phrase.replace("{}", gap));
        async move { said.ok_or("`gap` must be a string") }
    })
}

fn server() -> McpServer {
    phrases::server().dynamic_tool(tool("greet", "Hello, {}!".to_owned()))
}

fn main() -> Result<(), Error> {
    server().run_blocking()
}

#[cfg(test)]
mod tests {
    use mcp_runtime::testing::TestClient;
    use serde_json::json;

    #[tokio::test]
    async fn learns_and_forgets() {
        let client = TestClient::connect(super::server()).await.unwrap();
        let said = client.call("greet", json!({"gap": "Ada"})).await.unwrap();
        assert_eq!(said.first_text(), Some("Hello, Ada!"));

        client.call("learn", json!({"name": "part", "phrase": "Goodbye, {}!"})).await.unwrap();
        assert_eq!(client.notification().await.method, "notifications/tools/list_changed");
        let said = client.call("part", json!({"gap": "Ada"})).await.unwrap();
        assert_eq!(said.first_text(), Some("Goodbye, Ada!"));
        let wrong = client.call("part", json!({})).await.unwrap();
        assert!(wrong.is_error && wrong.first_text() == Some("`gap` must be a string"));
        let taken = client.call("learn", json!({"name": "part", "phrase": "{}"})).await.unwrap();
        assert!(taken.is_error);

        client.call("forget", json!({"name": "part"})).await.unwrap();
        assert_eq!(client.call("part", json!({"gap": "Ada"})).await.unwrap_err().code, -32602);
        assert!(client.call("forget", json!({"name": "forget"})).await.unwrap().is_error);
    }
}
