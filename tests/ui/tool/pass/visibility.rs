//! The descriptor is seen where the function is.
#![deny(warnings, missing_docs, unreachable_pub)]

use mcp_runtime::prelude::*;

mod outer {
    pub(crate) mod inner {
        use mcp_runtime::prelude::*;

        /// Adds two numbers.
        #[mcp_tool]
        pub(crate) fn add(a: i64, b: i64) -> i64 {
            a + b
        }

        /// Subtracts two numbers.
        #[mcp_tool]
        pub(in crate::outer) fn subtract(a: i64, b: i64) -> i64 {
            a - b
        }
    }

    pub(crate) fn add_to(server: super::McpServer) -> super::McpServer {
        assert_eq!(inner::subtract(3, 2), 1);
        server.tool::<inner::subtract>()
    }
}

fn main() {
    assert_eq!(outer::inner::add(1, 2), 3);
    let _server = outer::add_to(McpServer::default().tool::<outer::inner::add>());
}
