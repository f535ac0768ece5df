//! `bench-rmcp default|tuned stdio|stateless|session`: the measured server, on rmcp.
//!
//! `default` is written as rmcp's examples are. `tuned` keeps its router, sets TCP_NODELAY, and uses non-blocking pipes.

use std::{error::Error, sync::Arc};

use axum::{Router, serve::ListenerExt};
use rmcp::{
    ServerHandler, ServiceExt,
    handler::server::{router::tool::ToolRouter, wrapper::Parameters},
    tool, tool_handler, tool_router,
    transport::{
        stdio, stdio_pipes,
        streamable_http_server::{
            StreamableHttpServerConfig, StreamableHttpService, session::local::LocalSessionManager,
        },
    },
};
use tokio::net::TcpListener;

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Add {
    /// The first summand
    a: i64,
    /// The second summand
    b: i64,
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Echo {
    /// What is given back
    message: String,
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Big {
    /// Length in KiB
    n: usize,
}

/// As in rmcp's examples: the router is made with each instance, and anew for each call.
#[derive(Clone)]
struct Plain {
    #[expect(dead_code, reason = "the examples have it")]
    tool_router: ToolRouter<Self>,
}

#[tool_router]
impl Plain {
    fn new() -> Self {
        Self { tool_router: Self::tool_router() }
    }

    #[tool(description = "Adds two numbers")]
    fn add(&self, Parameters(Add { a, b }): Parameters<Add>) -> String {
        (a + b).to_string()
    }

    #[tool(description = "Gives a message back")]
    fn echo(&self, Parameters(Echo { message }): Parameters<Echo>) -> String {
        message
    }

    #[tool(description = "Gives a text of that many KiB")]
    fn big(&self, Parameters(Big { n }): Parameters<Big>) -> String {
        "0123456789abcdef".repeat(n * 1024 / 16)
    }
}

#[tool_handler]
impl ServerHandler for Plain {}

/// The router is made once.
#[derive(Clone)]
struct Tuned {
    tool_router: Arc<ToolRouter<Self>>,
}

#[tool_router]
impl Tuned {
    fn new() -> Self {
        Self { tool_router: Arc::new(Self::tool_router()) }
    }

    #[tool(description = "Adds two numbers")]
    fn add(&self, Parameters(Add { a, b }): Parameters<Add>) -> String {
        (a + b).to_string()
    }

    #[tool(description = "Gives a message back")]
    fn echo(&self, Parameters(Echo { message }): Parameters<Echo>) -> String {
        message
    }

    #[tool(description = "Gives a text of that many KiB")]
    fn big(&self, Parameters(Big { n }): Parameters<Big>) -> String {
        "0123456789abcdef".repeat(n * 1024 / 16)
    }
}

#[tool_handler(router = self.tool_router)]
impl ServerHandler for Tuned {}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["default", "stdio"] => {
            Plain::new().serve(stdio()).await?.waiting().await?;
        }
        ["tuned", "stdio"] => {
            Tuned::new().serve(stdio_pipes()).await?.waiting().await?;
        }
        ["default", door] => listen(Plain::new, door == "session", false).await?,
        ["tuned", door] => {
            let kept = Tuned::new();
            listen(move || kept.clone(), door == "session", true).await?;
        }
        _ => return Err("bench-rmcp default|tuned stdio|stateless|session".into()),
    }
    Ok(())
}

async fn listen<S: ServerHandler>(
    server: impl Fn() -> S + Send + Sync + 'static,
    sessions: bool,
    nodelay: bool,
) -> Result<(), Box<dyn Error>> {
    let config = StreamableHttpServerConfig::default().with_legacy_session_mode(sessions).with_json_response(!sessions);
    let sessions = Arc::new(LocalSessionManager::default());
    let service = StreamableHttpService::new(move || Ok(server()), sessions, config);
    let router = Router::new().nest_service("/mcp", service);
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    eprintln!("listening on http://{}", listener.local_addr()?);
    if nodelay {
        let listener = listener.tap_io(|connection| connection.set_nodelay(true).unwrap_or_default());
        axum::serve(listener, router).await?;
    } else {
        axum::serve(listener, router).await?;
    }
    Ok(())
}
