#[mcp_server]
impl Weather {
    /// By reference.
    #[mcp_tool]
    fn by_reference(&self) {}

    /// By reference, later.
    #[mcp_tool]
    async fn by_reference_later<'a>(&'a self, city: String) {}

    /// Shared.
    #[mcp_tool]
    async fn shared(self: Arc<Self>) {}

    /// By reference to what is shared, on another thread.
    #[mcp_tool(blocking)]
    fn by_reference_to_shared(self: &Arc<Self>) {}

    /// Without any.
    #[mcp_tool]
    fn none() {}
}
