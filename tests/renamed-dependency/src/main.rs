//! A server that calls `mcp-runtime` by another name.
#![deny(warnings, missing_docs, clippy::all, clippy::pedantic)]

use mcp::prelude::*;

struct Weather {
    country: &'static str,
}

/// Weather for travellers.
#[mcp_server(crate = ::mcp)]
impl Weather {
    /// Forecast for a city.
    #[mcp_tool]
    async fn forecast(&self, city: String, #[mcp(default = 3, maximum = 7)] days: u8) -> String {
        std::future::ready(format!("{city}, {}: {days} days of rain", self.country)).await
    }

    #[mcp_resource(uri = "weather://{city}")]
    fn current(&self, city: String, _context: Context) -> String {
        format!("{city}, {}", self.country)
    }

    #[mcp_prompt]
    fn packing(#[mcp(complete = cities)] city: String) -> String {
        city
    }
}

fn cities(begin: &str) -> Vec<String> {
    vec![begin.to_owned()]
}

/// Adds two numbers.
#[mcp_tool(crate = ::mcp)]
fn add(a: i64, b: i64) -> i64 {
    a + b
}

fn main() -> Result<(), Error> {
    Weather { country: "France" }.into_server().tool::<add>().run_blocking()
}
