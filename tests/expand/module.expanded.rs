/// Calculates.
mod calculator {
    //! Sums only.
    use std::ops::Add;
    /// Adds two numbers.
    #[allow(clippy::needless_pass_by_value)]
    fn add(a: i64, b: i64) -> i64 {
        a.add(b)
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
                "`calculator`",
            )
            .tools(&["add"]);
        fn assemble<__M>(self) -> ::mcp_runtime::__private::McpServer {
            ::mcp_runtime::__private::McpServer::from_definition(
                ::mcp_runtime::__private::Arc::new(()),
                ::mcp_runtime::__private::Definition {
                    part: "`calculator`",
                    server: ::mcp_runtime::__private::Server::new(
                            ::core::env!("CARGO_PKG_NAME"),
                            ::core::env!("CARGO_PKG_VERSION"),
                        )
                        .instructions("Calculates."),
                    tools: const {
                        &[
                            ::mcp_runtime::__private::Tool::new(
                                "add",
                                "Adds two numbers.",
                                |_, mut __call| {
                                    let __returns = __call.returns::<i64>();
                                    let mut __arguments = __call
                                        .arguments(const {
                                            &[
                                                ::mcp_runtime::__private::Parameter::new("a"),
                                                ::mcp_runtime::__private::Parameter::new("b"),
                                            ]
                                        });
                                    let __a0 = __arguments.take::<i64, _>(0usize);
                                    let __a1 = __arguments.take::<i64, _>(1usize);
                                    let (
                                        ::mcp_runtime::__private::Some(__a0),
                                        ::mcp_runtime::__private::Some(__a1),
                                        true,
                                    ) = (__a0, __a1, __arguments.finish()) else {
                                        return __arguments.refuse();
                                    };
                                    __returns.now(move || add(__a0, __a1))
                                },
                            ),
                        ]
                    },
                    resources: const { &[] },
                    prompts: const { &[] },
                },
            )
        }
    }
}
