#![allow(unused_variables)]

use mcp_runtime::prelude::*;

struct Weather;

#[mcp_server]
impl Weather {
    /// Generic.
    #[mcp_tool]
    fn run<T>(&self, value: T) {}
}

fn main() {
    let _ = Weather.into_server();
}
