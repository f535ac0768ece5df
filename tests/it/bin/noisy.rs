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
    // Without an end of line it waits in a buffer until the process ends.
    print!("{{\"jsonrpc\":\"2.0\",\"id\":42,\"result\":\"forged\"}}");
    times
}

/// Prints much to standard output, in place
#[mcp_tool]
fn chatter(lines: u32) -> u32 {
    for line in 0..lines {
        println!("line {line} of what belongs to nobody");
    }
    lines
}

/// Sleeps
#[mcp_tool]
async fn sleep(ms: u64) -> String {
    tokio::time::sleep(std::time::Duration::from_millis(ms)).await;
    format!("slept {ms} ms")
}

/// Is never done, and always ready to go on
#[mcp_tool]
async fn spin() {
    loop {
        tokio::task::consume_budget().await;
    }
}

/// Computes in place, deaf to everything
#[mcp_tool]
fn compute(ms: u64) -> String {
    eprintln!("computing");
    std::thread::sleep(std::time::Duration::from_millis(ms));
    "computed".to_owned()
}

/// Panics, but not at once
#[mcp_tool]
async fn boom() -> &'static str {
    tokio::task::yield_now().await;
    panic!("as it was told")
}

/// Is read slowly, in place
#[mcp_resource(uri = "test://slow")]
fn slow() -> String {
    compute(150)
}

/// Computes on a thread of its own
#[mcp_tool(blocking)]
fn compute_apart(ms: u64) -> String {
    compute(ms)
}

/// Starts a program that outlives the server
#[mcp_tool]
fn child() -> Result<u32, ToolError> {
    use std::process::{Command, Stdio};

    let child =
        Command::new("sleep").arg("60").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    child.map(|child| child.id()).map_err(|error| ToolError::new(error.to_string()))
}

/// Reads what the process calls its standard input
#[mcp_tool]
fn read_input() -> String {
    let mut line = String::new();
    format!("{:?} {line:?}", std::io::stdin().read_line(&mut line).ok())
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
    let server =
        server.tool::<noisy>().tool::<sleep>().tool::<spin>().tool::<shout>().tool::<read_input>().tool::<chatter>();
    server.tool::<compute>().tool::<compute_apart>().tool::<child>().tool::<boom>().resource::<slow>().run_blocking()
}
