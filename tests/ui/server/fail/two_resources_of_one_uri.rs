use mcp_runtime::prelude::*;

struct Weather;

#[mcp_server]
impl Weather {
    #[mcp_resource(uri = "weather://here")]
    fn current(&self) -> String {
        String::new()
    }

    #[mcp_resource(uri = "weather://here")]
    fn now(&self) -> String {
        String::new()
    }
}

fn main() {}
