use mcp_runtime::prelude::*;

struct Weather;

#[mcp_server]
impl Weather {
    /// First.
    #[mcp_prompt]
    fn first(&self) -> String {
        String::new()
    }

    #[mcp_prompt(name = "first")]
    fn second(&self) -> String {
        String::new()
    }
}

fn main() {
    let _ = Weather.into_server();
}
