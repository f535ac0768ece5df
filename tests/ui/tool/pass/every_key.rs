//! Every key at once.
#![deny(warnings)]

use mcp_runtime::prelude::*;

const WORDS: &str = "Adds two numbers.";

#[mcp_tool(
    name = "sum",
    title = "Sum",
    description = WORDS,
    read_only,
    destructive = false,
    idempotent = true,
    open_world = false,
    scopes("math:read", "math:write"),
    icons = ["https://example.com/sum.png", "data:image/png;base64,AA=="],
    output_schema = false,
    input_schema = serde_json::json!({ "type": "object" }),
    timeout = "30s",
    task,
    strict,
    ttl = "5m",
    cache_scope = "public",
    crate = ::mcp_runtime,
)]
fn add(a: i64, b: i64) -> i64 {
    a + b
}

#[mcp_tool(description = concat!("Subtracts ", "two numbers."))]
fn subtract(a: i64, b: i64) -> i64 {
    a - b
}

#[doc = "Multiplies"]
#[doc = concat!("two", " numbers.")]
#[mcp_tool]
fn multiply(a: i64, b: i64) -> i64 {
    a * b
}

fn main() {
    assert_eq!(add(3, 2) + subtract(3, 2) + multiply(3, 2), 12);
    let _server = McpServer::default().tool::<add>().tool::<subtract>().tool::<multiply>();
}
