/// Calculates.
#[mcp_server]
mod calculator {
    //! Sums only.

    use std::ops::Add;

    /// Adds two numbers.
    #[mcp_tool]
    fn add(a: i64, b: i64) -> i64 {
        a.add(b)
    }
}
