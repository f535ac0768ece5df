/// Forecast for a city.
#[mcp_tool(crate = ::renamed)]
async fn forecast(#[mcp(default = "Paris")] city: String) -> String {
    city
}

#[mcp_server(crate = crate::renamed)]
impl Weather {
    #[mcp_resource(uri = "weather://{city}", annotations(audience = ["user"]))]
    fn current(&self, city: String, context: Context) -> String {
        city
    }

    #[mcp_prompt]
    fn packing(self: Arc<Self>, #[mcp(complete = cities)] city: String) -> String {
        city
    }
}

/// Mistaken.
#[mcp_tool(crate = ::renamed, titel = "Mistaken")]
fn mistaken() {}
