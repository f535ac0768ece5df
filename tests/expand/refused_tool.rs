#[mcp_tool]
fn add(
    /// The first.
    a: i64,
    #[mcp(default = 3)] b: i64,
) -> i64 {
    a + b
}
