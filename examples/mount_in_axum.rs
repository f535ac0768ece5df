//! An application of its own, whose pages and whose MCP server share a port and a state.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use axum::{Router, routing::get};
use mcp_runtime::prelude::*;

type Visits = Arc<AtomicU64>;

#[mcp_server(name = "visits", version = "1.0.0", transport = "http-stream")]
mod visits {
    use super::*;

    /// How often the page was read
    #[mcp_tool(read_only)]
    fn count(visits: State<Visits>) -> u64 {
        visits.load(Ordering::Relaxed)
    }
}

/// The page at `/`; the server takes all else, which is `/mcp`, and `/health`.
async fn app() -> Result<(Router, Handle), Error> {
    let visits = Visits::default();
    let mcp = visits::server().state(Arc::clone(&visits)).into_service().await?;
    let handle = mcp.handle();
    let home = async move || format!("You are visitor {}.", visits.fetch_add(1, Ordering::Relaxed) + 1);
    Ok((Router::new().route("/", get(home)).fallback_service(mcp), handle))
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (app, handle) = app().await?;
    let listener = tokio::net::TcpListener::bind("127.0.0.1:8080").await?;
    let stop = async move {
        let _ = tokio::signal::ctrl_c().await;
        // axum waits for all connections: first those streams end that would never.
        handle.shut_down();
    };
    axum::serve(listener, app).with_graceful_shutdown(stop).await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use tokio::{
        io::{AsyncReadExt, AsyncWriteExt},
        net::{TcpListener, TcpStream},
    };

    #[tokio::test]
    async fn pages_and_tools_know_the_same() {
        let (app, handle) = super::app().await.unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let serving = tokio::spawn(async { axum::serve(listener, app).await });
        let call = concat!(
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"count","_meta":{"#,
            r#""io.modelcontextprotocol/protocolVersion":"2026-07-28","#,
            r#""io.modelcontextprotocol/clientCapabilities":{}}}}"#
        );
        let call = format!(
            "POST /mcp HTTP/1.1\r\nContent-Type: application/json\r\nMCP-Protocol-Version: 2026-07-28\r\n\
             Mcp-Method: tools/call\r\nMcp-Name: count\r\nContent-Length: {}\r\n\
             Host: localhost\r\nConnection: close\r\n\r\n{call}",
            call.len()
        );
        let get = |path: &str| format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
        for (request, status, said) in [
            (call.clone(), 200, r#""text":"0""#),
            (get("/"), 200, "You are visitor 1."),
            (get("/"), 200, "You are visitor 2."),
            (call, 200, r#""text":"2""#),
            (get("/nowhere"), 404, "nothing at this path"),
        ] {
            let mut connection = TcpStream::connect(address).await.unwrap();
            connection.write_all(request.as_bytes()).await.unwrap();
            let mut answer = String::new();
            connection.read_to_string(&mut answer).await.unwrap();
            assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")) && answer.contains(said), "{request}: {answer}");
        }
        handle.shut_down();
        serving.abort();
    }
}
