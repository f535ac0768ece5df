/// Adds two numbers.
#[mcp_tool]
pub(crate) fn add(
    /// The first.
    a: i64,
    b: i64,
) -> i64 {
    a + b
}
