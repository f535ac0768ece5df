//! The smallest server: a tool, a resource template and a prompt.
use mcp_runtime::prelude::*;

#[mcp_server(name = "hello", version = "1.0.0")]
mod hello {
    /// Adds two numbers
    #[mcp_tool]
    fn add(#[mcp(description = "First number")] a: i64, #[mcp(description = "Second number")] b: i64) -> i64 {
        a + b
    }

    #[mcp_resource(uri = "greeting://{name}", description = "A personal greeting")]
    fn greeting(name: String) -> String {
        format!("Hello, {name}!")
    }

    #[mcp_prompt(description = "Asks for a review of code")]
    fn review(code: String) -> String {
        format!("Please review this code:\n{code}")
    }
}

fn main() -> Result<(), Error> {
    hello::server().run_blocking()
}
