#![allow(unused_variables)]

use mcp_runtime::prelude::*;

struct Weather;

#[mcp_server]
impl Weather {
    #[cfg(all())]
    #[mcp_tool]
    fn there(&self, text: &str) {}

    #[cfg(any())]
    #[mcp_tool]
    fn not_there(&self, text: &str) {}

    #[cfg_attr(all(), mcp_tool(nmae = "x"))]
    fn entry(&self) {}
}

fn main() {
    let _ = Weather.into_server();
}
