use mcp_runtime::prelude::*;

macro_rules! forecast {
    () => {
        /// Forecast.
        #[mcp_tool]
        fn forecast() {}
    };
}

#[mcp_server]
mod weather {
    use mcp_runtime::prelude::*;

    forecast!();
}

fn main() {}
