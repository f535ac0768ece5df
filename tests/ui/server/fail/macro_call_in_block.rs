use mcp_runtime::prelude::*;

struct Weather;

#[allow(unused_macros)]
macro_rules! forecast {
    () => {
        /// Forecast.
        #[mcp_tool]
        fn forecast(&self) {}
    };
}

#[mcp_server]
impl Weather {
    forecast!();
}

fn main() {}
