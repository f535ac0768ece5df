//! Generated code gives no cause for any lint.
#![deny(
    warnings,
    missing_docs,
    missing_copy_implementations,
    missing_debug_implementations,
    non_camel_case_types,
    non_snake_case,
    single_use_lifetimes,
    trivial_casts,
    unreachable_pub,
    unsafe_code,
    unused_qualifications,
    unused_results,
    unused_lifetimes,
    unused_import_braces,
    rust_2018_idioms,
    rust_2021_compatibility,
    rust_2024_compatibility,
    elided_lifetimes_in_paths,
    explicit_outlives_requirements,
    variant_size_differences
)]

use mcp_runtime::{Part, prelude::*};

/// The weather.
#[derive(Clone, Copy, Debug)]
pub struct Weather;

#[mcp_server]
impl Weather {
    /// Forecast.
    #[mcp_tool]
    pub fn forecast(&self, city: String, #[mcp(default = 3)] days: u8) -> String {
        city.repeat(days.into())
    }

    /// Now.
    #[mcp_resource(uri = "weather://{city}")]
    pub async fn now(&self, city: String, context: Context) -> String {
        drop(context);
        std::future::ready(city).await
    }

    /// What to pack.
    #[mcp_prompt]
    pub fn packing(&self, city: Option<String>) -> String {
        city.unwrap_or_default()
    }
}

/// Sums.
#[mcp_server]
pub mod sums {
    /// Adds.
    #[mcp_tool]
    pub fn add(a: i64, b: i64) -> i64 {
        a + b
    }
}

/// Alone.
#[mcp_tool]
pub fn alone(text: String) -> String {
    text
}

// What a macro by example emits is linted like what is written by hand.
macro_rules! emitted {
    ($tool:ident, $module:ident) => {
        /// Emitted.
        #[mcp_tool]
        pub fn $tool(text: String) -> String {
            text
        }

        /// Emitted.
        #[mcp_server]
        pub mod $module {
            /// Emitted.
            #[mcp_tool]
            pub fn inner(text: String) -> String {
                text
            }
        }
    };
}

emitted!(lone, emitted);

/// All.
pub fn all() -> impl Part {
    (Weather, sums::server {}, emitted::server {}, McpServer::default().tool::<(alone, lone)>())
}

fn main() {
    let _server = McpServer::default().mount(all());
}
