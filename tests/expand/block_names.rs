#[mcp_server(name = "weather")]
impl api::Weather<'static> {
    /// Forecast.
    #[mcp_tool(name = "look-ahead")]
    fn forecast(&self) {}

    #[mcp_resource(uri = "weather://now", name = "now")]
    fn current(&self) -> String {
        String::new()
    }

    #[cfg(unix)]
    #[mcp_resource(uri = "weather://{city}")]
    fn of(&self, city: String) -> String {
        city
    }

    #[mcp_prompt]
    fn packing(&self) -> String {
        String::new()
    }
}
