//! Lone functions go one by one, or several as a tuple.
#![deny(warnings)]

use mcp_runtime::{prelude::*, testing::TestClient};

mod tools {
    use mcp_runtime::mcp_tool;

    /// Doubles
    #[mcp_tool]
    pub(crate) fn double(n: i32) -> i32 {
        n * 2
    }

    /// Halves
    #[mcp_tool(name = "half")]
    pub(crate) fn halve(n: i32) -> i32 {
        n / 2
    }
}
use tools::{double, halve};

#[mcp_resource(uri = "a://one")]
fn one() -> &'static str {
    "1"
}

#[mcp_prompt]
fn half() -> String {
    one().to_owned()
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    assert_eq!((double(2), halve(2), half().as_str()), (4, 1, "1"));
    let server = McpServer::default().tool::<(double, (halve,))>().resource::<one>().prompt::<(half,)>();
    let client = TestClient::connect(server).await.unwrap();
    let names: Vec<_> = client.list_tools().await.unwrap().into_iter().map(|tool| tool.name).collect();
    assert_eq!(names, ["double", "half"]);
}
