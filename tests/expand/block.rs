/// Weather for travellers.
#[mcp_server(name = "weather", version = "1.0.0", transport = "sse", auth = "jwt", port = 8080, cors = ["https://example.com"])]
impl Weather {
    const DAYS: u8 = 7;

    /// Forecast for a city.
    #[mcp_tool]
    fn forecast(&self, city: String) -> String {
        city
    }

    /// Forecast for a city, later.
    #[mcp_tool]
    async fn later(&self, city: String) -> String {
        city
    }

    /// Forecast for a city, at leisure.
    #[mcp_tool(blocking)]
    fn leisurely(self: Arc<Self>, city: String) -> String {
        city
    }

    /// Forecast for a city, wherever it is.
    #[mcp_tool]
    fn anywhere() {}

    #[mcp_resource(uri = "weather://here")]
    fn here(&self) -> String {
        String::new()
    }

    #[mcp_prompt]
    fn packing(&self) -> String {
        String::new()
    }

    fn helper(&self) {}
}
