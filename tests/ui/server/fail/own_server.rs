use mcp_runtime::prelude::*;

#[mcp_server]
mod weather {
    /// Who serves.
    #[mcp_tool]
    pub fn server() -> String {
        String::new()
    }
}

fn main() {
    weather::server();
}
