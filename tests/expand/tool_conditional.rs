/// Adds.
#[mcp_tool]
#[cfg(feature = "sums")]
pub fn add(a: i64, b: i64) -> i64 {
    a + b
}
