//! A transport may come from the options, and the attribute's `auth` and `cors` wait for it.
#![deny(warnings)]

use mcp_runtime::{TransportOptions, prelude::*};

struct Weather;

#[mcp_server(auth = "jwt", cors = ["https://app.example.com"], port = 9000)]
impl Weather {
    /// Nothing.
    #[mcp_tool]
    fn nothing(&self) {}
}

#[mcp_server(transport = "sse", cors = ["*"])]
mod open {}

fn main() {
    Weather.nothing();
    assert!(matches!(Weather.into_server().options().transport, TransportOptions::Stdio));
    assert!(matches!(open::server().options().transport, TransportOptions::Sse(_)));
}
