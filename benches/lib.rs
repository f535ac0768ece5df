//! What the benchmarks share: a server, and the bytes of its calls.

#[cfg(feature = "all")]
pub mod http;

use mcp_runtime::{prelude::*, testing::Connection};

/// A calculator.
#[mcp_server(name = "bench", version = "1.0.0")]
mod bench {
    use super::*;

    /// Adds two numbers
    #[mcp_tool]
    fn add(a: i64, b: i64) -> i64 {
        a + b
    }

    /// Adds two numbers, in a future that is ready at once
    #[mcp_tool]
    async fn add_async(a: i64, b: i64) -> i64 {
        a + b
    }

    /// Gives a message back
    #[mcp_tool]
    fn echo(message: String) -> String {
        message
    }

    /// Takes what is bounded
    #[mcp_tool]
    fn bounded(
        #[mcp(minimum = 1, maximum = 7)] days: u8,
        #[mcp(min_length = 2, max_length = 20, pattern = "^[a-z]+$")] city: String,
    ) -> String {
        format!("{city} {days}")
    }

    /// Gives a text of that many KiB
    #[mcp_tool]
    fn big(#[mcp(maximum = 4096)] n: usize) -> String {
        "0123456789abcdef".repeat(n * 1024 / 16)
    }

    /// Reports its progress three times
    #[mcp_tool]
    async fn progress(context: Context, a: i64, b: i64) -> i64 {
        for step in 1..=3 {
            context.progress(step, 3).await;
        }
        a + b
    }

    /// The square of a number
    #[mcp_resource(uri = "bench://square/{n}", mime_type = "text/plain")]
    fn square(n: i64) -> String {
        (n * n).to_string()
    }
}

/// One tool more.
#[mcp_server(name = "more", version = "1.0.0")]
mod more {
    /// Multiplies two numbers
    #[mcp_tool]
    fn multiply(a: i64, b: i64) -> i64 {
        a * b
    }
}

/// The server of all benchmarks, with so many tools, but no fewer than its own.
pub fn server(tools: usize) -> McpServer {
    (TOOLS..tools).fold(bench::server(), |server, number| server.mount_at(&format!("more{number}"), more::server()))
}

/// How many tools the server has of itself.
pub const TOOLS: usize = 6;

/// A call by the name of its benchmark, and what its answer contains.
pub const CALLS: [(&str, &str, &str); 7] = [
    (
        "add",
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add","arguments":{"a":2,"b":40}}}"#,
        r#""text":"42""#,
    ),
    (
        "add_async",
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add_async","arguments":{"a":2,"b":40}}}"#,
        r#""text":"42""#,
    ),
    (
        "stateless",
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add","arguments":{"a":2,"b":40},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"bench","version":"1.0.0"},"io.modelcontextprotocol/clientCapabilities":{}}}}"#,
        r#""resultType":"complete""#,
    ),
    (
        "bounded",
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"bounded","arguments":{"days":3,"city":"paris"}}}"#,
        r#""text":"paris 3""#,
    ),
    (
        "read",
        r#"{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"bench://square/12"}}"#,
        r#""text":"144""#,
    ),
    ("list", r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#, r#""name":"echo""#),
    ("ping", r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#, r#""result":{}"#),
];

/// A call that gives 64 KiB back.
pub fn large_call() -> String {
    let message = "0123456789abcdef".repeat(4096);
    format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"echo","arguments":{{"message":"{message}"}}}}}}"#
    )
}

/// A session that has shaken hands.
///
/// # Panics
/// When the server does not start, which is a fault of this file.
pub fn connection() -> Connection {
    let connection = Connection::open(server(TOOLS)).unwrap_or_else(|error| panic!("{error}"));
    let initialize = br#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}"#;
    assert!(connection.answer(initialize, &mut Vec::new()));
    connection
}

/// Makes a call, and checks its answer.
///
/// # Panics
/// When the answer is not what was expected.
pub fn exchange(connection: &Connection, call: &str, expected: &str, out: &mut Vec<u8>) {
    out.clear();
    assert!(connection.answer(call.as_bytes(), out), "an answer at once");
    let fits = out.windows(expected.len()).any(|window| window == expected.as_bytes());
    assert!(fits, "{call}: {}", String::from_utf8_lossy(out));
}
