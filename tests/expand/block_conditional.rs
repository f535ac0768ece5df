#[mcp_server]
impl Weather {
    /// On Unix.
    #[cfg(unix)]
    #[mcp_tool]
    fn on_unix(&self) {}

    /// A tool under a condition.
    #[cfg_attr(feature = "tools", mcp_tool(read_only), inline)]
    fn helper(&self) {}
}
