//! Raw identifiers lose their `r#` on the wire; arguments may be named in any script, functions with a `name`.
#![deny(warnings)]

use mcp_runtime::prelude::*;

/// Matches.
#[mcp_tool]
fn r#match(r#type: String, größe: u32) -> String {
    r#type.repeat(größe as usize)
}

/// Zählt.
#[mcp_tool(name = "count")]
fn zähle(#[mcp(name = "Wörter")] wörter: Vec<String>) -> usize {
    wörter.len()
}

#[mcp_resource(uri = "data://{type}")]
fn r#loop(r#type: String, r#in: Context) -> String {
    drop(r#in);
    r#type
}

fn main() {
    assert_eq!(r#match("ab".to_owned(), 2), "abab");
    assert_eq!(zähle(Vec::new()), 0);
    let _server = McpServer::default().tool::<r#match>().tool::<zähle>().resource::<r#loop>();
}
