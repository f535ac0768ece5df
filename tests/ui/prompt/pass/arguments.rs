//! Arguments of prompts are text of any type that reads it.
#![deny(warnings)]

use std::{net::IpAddr, str::FromStr};

use mcp_runtime::{
    prelude::*,
    protocol::{ContentBlock, PromptMessage},
};

#[derive(Debug)]
enum Level {
    Easy,
}

impl FromStr for Level {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "easy" { Ok(Self::Easy) } else { Err(format!("expected `easy`, got `{text}`")) }
    }
}

struct Levels;

impl Levels {
    fn all(_begin: &str) -> [&'static str; 1] {
        ["easy"]
    }
}

/// Asks.
#[mcp_prompt(name = "quiz", title = "Quiz", scopes("quiz"), icons = ["https://example.com/quiz.png"])]
fn ask(
    #[mcp(complete = Levels::all)] level: Level,
    /// From where.
    address: Option<IpAddr>,
    #[mcp(default = 3)] count: u8,
    #[mcp(default)] topic: String,
) -> Vec<PromptMessage> {
    vec![PromptMessage::user(ContentBlock::text(format!("{level:?} {address:?} {count} {topic}")))]
}

#[mcp_prompt]
async fn fail() -> Result<String, PromptError> {
    Err(PromptError::new("no"))
}

fn main() {
    assert_eq!(ask(Level::Easy, None, 1, String::new()).len(), 1);
    let _ = fail;
    let _server = McpServer::default().prompt::<ask>().prompt::<fail>();
}
