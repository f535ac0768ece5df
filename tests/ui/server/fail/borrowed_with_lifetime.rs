#![allow(unused_variables)]

use mcp_runtime::prelude::*;

struct Weather;

#[mcp_server]
impl Weather {
    /// Borrows.
    #[mcp_tool]
    fn run<'a>(&'a self, text: &'a str) {}
}

fn main() {
    let _ = Weather.into_server();
}
