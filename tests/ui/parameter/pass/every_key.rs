//! Every key of a parameter, and doc comments on parameters.
#![deny(warnings)]

use mcp_runtime::prelude::*;

#[derive(Debug, Default, PartialEq, serde::Deserialize, schemars::JsonSchema)]
enum Unit {
    #[default]
    Metric,
    Imperial,
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Page {
    offset: usize,
}

fn far() -> f64 {
    7.5
}

/// Takes all sorts.
#[mcp_tool]
#[allow(clippy::too_many_arguments)]
fn take(
    /// The city, e.g. `Paris`.
    ///
    /// In any language.
    city: String,
    #[mcp(name = "daysAhead", description = "Days", default = 3, minimum = 1, maximum = 7, header = "Days")] days: u8,
    #[mcp(default = -5, exclusive_minimum = -10, exclusive_maximum = 1e3)] offset: i64,
    #[mcp(default = 3)] ratio: f32,
    #[mcp(default = far())] distance: f64,
    #[mcp(default = "abc", min_length = 1, max_length = 9, pattern = "^[a-z]+$", format = "hostname")] host: String,
    #[mcp(default = 'x')] letter: char,
    #[mcp(default = true)] flag: bool,
    #[mcp(default)] unit: Unit,
    #[mcp(default = Some(Unit::Imperial))] other: Option<Unit>,
    #[mcp(min_items = 1)]
    #[mcp(max_items = 3)]
    tags: Vec<String>,
    #[mcp(flatten)] page: Page,
    #[allow(unused_variables)] unused: Option<u8>,
) -> String {
    format!("{city}{days}{offset}{ratio}{distance}{host}{letter}{flag}{unit:?}{other:?}{tags:?}{}", page.offset)
}

fn main() {
    let page = Page { offset: 1 };
    let text = take(
        String::new(), 1, 2, 3.0, 4.0, String::new(), 'a', true, Unit::Metric, None, Vec::new(), page, None,
    );
    assert_eq!(text, "1234atrueMetricNone[]1");
    let _server = McpServer::default().tool::<take>();
}
