//! Aliases of results and types are seen through, since nothing is told by a type's name.
#![deny(warnings)]

use std::sync::Arc;

use mcp_runtime::prelude::*;

type Answer<T = String> = std::result::Result<Json<Page<T>>, Box<dyn std::error::Error + Send + Sync>>;
type Shared = Arc<Library>;

#[derive(serde::Serialize, schemars::JsonSchema)]
struct Page<T> {
    items: Vec<T>,
}

struct Library;

#[mcp_server]
impl Library {
    /// The books.
    #[mcp_tool]
    async fn books(self: Shared, authors: Vec<String>) -> Answer {
        Ok(Json(Page { items: authors }))
    }

    /// Their number.
    #[mcp_tool]
    fn count(&self) -> Answer<u8> {
        let number = "5".parse()?;
        Ok(Json(Page { items: vec![number] }))
    }
}

fn main() {
    assert!(Library.count().is_ok());
    let _server = Library.into_server();
}
