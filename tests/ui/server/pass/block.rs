//! A block with everything in it.
#![deny(warnings, missing_docs, unreachable_pub)]

use std::sync::{
    Arc,
    atomic::{AtomicU32, Ordering},
};

use mcp_runtime::mcp_server;

#[derive(Default)]
struct Weather {
    calls: AtomicU32,
}

/// Weather for travellers.
///
/// Ask for a city.
#[mcp_server(
    name = "weather",
    version = "1.0.0",
    title = "Weather",
    description = "The weather of the world",
    website_url = "https://example.com",
    icons = ["https://example.com/sun.png"],
    profile = "full",
    transport = "sse",
    auth = "jwt",
    port = 8080,
    endpoint = "/events",
    message_endpoint = "/messages",
    resumability,
    cors = ["https://app.example.com"],
    crate = ::mcp_runtime
)]
impl Weather {
    #![allow(clippy::unused_self)]

    /// Constants and helpers may stand between the tools.
    const DAYS: u8 = 7;

    /// Forecast for a city.
    #[mcp_tool(read_only)]
    fn forecast(&self, city: String, #[mcp(default = 3, maximum = 7)] days: u8) -> String {
        self.count();
        format!("{city} {}", days.min(Self::DAYS))
    }

    fn count(&self) -> u32 {
        self.calls.fetch_add(1, Ordering::Relaxed)
    }

    /// How often it was called.
    #[mcp_tool]
    async fn calls(&self) -> u32 {
        std::future::ready(self.count()).await
    }

    /// Keeps the server.
    #[mcp_tool]
    async fn keep(self: Arc<Self>) -> u32 {
        self.count()
    }

    /// Keeps the server, and blocks.
    #[mcp_runtime::mcp_tool(blocking)]
    fn keep_blocking(self: Arc<Self>) -> u32 {
        self.count()
    }

    /// Looks at the server.
    #[mcp_tool(blocking)]
    fn look(self: &Arc<Self>) -> u32 {
        self.count()
    }

    /// Needs no server.
    #[mcp_tool]
    fn version() -> &'static str {
        "1"
    }

    #[mcp_resource(uri = "weather://{city}")]
    fn current(&self, city: String) -> String {
        city
    }

    #[mcp_prompt]
    async fn packing(&self, city: String) -> String {
        city
    }

    /// Another server.
    #[must_use]
    fn again() -> Self {
        Self::default()
    }
}

fn main() {
    let weather = Arc::new(Weather::again());
    assert_eq!(weather.forecast("Paris".to_owned(), 9), "Paris 7");
    assert_eq!(weather.look(), 1);
    assert_eq!(Arc::clone(&weather).keep_blocking(), 2);
    assert_eq!(Weather::version(), "1");
    assert_eq!(weather.current("Paris".to_owned()), "Paris");
    let server: mcp_runtime::McpServer = Weather::default().into_server();
    drop(server);
}
