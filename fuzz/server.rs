//! A server with parameters of many types, none of whose functions fails.

use std::collections::{BTreeMap, HashMap};

use mcp_runtime::{Elicited, prelude::*};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

#[derive(Deserialize, Serialize, JsonSchema)]
struct Everything {
    numbers: Option<(i8, u16, i32)>,
    #[serde(default)]
    choice: Vec<Choice>,
    inner: Option<Box<Everything>>,
    #[serde(flatten)]
    more: More,
}

#[derive(Deserialize, Serialize, JsonSchema)]
struct More {
    by_name: Option<BTreeMap<String, f32>>,
    either: Option<Either>,
}

#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
enum Choice {
    First,
    SecondOne(u8),
    Third { text: String, letter: Option<char> },
}

#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(untagged)]
enum Either {
    Number(u64),
    Text(String),
    List(Vec<Either>),
}

#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(tag = "kind", deny_unknown_fields)]
enum Tagged {
    Circle { radius: f64 },
    Square { side: Option<i64> },
}

#[derive(Deserialize, JsonSchema)]
struct Guests {
    #[schemars(range(min = 1, max = 8))]
    guests: u8,
    name: Option<String>,
}

#[mcp_server(name = "fuzzed", version = "1.0.0")]
mod fuzzed {
    use super::*;

    /// Takes numbers
    #[mcp_tool]
    fn numbers(a: i8, b: u16, c: i64, d: u64, e: f32, f: Option<f64>, #[mcp(default = 3)] g: i32) -> String {
        format!("{a} {b} {c} {d} {e} {f:?} {g}")
    }

    /// Adds
    #[mcp_tool]
    fn add(a: i64, b: i64) -> i64 {
        a.wrapping_add(b)
    }

    /// Takes texts
    #[mcp_tool]
    fn texts(text: String, letter: char, maybe: Option<String>, flag: bool, list: Vec<String>) -> String {
        format!("{text} {letter} {maybe:?} {flag} {list:?}")
    }

    /// Takes what is bounded
    #[mcp_tool]
    fn bounded(
        #[mcp(minimum = 1, maximum = 7)] days: u8,
        #[mcp(min_length = 2, max_length = 20, pattern = "^[a-z]+$")] city: String,
        #[mcp(min_items = 1, max_items = 3)] list: Vec<i64>,
        #[mcp(exclusive_minimum = 0.0)] ratio: Option<f64>,
    ) -> String {
        format!("{days} {city} {list:?} {ratio:?}")
    }

    /// Takes what is deep, and gives it back
    #[mcp_tool(output_schema = false)]
    fn deep(everything: Everything, tagged: Option<Tagged>) -> Json<Everything> {
        drop(tagged);
        Json(everything)
    }

    /// Takes any JSON
    #[mcp_tool(output_schema = false)]
    fn any(value: Value, more: HashMap<String, Value>) -> Json<Vec<Value>> {
        Json(std::iter::once(value).chain(more.into_values()).collect())
    }

    /// Takes members
    #[mcp_tool]
    fn flat(#[mcp(flatten)] more: More, name: String) -> String {
        format!("{name} {:?} {}", more.by_name, more.either.is_some())
    }

    /// Takes exact numbers only
    #[mcp_tool(strict)]
    fn exact(n: i64, list: Vec<Option<u8>>) -> String {
        format!("{n} {list:?}")
    }

    /// Takes what a header repeats
    #[mcp_tool]
    fn routed(#[mcp(header = "Region")] region: Option<String>, #[mcp(header = "Rank")] rank: Option<u32>) -> String {
        format!("{region:?} {rank:?}")
    }

    /// Waits a little, and says so
    #[mcp_tool]
    async fn wait(context: Context, #[mcp(maximum = 5)] steps: u8) -> u8 {
        for step in 0..steps {
            context.progress_message(step, steps, "waiting").await;
            tokio::time::sleep(std::time::Duration::from_millis(10)).await;
        }
        steps
    }

    /// Goes on as a task
    #[mcp_tool(task)]
    async fn work(context: Context, text: String) -> Result<String, ToolError> {
        tokio::time::sleep(std::time::Duration::from_secs(5)).await;
        let asked = context.elicit::<Guests>("How many?").await?;
        Ok(format!("{text} {}", asked.accepted().is_some()))
    }

    /// Asks
    #[mcp_tool]
    async fn ask(context: Context) -> Result<String, ToolError> {
        Ok(match context.elicit::<Guests>("A table?").await? {
            Elicited::Accepted(booked) => format!("{} {:?}", booked.guests, booked.name),
            Elicited::Declined | Elicited::Cancelled => "nothing".to_owned(),
        })
    }

    /// A fixed text
    #[mcp_resource(uri = "test://fixed")]
    fn fixed() -> &'static str {
        "fixed"
    }

    /// An item
    #[mcp_resource(uri = "test://item/{id}")]
    fn item(id: u32) -> Result<String, ResourceError> {
        if id > 100 { Err(ResourceError::NotFound) } else { Ok(id.to_string()) }
    }

    /// A file
    #[mcp_resource(uri = "file:///{+path}")]
    async fn file(path: String) -> String {
        tokio::task::yield_now().await;
        path
    }

    /// Two of them
    #[mcp_resource(uri = "pair://{a}-{b}/{+rest}")]
    fn pair(a: String, b: Option<f64>, rest: String) -> Vec<u8> {
        format!("{a} {b:?} {rest}").into_bytes()
    }

    /// Greets
    #[mcp_prompt]
    fn greet(#[mcp(complete = names)] name: String, times: Option<u8>) -> String {
        format!("{name} {times:?}")
    }

    fn names(value: &str) -> Vec<String> {
        (0..3).map(|i| format!("{value}{i}")).collect()
    }
}

pub(crate) fn server() -> McpServer {
    fuzzed::server()
}
