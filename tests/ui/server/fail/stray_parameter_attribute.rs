use mcp_runtime::prelude::*;

struct Weather;

#[mcp_server]
impl Weather {
    fn forecast(&self, #[mcp(minimum = 1)] days: u8) -> u8 {
        days
    }
}

fn main() {}
