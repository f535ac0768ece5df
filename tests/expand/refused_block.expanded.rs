impl Weather {
    /// Works.
    fn works(&self) {}
    /// Is refused.
    #[allow(clippy::needless_pass_by_value)]
    fn refused(&self, city: &str) {}
    /// The server that these functions make.
    #[must_use]
    pub fn into_server(self) -> ::mcp_runtime::__private::McpServer {
        ::mcp_runtime::__private::Part::assemble::<()>(self)
    }
}
#[doc(hidden)]
impl ::mcp_runtime::__private::Part for Weather {
    const NAMES: &'static ::mcp_runtime::__private::Names = &::mcp_runtime::__private::Names::of(
            "`Weather`",
        )
        .tools(&["works"]);
    fn assemble<__M>(self) -> ::mcp_runtime::__private::McpServer {
        ::mcp_runtime::__private::McpServer::from_definition(
            ::mcp_runtime::__private::share(self),
            ::mcp_runtime::__private::Definition {
                part: "`Weather`",
                server: ::mcp_runtime::__private::Server::new(
                    ::core::env!("CARGO_PKG_NAME"),
                    ::core::env!("CARGO_PKG_VERSION"),
                ),
                tools: const {
                    &[
                        ::mcp_runtime::__private::Tool::new(
                            "works",
                            "Works.",
                            |__server, mut __call| {
                                let __returns = __call.returns::<()>();
                                let __arguments = __call.arguments(const { &[] });
                                if !__arguments.finish() {
                                    return __arguments.refuse();
                                }
                                __returns.now(move || Self::works(__server))
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
::core::compile_error! {
    "unknown transport `websocket`; choose one of `stdio`, `sse` and `http-stream`"
}
::core::compile_error! {
    "what a macro makes here cannot be seen, so its tools would be lost; let the macro emit the whole block, or call it outside of the block"
}
::core::compile_error! {
    "an argument comes from the wire and cannot be borrowed; take `String`"
}
