//! A block's type may be an enum, a tuple struct, a path, an instance of a generic type.
#![deny(warnings)]

use mcp_runtime::prelude::*;

enum Unit {
    Metric,
}

#[mcp_server]
impl Unit {
    /// Its name.
    #[mcp_tool]
    fn unit(&self) -> &'static str {
        match self {
            Self::Metric => "metric",
        }
    }
}

mod inner {
    pub(crate) struct Pair<T>(pub(crate) T, pub(crate) T);
}

#[mcp_server]
impl inner::Pair<u8> {
    /// The first.
    #[mcp_tool]
    fn first(&self) -> u8 {
        self.0
    }
}

#[mcp_server]
impl self::inner::Pair<String> {
    /// The second.
    #[mcp_tool]
    fn second(&self) -> String {
        self.1.clone()
    }
}

fn main() {
    assert_eq!(Unit::Metric.unit(), "metric");
    let texts = inner::Pair("a".to_owned(), "b".to_owned());
    assert_eq!((inner::Pair(1, 2).first(), texts.second().as_str()), (1, "b"));
    let _server = McpServer::default().mount((Unit::Metric, inner::Pair(1_u8, 2), texts));
}
