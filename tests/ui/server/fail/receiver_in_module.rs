use mcp_runtime::prelude::*;

#[mcp_server]
mod tools {
    /// Adds.
    #[mcp_tool]
    pub fn add(&self, a: i64) -> i64 {
        self.sum + a
    }
}

fn main() {
    let _ = (tools::server(), tools::add(1));
}
