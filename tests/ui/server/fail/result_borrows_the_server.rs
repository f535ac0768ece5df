use mcp_runtime::prelude::*;

struct Weather;

#[mcp_server]
impl Weather {
    /// Borrows.
    #[mcp_tool]
    fn run<'a>(&'a self) -> &'a str {
        "text"
    }
}

fn main() {
    let _ = Weather.into_server();
}
