#[mcp_server]
impl<'a> Weather<'a> {
    /// Forecast.
    #[mcp_tool]
    fn forecast(&'a self) -> String {
        self.0.to_owned()
    }
}
