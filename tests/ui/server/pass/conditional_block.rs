//! A block and a module may depend on conditions, above and below the attribute.
#![deny(warnings)]

use mcp_runtime::prelude::*;

struct Weather;

#[mcp_server]
#[cfg(any())]
impl Weather {
    /// Never.
    #[mcp_tool]
    fn never(&self, argument: NoSuchType) {}
}

#[cfg(all())]
#[mcp_server]
#[cfg(all())]
impl Weather {
    /// Always.
    #[mcp_tool]
    fn always(&self) {}
}

#[mcp_server]
#[cfg(any())]
mod never {
    /// Never.
    #[mcp_tool]
    fn never(argument: NoSuchType) {}
}

#[cfg_attr(all(), mcp_server(name = "conditional"))]
mod always {
    /// Always.
    #[cfg_attr(all(), mcp_tool)]
    pub(crate) fn run() {}
}

fn main() {
    Weather.always();
    always::run();
    assert_eq!(always::server().options().name, "conditional");
    let _server = McpServer::default().mount(Weather);
}
