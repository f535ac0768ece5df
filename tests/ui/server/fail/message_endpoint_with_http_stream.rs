use mcp_runtime::prelude::*;

struct Weather;

#[mcp_server(transport = "http-stream", message_endpoint = "/messages")]
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
