//! What is not there is not judged, in a block as anywhere.
#![deny(warnings)]

use mcp_runtime::prelude::*;

struct Weather;

#[mcp_server]
impl Weather {
    #[cfg(any())]
    #[mcp_tool(no_such_key)]
    fn never<T>(&mut self, text: &T) {}

    #[cfg(false)]
    #[mcp_resource(uri = "no uri")]
    #[mcp_tool]
    fn nor_this(self) {}

    #[cfg_attr(false, mcp_tool(uri = "a://b"))]
    fn no_tool(&self, text: &str) -> usize {
        text.len()
    }

    #[cfg(any())]
    fn stray(&self, #[mcp(minimum = 1)] days: u8) {}

    /// One of two of one name.
    #[mcp_tool]
    fn one(&self) {}

    /// The other.
    #[cfg(any())]
    #[mcp_tool(name = "one")]
    fn two(&self) {}
}

struct Lent<'a>(&'a str);

#[mcp_server]
impl<'a: 'static> Lent<'a> {
    #[cfg_attr(any(), mcp_tool)]
    fn length(text: &'a str) -> usize {
        text.len()
    }
}

#[mcp_server]
mod tools {
    #[cfg(any())]
    #[mcp_prompt(name = 5)]
    fn never(&self) {}
}

fn main() {
    assert_eq!(Weather.no_tool("text"), 4);
    assert_eq!(Lent::length("four"), 4);
    Weather.one();
    let _ = McpServer::default().mount((Weather, tools::server {}));
}
