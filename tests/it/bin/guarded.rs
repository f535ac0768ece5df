//! A server that asks for credentials, and that logs all there is to log.

use mcp_runtime::prelude::*;
use tracing_subscriber::filter::LevelFilter;

#[mcp_server(name = "guarded", version = "1.0.0", transport = "sse", auth = "jwt")]
mod guarded {
    use mcp_runtime::Principal;

    /// Says who calls
    #[mcp_tool]
    fn who(principal: Principal) -> String {
        format!("{principal:?}")
    }

    /// For administrators
    #[mcp_tool(scopes("admin"))]
    fn admin() -> &'static str {
        "administrated"
    }

    /// Fails in the worst way
    #[mcp_tool]
    fn boom(principal: Principal) -> String {
        panic!("{principal:?}")
    }
}

fn main() -> Result<(), Error> {
    tracing_subscriber::fmt().with_max_level(LevelFilter::TRACE).with_writer(std::io::stderr).init();
    guarded::server().run_blocking()
}
