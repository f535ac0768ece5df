use mcp_runtime::prelude::*;

struct Weather<'a>(&'a str);

#[mcp_server]
impl Weather<'_> {
    /// Forecast.
    #[mcp_tool]
    fn forecast(&self) -> String {
        self.0.to_owned()
    }
}

fn main() {
    let weather = Weather("rain");
    weather.forecast();
    let _ = weather.into_server();
}
