//! The server of the tests: one of everything that a case needs.

use std::time::Duration;

use mcp_runtime::{
    prelude::*,
    protocol::{LoggingLevel, PromptMessage},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Serialize, JsonSchema)]
pub(crate) struct Point {
    x: i32,
    y: i32,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Address {
    street: String,
    number: u16,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Colour {
    Red,
    Green,
}

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Window {
    /// Where it begins
    from: u32,
    to: Option<u32>,
}

/// How to use the fixture.
#[mcp_server(
    name = "fixture",
    version = "1.2.3",
    title = "The Fixture",
    description = "A server for tests",
    website_url = "https://example.com",
    icons = ["https://example.com/server.png"]
)]
pub(crate) mod functions {
    use super::*;

    /// Adds two numbers
    #[mcp_tool(title = "Addition", read_only, idempotent, icons = ["https://example.com/add.png"])]
    pub(crate) fn add(
        /// The first
        a: i64,
        /// The second
        b: i64,
    ) -> i64 {
        a + b
    }

    /// Gives a message back
    #[mcp_tool]
    fn echo(message: String) -> String {
        message
    }

    /// Gives back what headers repeat
    #[mcp_tool]
    fn routed(
        /// Where to
        #[mcp(header = "Region")]
        region: Option<String>,
        /// How urgent
        #[mcp(header = "Rank")]
        rank: Option<u32>,
    ) -> String {
        format!("{region:?} {rank:?}")
    }

    /// Gives a message back after some turns of the executor
    #[mcp_tool]
    async fn echo_later(message: String) -> String {
        for _ in 0..3 {
            tokio::task::yield_now().await;
        }
        message
    }

    /// A point
    #[mcp_tool]
    fn point(x: i32, #[mcp(default = 7)] y: i32) -> Json<Point> {
        Json(Point { x, y })
    }

    /// Many numbers
    #[mcp_tool]
    fn numbers() -> Json<Vec<u8>> {
        Json(vec![1, 2, 3])
    }

    /// Takes all kinds of arguments
    #[mcp_tool]
    fn kinds(
        #[mcp(minimum = 1, maximum = 7)] days: u8,
        #[mcp(min_length = 2, max_length = 4, pattern = "^[a-z]+$")] code: String,
        #[mcp(max_items = 2)] tags: Vec<String>,
        colour: Colour,
        address: Address,
        note: Option<String>,
        ratio: Option<f64>,
    ) -> String {
        let Address { street, number } = address;
        let colour = match colour {
            Colour::Red => "red",
            Colour::Green => "green",
        };
        format!("{days} {code} {tags:?} {colour} {street} {number} {note:?} {ratio:?}")
    }

    /// Takes only what is exact
    #[mcp_tool(strict)]
    fn exact(n: i64) -> i64 {
        n
    }

    /// Takes the members of a struct as arguments
    #[mcp_tool]
    fn window(#[mcp(flatten)] window: Window, name: String) -> String {
        format!("{name} {} {:?}", window.from, window.to)
    }

    /// Takes the members of two structs as arguments
    #[mcp_tool]
    fn two_structs(#[mcp(flatten)] window: Window, #[mcp(flatten)] address: Address) -> String {
        format!("{} {} {}", window.from, address.street, address.number)
    }

    /// Adds up
    #[mcp_tool]
    fn sum(numbers: Vec<i64>) -> i64 {
        numbers.iter().sum()
    }

    /// Gives JSON that somebody else has written, line breaks and all
    #[mcp_tool]
    async fn foreign(context: Context) -> CallToolResult {
        let text = "[\n{\"jsonrpc\":\"2.0\",\"id\":99,\"result\":{}}\r\n]".to_owned();
        let raw = serde_json::value::RawValue::from_string(text).expect("JSON");
        context.log(LoggingLevel::Error, &raw).await;
        CallToolResult { structured_content: Some(raw.into()), ..CallToolResult::text("foreign") }
    }

    /// Reports progress for ever, without waiting for anything
    #[mcp_tool(timeout = "200ms")]
    async fn chatter(context: Context) -> String {
        loop {
            context.progress(1, f64::NAN).await;
            tokio::task::yield_now().await;
        }
    }

    /// Gets on for longer than its time, and says so
    #[mcp_tool(timeout = "200ms")]
    async fn diligent(context: Context) -> String {
        for i in 0..8 {
            tokio::time::sleep(Duration::from_millis(50)).await;
            context.progress(i, None::<f64>).await;
        }
        "done".to_owned()
    }

