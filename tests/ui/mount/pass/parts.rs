//! What can be mounted: servers, blocks, modules, and tuples of these.
#![deny(warnings)]

use mcp_runtime::{Part, prelude::*, testing::TestClient};

struct Counter<T>(T);

#[mcp_server]
impl<T: Copy + Into<u64> + Send + Sync + 'static> Counter<T> {
    /// The count
    #[mcp_tool]
    fn count(&self) -> u64 {
        self.0.into()
    }

    #[mcp_resource(uri = "counter://now")]
    fn now(&self) -> String {
        self.count().to_string()
    }

    /// Under a condition that does not hold
    #[cfg(any())]
    #[mcp_tool]
    fn add(&self) {}
}

#[mcp_server]
mod sums {
    /// Adds two numbers
    #[mcp_tool]
    pub(crate) fn add(a: i64, b: i64) -> i64 {
        a + b
    }

    #[mcp_prompt]
    pub(crate) fn count() -> String {
        String::new()
    }
}

/// By itself
#[mcp_tool]
fn alone() {}

fn both() -> impl Part {
    (Counter(5_u8), sums::server {})
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    alone();
    assert_eq!((sums::add(1, 2), sums::count()), (3, String::new()));
    let other = McpServer::new(ServerOptions::default()).tool::<alone>();
    let server = McpServer::new(ServerOptions::new("all", "1.0.0"))
        .mount((both(), other))
        .mount_at("again", (sums::server {},))
        .mount_at("long", Counter(7_u32).into_server().mount_at("inner", sums::server()));
    // The URI of the second counter is the first one's.
    let error = TestClient::connect(server).await.unwrap_err().to_string();
    assert_eq!(
        error,
        "two resources have the URI `counter://now`, both from `Counter`; give one another URI"
    );
    let server = McpServer::new(ServerOptions::new("all", "1.0.0")).mount(both()).mount_at("again", sums::server {});
    let client = TestClient::connect(server).await.unwrap();
    let names: Vec<_> = client.list_tools().await.unwrap().into_iter().map(|tool| tool.name).collect();
    assert_eq!(names, ["count", "add", "again_add"]);
}
