//! A macro by example may emit lone functions, whole blocks and whole modules.
#![deny(warnings)]

use mcp_runtime::prelude::*;

macro_rules! constant {
    ($name:ident: $ty:ty = $value:expr, $doc:literal, $named:literal) => {
        #[doc = $doc]
        #[mcp_tool(name = $named, title = $doc)]
        fn $name(#[mcp(default = $value, description = $doc)] instead: $ty) -> $ty {
            instead
        }
    };
}

constant!(two: u8 = 2, "The number two.", "number-two");
constant!(half: f64 = 0.5, "A half.", "half");

macro_rules! server {
    ($ty:ident { $($name:ident($($argument:ident: $of:ty),*))* }) => {
        struct $ty;

        #[mcp_server(name = "generated")]
        impl $ty {
            $(
                /// Generated.
                #[mcp_tool]
                fn $name(&self, $($argument: $of),*) -> String {
                    let mut text = String::new();
                    $(text.push_str(&$argument.to_string());)*
                    text
                }
            )*
        }
    };
}

server!(Generated { one(a: i64) both(a: i64, b: String) });

macro_rules! module {
    ($name:ident, $tool:ident) => {
        #[mcp_server]
        mod $name {
            /// Generated.
            #[mcp_tool]
            pub fn $tool(a: i64) -> i64 {
                a
            }
        }
    };
}

module!(generated, same);

fn main() {
    assert_eq!(two(5), 5);
    assert!(half(1.0) > 0.5);
    assert_eq!(Generated.one(5) + &Generated.both(1, "x".to_owned()), "51x");
    assert_eq!(generated::same(5), 5);
    let _server = McpServer::default().tool::<two>().tool::<half>();
    let _ = (Generated.into_server(), generated::server());
}
