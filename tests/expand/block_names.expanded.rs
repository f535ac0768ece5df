impl api::Weather<'static> {
    /// Forecast.
    fn forecast(&self) {}
    fn current(&self) -> String {
        String::new()
    }
    #[cfg(unix)]
    #[allow(clippy::needless_pass_by_value)]
    fn of(&self, city: String) -> String {
        city
    }
    fn packing(&self) -> String {
        String::new()
    }
    /// The server that these functions make.
    #[must_use]
    pub fn into_server(self) -> ::mcp_runtime::__private::McpServer {
        ::mcp_runtime::__private::Part::assemble::<()>(self)
    }
}
#[doc(hidden)]
impl ::mcp_runtime::__private::Part for api::Weather<'static> {
    const NAMES: &'static ::mcp_runtime::__private::Names = &::mcp_runtime::__private::Names::of(
            "`Weather`",
        )
        .tools(&["look-ahead"])
        .resources(
            &["now", #[cfg(unix)] "of"],
            &["weather://now", #[cfg(unix)] "weather://{city}"],
        )
        .prompts(&["packing"]);
    fn assemble<__M>(self) -> ::mcp_runtime::__private::McpServer {
        ::mcp_runtime::__private::McpServer::from_definition(
            ::mcp_runtime::__private::share(self),
            ::mcp_runtime::__private::Definition {
                part: "`Weather`",
                server: ::mcp_runtime::__private::Server::new(
                    "weather",
                    ::core::env!("CARGO_PKG_VERSION"),
                ),
                tools: const {
                    &[
                        ::mcp_runtime::__private::Tool::new(
                            "look-ahead",
                            "Forecast.",
                            |__server, mut __call| {
                                let __returns = __call.returns::<()>();
                                let __arguments = __call.arguments(const { &[] });
                                if !__arguments.finish() {
                                    return __arguments.refuse();
                                }
                                __returns.now(move || Self::forecast(__server))
                            },
                        ),
                    ]
                },
                resources: const {
                    &[
                        ::mcp_runtime::__private::Resource::new(
                            "weather://now",
                            const {
                                &[
                                    ::mcp_runtime::__private::Segment::Literal("weather://now"),
                                ]
                            },
                            "now",
                            |__server, mut __call| {
                                let __returns = __call.returns::<String>();
                                let __arguments = __call.arguments(const { &[] });
                                if !__arguments.finish() {
                                    return __arguments.refuse();
                                }
                                __returns.now(move || Self::current(__server))
                            },
                        ),
                        #[cfg(unix)]
                        ::mcp_runtime::__private::Resource::new(
                            "weather://{city}",
                            const {
                                &[
                                    ::mcp_runtime::__private::Segment::Literal("weather://"),
                                    ::mcp_runtime::__private::Segment::Variable("city"),
                                ]
                            },
                            "of",
                            |__server, mut __call| {
                                let __returns = __call.returns::<String>();
                                let mut __arguments = __call
                                    .arguments(const {
                                        &[::mcp_runtime::__private::Parameter::new("city")]
                                    });
                                let __a0 = __arguments.take::<String, _>(0usize);
                                __arguments
                                    .suggest(
                                        0usize,
                                        ::mcp_runtime::__private::type_of(&__a0).values(),
                                    );
                                let (::mcp_runtime::__private::Some(__a0), true) = (
                                    __a0,
                                    __arguments.finish(),
                                ) else {
                                    return __arguments.refuse();
                                };
                                __returns.now(move || Self::of(__server, __a0))
                            },
                        ),
                    ]
                },
                prompts: const {
                    &[
                        ::mcp_runtime::__private::Prompt::new(
                            "packing",
                            |__server, mut __call| {
                                let __returns = __call.returns::<String>();
                                let __arguments = __call.arguments(const { &[] });
                                if !__arguments.finish() {
                                    return __arguments.refuse();
                                }
                                __returns.now(move || Self::packing(__server))
                            },
                        ),
                    ]
                },
            },
        )
    }
}
