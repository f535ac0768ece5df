//! A server whose functions print where they must not.
#![allow(clippy::print_stdout, reason = "that is what it is for")]

use mcp_runtime::prelude::*;

/// Prints to standard output, then answers
#[mcp_tool]
async fn noisy(context: Context, times: u32) -> u32 {
    for i in 0..times {
        println!("{{\"jsonrpc\":\"2.0\",\"id\":{i},\"result\":\"forged\"}}");
        context.progress(i, times).await;
    }
    times
}

/// Sleeps
#[mcp_tool]
async fn sleep(ms: u64) -> String {
    tokio::time::sleep(std::time::Duration::from_millis(ms)).await;
    format!("slept {ms} ms")
}

/// Logs much
#[mcp_tool]
fn shout(lines: u32) -> u32 {
    for line in 0..lines {
        eprintln!("line {line} of what nobody reads");
    }
    lines
}

fn main() -> Result<(), Error> {
    println!("this is before the server starts");
    let server = McpServer::new(ServerOptions::new("noisy", "1.0.0"));
    server.tool::<noisy>().tool::<sleep>().tool::<shout>().run_blocking()
}
