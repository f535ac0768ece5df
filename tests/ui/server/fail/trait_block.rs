use mcp_runtime::prelude::*;

struct Weather;

trait Forecast {
    fn forecast(&self, city: String) -> String;
}

#[mcp_server]
impl Forecast for Weather {
    /// Forecast for a city.
    #[mcp_tool]
    fn forecast(&self, city: String) -> String {
        city
    }
}

fn main() {
    let _ = Weather.into_server();
}
