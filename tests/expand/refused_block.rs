#[mcp_server(transport = "websocket")]
impl Weather {
    /// Works.
    #[mcp_tool]
    fn works(&self) {}

    /// Is refused.
    #[mcp_tool]
    fn refused(&self, /** Where. */ city: &str) {}

    getters!();
}
