use mcp_runtime::prelude::*;

struct Weather;

#[mcp_server]
impl Weather {
    /// Forecast for a city.
    #[mcp_tool]
    fn forecast(self: Box<Self>, city: String) -> String {
        city
    }
}

fn main() {
    let _ = Weather.into_server();
}