    /// Fails
    #[mcp_tool]
    fn fail() -> Result<String, ToolError> {
        Err(ToolError::new("it failed; try another"))
    }

    /// A number that JSON cannot say, where its schema promises one
    #[mcp_tool]
    fn endless() -> Json<Vec<f64>> {
        Json(vec![0.5, f64::INFINITY])
    }

    /// Panics at once
    #[mcp_tool]
    fn boom() -> String {
        panic!("a secret of the server")
    }

    /// Panics later
    #[mcp_tool]
    async fn boom_later() -> String {
        tokio::task::yield_now().await;
        panic!("a secret of the server")
    }

    /// Waits for ever
    #[mcp_tool]
    async fn hang() -> String {
        std::future::pending().await
    }

    /// Waits for its cancellation
    #[mcp_tool]
    async fn heed(context: Context) -> String {
        context.cancelled().await;
        "too late".to_owned()
    }

    /// Is given too little time
    #[mcp_tool(timeout = "50ms")]
    async fn late() -> String {
        std::future::pending().await
    }

    /// Computes on a thread of its own
    #[mcp_tool(blocking)]
    fn compute(ms: u64) -> String {
        std::thread::sleep(Duration::from_millis(ms));
        "computed".to_owned()
    }

    /// Counts, and says so
    #[mcp_tool]
    async fn count(context: Context, to: u32) -> u32 {
        for i in 1..=to {
            context.progress_message(i, to, format!("at {i}")).await;
            context.progress(i, to).await;
            tokio::task::yield_now().await;
        }
        to
    }

    /// Logs at three levels
    #[mcp_tool]
    async fn log(context: Context) {
        context.log(LoggingLevel::Debug, "debugging").await;
        context.log_as(Some("fixture"), LoggingLevel::Warning, serde_json::json!({"code": 7})).await;
        context.log(LoggingLevel::Emergency, "on fire").await;
    }

    /// All kinds of content
    #[mcp_tool]
    fn content() -> Vec<ContentBlock> {
        vec![
            ContentBlock::text("text"),
            ContentBlock::image([1, 2, 3], "image/png"),
            ContentBlock::audio([1, 2, 3], "audio/wav"),
            ContentBlock::resource_link("test://fixed", "fixed"),
            ContentBlock::resource(ResourceContents::text("test://inline", "inline")),
        ]
    }

    /// A fixed text
    #[mcp_resource(uri = "test://fixed", mime_type = "text/plain", size = 5, annotations(audience = ["user"], priority = 0.5))]
    fn fixed() -> &'static str {
        "fixed"
    }

    /// Fixed bytes
    #[mcp_resource(uri = "test://bytes", mime_type = "application/octet-stream")]
    fn bytes() -> Vec<u8> {
        vec![0, 255, 1]
    }

    /// An item by its number
    #[mcp_resource(uri = "test://item/{id}", mime_type = "application/json")]
    fn item(id: u32, context: Context) -> Result<Json<u32>, ResourceError> {
        drop(context);
        if id > 100 { Err(ResourceError::NotFound) } else { Ok(Json(id)) }
    }

    /// A file by its path
    #[mcp_resource(uri = "file:///{+path}")]
    async fn file(path: String) -> String {
        tokio::task::yield_now().await;
        path
    }

    /// A resource that fails
    #[mcp_resource(uri = "test://broken")]
    fn broken() -> Result<String, ResourceError> {
        Err(ResourceError::new("the disk is on fire"))
    }

    /// Greets somebody
    #[mcp_prompt(title = "Greeting")]
    fn greet(
        /// Whom to greet
        #[mcp(complete = names)]
        name: String,
        /// How often
        times: Option<u32>,
    ) -> String {
        vec![format!("Hello, {name}!"); times.unwrap_or(1) as usize].join(" ")
    }

    /// A talk of two
    #[mcp_prompt]
    async fn talk() -> Vec<PromptMessage> {
        vec![PromptMessage::user("How are you?"), PromptMessage::assistant("Fine.")]
    }

    async fn names(value: &str) -> Vec<String> {
        tokio::task::yield_now().await;
        (0..150).map(|i| format!("{value}{i}")).collect()
    }
}

pub(crate) fn server() -> McpServer {
    functions::server()
}
