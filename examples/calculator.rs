//! A calculator: tools, constants as resources, squares as a template, and two prompts.
//!
//! `cargo run --example calculator` speaks stdio; `cargo run --example calculator -- --transport sse` listens.

use mcp_runtime::prelude::*;

/// Calculates.
#[mcp_server(name = "calculator", version = "1.0.0")]
mod calculator {
    use super::*;

    /// Adds two integers
    #[mcp_tool(read_only, idempotent, open_world = false)]
    pub(super) fn add(
        /// The first summand
        a: i64,
        /// The second summand
        b: i64,
    ) -> Result<i64, ToolError> {
        a.checked_add(b).ok_or_else(|| ToolError::new("the sum does not fit into 64 bits"))
    }

    /// Gives back a message
    #[mcp_tool(read_only)]
    fn echo(
        /// What is given back
        message: String,
    ) -> String {
        message
    }

    /// Gives a text of that many KiB
    #[mcp_tool(read_only)]
    fn big(
        /// Length in KiB
        #[mcp(maximum = 4096)]
        n: usize,
    ) -> String {
        "0123456789abcdef".repeat(n * 1024 / 16)
    }

    /// The square of a number
    #[mcp_resource(uri = "calc://square/{n}", mime_type = "text/plain")]
    fn square(n: i64) -> Result<String, ResourceError> {
        let square = n.checked_mul(n);
        square
            .map(|square| square.to_string())
            .ok_or_else(|| ResourceError::new("the square does not fit into 64 bits"))
    }

    /// Explains an expression
    #[mcp_prompt]
    fn explain(
        /// The expression, e.g. `2+2`
        expression: String,
    ) -> String {
        format!("Explain step by step how to evaluate {expression}.")
    }

    /// Asks a question
    #[mcp_prompt]
    fn quiz(
        /// `easy` or `hard`
        level: Option<String>,
    ) -> String {
        let level = level.unwrap_or_else(|| "easy".to_owned());
        format!("Ask me one {level} question about arithmetic, then check my answer.")
    }

    /// The ratio of a circle's circumference to its diameter
    #[mcp_resource(uri = "calc://constants/pi", mime_type = "text/plain")]
    fn pi() -> &'static str {
        "3.141592653589793"
    }

    /// The base of the natural logarithm
    #[mcp_resource(uri = "calc://constants/e", mime_type = "text/plain")]
    fn e() -> &'static str {
        "2.718281828459045"
    }

    /// Two pi
    #[mcp_resource(uri = "calc://constants/tau", mime_type = "text/plain")]
    fn tau() -> &'static str {
        "6.283185307179586"
    }

    /// The golden ratio
    #[mcp_resource(uri = "calc://constants/phi", mime_type = "text/plain")]
    fn phi() -> &'static str {
        "1.618033988749895"
    }

    /// The square root of 2
    #[mcp_resource(uri = "calc://constants/sqrt2", mime_type = "text/plain")]
    fn sqrt2() -> &'static str {
        "1.4142135623730951"
    }

    /// The natural logarithm of 2
    #[mcp_resource(uri = "calc://constants/ln2", mime_type = "text/plain")]
    fn ln2() -> &'static str {
        "0.6931471805599453"
    }

    /// The natural logarithm of 10
    #[mcp_resource(uri = "calc://constants/ln10", mime_type = "text/plain")]
    fn ln10() -> &'static str {
        "2.302585092994046"
    }

    /// The speed of light in m/s
    #[mcp_resource(uri = "calc://constants/c", mime_type = "text/plain")]
    fn c() -> &'static str {
        "299792458"
    }

    /// The standard gravity in m/s²
    #[mcp_resource(uri = "calc://constants/g", mime_type = "text/plain")]
    fn g() -> &'static str {
        "9.80665"
    }

    /// The Planck constant in J·s
    #[mcp_resource(uri = "calc://constants/h", mime_type = "text/plain")]
    fn h() -> &'static str {
        "6.62607015e-34"
    }
}

fn server() -> McpServer {
    calculator::server()
}

fn main() -> Result<(), Error> {
    server().run_blocking()
}

#[cfg(test)]
mod tests {
    use mcp_runtime::testing::TestClient;
    use serde_json::json;

    #[tokio::test]
    async fn calculates() {
        let client = TestClient::connect(super::server()).await.unwrap();
        let sum = client.call("add", json!({"a": 2, "b": 3})).await.unwrap();
        assert_eq!(sum.first_text(), Some("5"));
        let big = client.call("big", json!({"n": 3})).await.unwrap();
        assert_eq!(big.first_text().unwrap().len(), 3 * 1024);
        let overflow = client.call("add", json!({"a": i64::MAX, "b": 1})).await.unwrap();
        assert!(overflow.is_error);

        assert_eq!(client.list_resources().await.unwrap().len(), 10);
        let square = client.read("calc://square/12").await.unwrap();
        assert_eq!(square.contents[0].as_text(), Some("144"));
        let pi = client.read("calc://constants/pi").await.unwrap();
        assert!(pi.contents[0].as_text().unwrap().starts_with("3.14159"));

        let quiz = client.get_prompt("quiz", json!({})).await.unwrap();
        assert!(quiz.messages[0].content.as_text().unwrap().contains("easy"));
        assert_eq!(super::calculator::add(1, 2).unwrap(), 3, "it still is a function");
    }
}
