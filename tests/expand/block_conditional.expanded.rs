impl Weather {
    /// On Unix.
    #[cfg(unix)]
    fn on_unix(&self) {}
    /// A tool under a condition.
    #[cfg_attr(feature = "tools", inline)]
    fn helper(&self) {}
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
        .tools(&[#[cfg(unix)] "on_unix", #[cfg(feature = "tools")] "helper"]);
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
                        #[cfg(unix)]
                        ::mcp_runtime::__private::Tool::new(
                            "on_unix",
                            "On Unix.",
                            |__server, mut __call| {
                                let __returns = __call.returns::<()>();
                                let __arguments = __call.arguments(const { &[] });
                                if !__arguments.finish() {
                                    return __arguments.refuse();
                                }
                                __returns.now(move || Self::on_unix(__server))
                            },
                        ),
                        #[cfg(feature = "tools")]
                        ::mcp_runtime::__private::Tool::new(
                                "helper",
                                "A tool under a condition.",
                                |__server, mut __call| {
                                    let __returns = __call.returns::<()>();
                                    let __arguments = __call.arguments(const { &[] });
                                    if !__arguments.finish() {
                                        return __arguments.refuse();
                                    }
                                    __returns.now(move || Self::helper(__server))
                                },
                            )
                            .read_only(true),
                    ]
                },
                resources: const { &[] },
                prompts: const { &[] },
            },
        )
    }
}
