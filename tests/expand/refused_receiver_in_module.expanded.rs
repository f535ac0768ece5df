mod tools {
    /// Adds.
    #[allow(clippy::needless_pass_by_value)]
    #[allow(unused_variables, unused_mut)]
    pub async fn add(a: i64) -> i64 {
        ::core::unreachable!()
    }
    /// The server that these functions make.
    #[must_use]
    pub fn server() -> ::mcp_runtime::__private::McpServer {
        ::mcp_runtime::__private::Part::assemble::<()>(server {})
    }
    #[doc(hidden)]
    #[allow(
        missing_copy_implementations,
        missing_debug_implementations,
        clippy::exhaustive_structs
    )]
    pub struct server {}
    #[doc(hidden)]
    impl ::mcp_runtime::__private::Part for server {
        const NAMES: &'static ::mcp_runtime::__private::Names = &::mcp_runtime::__private::Names::of(
            "`tools`",
        );
        fn assemble<__M>(self) -> ::mcp_runtime::__private::McpServer {
            ::mcp_runtime::__private::McpServer::from_definition(
                ::mcp_runtime::__private::Arc::new(()),
                ::mcp_runtime::__private::Definition {
                    part: "`tools`",
                    server: ::mcp_runtime::__private::Server::new(
                        ::core::env!("CARGO_PKG_NAME"),
                        ::core::env!("CARGO_PKG_VERSION"),
                    ),
                    tools: const { &[] },
                    resources: const { &[] },
                    prompts: const { &[] },
                },
            )
        }
    }
}
::core::compile_error! {
    "a function in a module has no `self`; put `#[mcp_server]` on an `impl` block, or take the state as `State<T>`"
}
