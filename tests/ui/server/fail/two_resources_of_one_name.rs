use mcp_runtime::prelude::*;

struct Weather;

#[mcp_server]
impl Weather {
    #[mcp_resource(uri = "a://1")]
    fn one(&self) -> String {
        String::new()
    }

    #[mcp_resource(uri = "a://2", name = "one")]
    fn two(&self) -> String {
        String::new()
    }
}

fn main() {
    let _ = Weather.into_server();
}
