//! `crate = …` names the runtime by any path, for all items of a block or a module.
#![deny(warnings)]

pub mod framework {
    pub use mcp_runtime as runtime;
}

pub struct Weather;

#[framework::runtime::mcp_server(crate = crate::framework::runtime)]
impl Weather {
    /// Forecast.
    #[mcp_tool]
    async fn forecast(&self, #[mcp(default = "Paris")] city: String) -> String {
        city
    }

    #[mcp_resource(uri = "weather://{city}")]
    fn current(&self, city: String, _context: framework::runtime::Context) -> String {
        city
    }

    #[mcp_prompt]
    fn packing(&self, #[mcp(complete = cities)] city: String) -> String {
        city
    }
}

fn cities(_begin: &str) -> Vec<String> {
    Vec::new()
}

/// Adds.
#[framework::runtime::mcp_tool(crate = crate::framework::runtime)]
fn add(a: i64, b: i64) -> i64 {
    a + b
}

fn main() {
    assert_eq!(Weather.packing(String::new()) + &Weather.current("x".to_owned(), unreachable()), "x");
}

fn unreachable() -> framework::runtime::Context {
    let _ = (Weather.into_server(), framework::runtime::McpServer::default().tool::<add>(), add(1, 2));
    std::process::exit(0)
}
