//! A module may have a type `server` of its own; then it is mounted by its function.
#![deny(warnings)]

use mcp_runtime::prelude::*;

#[mcp_server]
mod api {
    pub(crate) mod types {
        pub(crate) mod server {
            pub(crate) const NAME: &str = "own";
        }
    }
    use types::server;

    /// The name
    #[mcp_tool]
    pub(crate) fn name() -> &'static str {
        server::NAME
    }
}

#[mcp_server]
mod nested {
    pub(crate) mod server {
        pub(crate) const NAME: &str = "own";
    }

    /// The name
    #[mcp_tool(name = "other")]
    pub(crate) fn name() -> &'static str {
        server::NAME
    }
}

fn main() {
    assert_eq!(api::name(), nested::name());
    let _server = McpServer::default().mount((api::server(), nested::server()));
}
