use mcp_runtime::prelude::*;

struct Weather;

#[mcp_server(cors = ["https://app.example.com"], transport = "stdio")]
impl Weather {
    /// Forecast for a city.
    #[mcp_tool]
    fn forecast(&self, city: String) -> String {
        city
    }
}

fn main() {
    let _ = Weather.into_server();
}
