#![allow(unused_variables)]

use mcp_runtime::prelude::*;

struct Weather;

#[mcp_server(crate = nowhere::runtime)]
impl Weather {
    /// Forecast.
    #[mcp_tool]
    fn forecast(&self, #[mcp(default = 3)] days: u8) {}

    #[mcp_resource(uri = "weather://{city}")]
    fn now(&self, city: String) -> String {
        city
    }
}

fn main() {
    let _ = Weather.into_server();
}
