//! A server that depends on `mcp-runtime` alone, under lints stricter than most.
#![deny(warnings, missing_docs, clippy::all, clippy::pedantic)]

use mcp_runtime::prelude::*;

/// Sums and greetings.
#[mcp_server(name = "lone", version = "1.0.0")]
mod lone {
    use mcp_runtime::prelude::*;

    /// Adds two numbers.
    #[mcp_tool(read_only)]
    fn add(#[mcp(description = "First")] a: i64, #[mcp(description = "Second", default = 1)] b: i64) -> i64 {
        a + b
    }

    /// Greets.
    #[mcp_tool]
    async fn greet(context: Context, name: String, titles: Option<Vec<String>>) -> Result<String, ToolError> {
        context.progress(1, 2).await;
        let titles = titles.ok_or_else(|| ToolError::new("`titles` is missing"))?;
        Ok(format!("{} {name}", titles.join(" ")))
    }

    #[mcp_resource(uri = "lone://{name}")]
    fn read(name: String) -> Result<String, ResourceError> {
        if name.is_empty() { Err(ResourceError::not_found()) } else { Ok(name) }
    }

    #[mcp_prompt]
    fn ask(topic: String, #[mcp(default = 3)] questions: u8) -> String {
        format!("Ask {questions} questions about {topic}")
    }
}

/// Counts what it is asked.
#[mcp_tool(blocking)]
fn count(words: Vec<String>) -> usize {
    words.len()
}

fn main() -> Result<(), Error> {
    lone::server().tool::<count>().run_blocking()
}
