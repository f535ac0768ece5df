/// Computes.
#[mcp_tool(blocking, timeout = "2m")]
fn compute(n: u64) -> u64 {
    n
}
