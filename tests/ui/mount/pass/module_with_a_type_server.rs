//! A module may have a type `server` of its own; then it is mounted by its function.
#![deny(warnings)]

use mcp_runtime::prelude::*;

#[mcp_server]
mod api {
    pub(crate) mod server {
        pub(crate) const NAME: &str = "own";
    }

    /// The name
    #[mcp_tool]
    pub(crate) fn name() -> &'static str {
        server::NAME
    }
}

#[mcp_server]
mod imported {
    use super::api::{self, server as server};

    /// The name
    #[mcp_tool(name = "other")]
    pub(crate) fn name() -> &'static str {
        assert_eq!(api::name(), server::NAME);
        server::NAME
    }
}

fn main() {
    assert_eq!(api::name(), imported::name());
    let _server = McpServer::default().mount((api::server(), imported::server()));
}
