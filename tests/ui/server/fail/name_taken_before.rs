use mcp_runtime::prelude::*;

#[mcp_server]
mod weather {
    /// Forecast for a city.
    #[mcp_tool(name = "outlook")]
    fn forecast(city: String) -> String {
        city
    }

    /// Outlook for a city.
    #[mcp_tool]
    fn outlook(city: String) -> String {
        city
    }
}

fn main() {
    let _ = weather::server();
}
