use mcp_runtime::prelude::*;

struct Weather;

#[mcp_server(port = 80800)]
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
