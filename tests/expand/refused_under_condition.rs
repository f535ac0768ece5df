#[mcp_server]
impl Weather {
    #[cfg(feature = "old")]
    #[cfg_attr(unix, mcp_tool(nmae = "f"))]
    fn forecast<T>(&self, city: T) {}
}
