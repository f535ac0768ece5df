#[mcp_server]
mod tools {
    /// Adds.
    #[mcp_tool]
    pub async fn add(&self, #[mcp(minimum = 1)] a: i64) -> i64 {
        self.sum + a
    }
}
