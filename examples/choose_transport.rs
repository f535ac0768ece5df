//! One server, its transport chosen from outside: `TRANSPORT=sse PORT=9000 cargo run --example choose_transport`.
//!
//! `run()` does the same, and more, with `MCP_TRANSPORT` and `MCP_PORT`; this shows the options object in code.

use std::{env, error::Error};

use mcp_runtime::{SseOptions, TransportOptions, prelude::*};

/// What time it is, in seconds since 1970
#[mcp_tool(read_only)]
fn now() -> Result<u64, std::time::SystemTimeError> {
    Ok(std::time::UNIX_EPOCH.elapsed()?.as_secs())
}

fn server(options: ServerOptions) -> McpServer {
    McpServer::new(options).tool::<now>()
}

fn options(transport: Option<&str>, port: Option<&str>) -> Result<ServerOptions, Box<dyn Error>> {
    let mut options = ServerOptions::new("clock", "1.0.0");
    if transport == Some("sse") {
        let port = port.map_or(Ok(8080), str::parse)?;
        options.transport = TransportOptions::Sse(SseOptions { port, ..Default::default() });
    }
    Ok(options)
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let (transport, port) = (env::var("TRANSPORT").ok(), env::var("PORT").ok());
    let bound = server(options(transport.as_deref(), port.as_deref())?).bind().await?;
    if let Some(address) = bound.local_addr() {
        eprintln!("listening on http://{address}");
    }
    Ok(bound.serve().await?)
}

#[cfg(test)]
mod tests {
    use mcp_runtime::{TransportOptions, testing::TestClient};
    use serde_json::json;

    #[tokio::test]
    async fn the_environment_chooses() {
        let port = |transport, port| match super::options(transport, port).unwrap().transport {
            TransportOptions::Sse(options) => Some(options.port),
            _ => None,
        };
        assert_eq!(port(None, None), None);
        assert_eq!(port(Some("sse"), None), Some(8080));
        assert_eq!(port(Some("sse"), Some("0")), Some(0));

        let server = super::server(super::options(None, None).unwrap());
        let client = TestClient::connect(server).await.unwrap();
        let now = client.call("now", json!({})).await.unwrap();
        assert!(now.first_text().unwrap().parse::<u64>().unwrap() > 1_700_000_000);
    }
}
