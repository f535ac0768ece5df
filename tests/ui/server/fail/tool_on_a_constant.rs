use mcp_runtime::prelude::*;

struct Weather;

#[mcp_server]
impl Weather {
    /// Forecast.
    #[mcp_tool]
    const FORECAST: &'static str = "rain";
}

fn main() {
    let _ = Weather::FORECAST;
    let _ = Weather.into_server();
}
