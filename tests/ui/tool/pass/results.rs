//! All that a tool may return.
#![deny(warnings)]

use std::{borrow::Cow, fmt};

use mcp_runtime::{
    prelude::*,
    protocol::{CallToolResult, ContentBlock},
};

#[derive(Debug, PartialEq, serde::Serialize, schemars::JsonSchema)]
struct Point {
    x: i64,
}

struct Failure;

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("failed")
    }
}

macro_rules! tools {
    ($($name:ident: $ty:ty = $value:expr;)*) => {
        $(
            /// A result.
            #[mcp_tool]
            fn $name() -> $ty {
                $value
            }
        )*

        fn main() {
            let server = McpServer::default();
            $(
                let _ = $name();
                let server = server.tool::<$name>();
            )*
            drop(server);
        }
    };
}

tools! {
    unit: () = ();
    text: String = String::new();
    literal: &'static str = "";
    cow: Cow<'static, str> = Cow::Borrowed("");
    number: f64 = 1.5;
    flag: bool = true;
    structured: Json<Point> = Json(Point { x: 1 });
    block: ContentBlock = ContentBlock::text("");
    blocks: Vec<ContentBlock> = Vec::new();
    whole: CallToolResult = CallToolResult::default();
    fallible: Result<Json<Point>, ToolError> = Ok(Json(Point { x: 1 }));
    own_error: Result<(), Failure> = Err(Failure);
}
