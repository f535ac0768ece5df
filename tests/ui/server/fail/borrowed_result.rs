use mcp_runtime::prelude::*;

struct Weather {
    city: String,
}

#[mcp_server]
impl Weather {
    /// Where it is.
    #[mcp_tool]
    fn city(&self) -> Option<&str> {
        Some(&self.city)
    }
}

fn main() {}
