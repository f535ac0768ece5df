use mcp_runtime::prelude::*;

struct Weather;

#[mcp_server(transport = "websocket")]
impl Weather {
    #[mcp_tool]
    fn forecast(&self, city: String) -> String {
        city
    }

    #[mcp_resource(uri = "weather://{city}")]
    fn current(&self) -> String {
        String::new()
    }

    #[mcp_prompt(tilte = "Packing")]
    fn packing(&self, city: &str) -> String {
        city.to_owned()
    }

    /// Works.
    #[mcp_tool]
    fn works(&self) {}
}

fn main() {
    let weather = Weather;
    weather.forecast(weather.current());
    weather.packing("");
    weather.works();
    let _ = weather.into_server();
}
