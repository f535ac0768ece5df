impl Weather {
    /// By reference.
    fn by_reference(&self) {}
    /// By reference, later.
    #[allow(clippy::needless_pass_by_value)]
    async fn by_reference_later<'a>(&'a self, city: String) {}
    /// Shared.
    async fn shared(self: Arc<Self>) {}
    /// By reference to what is shared, on another thread.
    fn by_reference_to_shared(self: &Arc<Self>) {}
    /// Without any.
    fn none() {}
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
        .tools(
            &[
                "by_reference",
                "by_reference_later",
                "shared",
                "by_reference_to_shared",
                "none",
            ],
        );
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
                            "by_reference",
                            "By reference.",
                            |__server, mut __call| {
                                let __returns = __call.returns::<()>();
                                let __arguments = __call.arguments(const { &[] });
                                if !__arguments.finish() {
                                    return __arguments.refuse();
                                }
                                __returns.now(move || Self::by_reference(__server))
                            },
                        ),
                        ::mcp_runtime::__private::Tool::new(
                            "by_reference_later",
                            "By reference, later.",
                            |__server, mut __call| {
                                let __returns = __call.returns::<()>();
                                let mut __arguments = __call
                                    .arguments(const {
                                        &[::mcp_runtime::__private::Parameter::new("city")]
                                    });
                                let __a0 = __arguments.take::<String, _>(0usize);
                                let (::mcp_runtime::__private::Some(__a0), true) = (
                                    __a0,
                                    __arguments.finish(),
                                ) else {
                                    return __arguments.refuse();
                                };
                                let __server = ::mcp_runtime::__private::Arc::clone(
                                    __server,
                                );
                                ::mcp_runtime::__private::later(async move {
                                    __returns
                                        .convert(Self::by_reference_later(&__server, __a0).await)
                                })
                            },
                        ),
                        ::mcp_runtime::__private::Tool::new(
                            "shared",
                            "Shared.",
                            |__server, mut __call| {
                                let __returns = __call.returns::<()>();
                                let __arguments = __call.arguments(const { &[] });
                                if !__arguments.finish() {
                                    return __arguments.refuse();
                                }
                                let __server = ::mcp_runtime::__private::receive::<
                                    Arc<Self>,
                                    _,
                                >(__server);
                                ::mcp_runtime::__private::later(async move {
                                    __returns.convert(Self::shared(__server).await)
                                })
                            },
                        ),
                        ::mcp_runtime::__private::Tool::new(
                            "by_reference_to_shared",
                            "By reference to what is shared, on another thread.",
                            |__server, mut __call| {
                                let __returns = __call.returns::<()>();
                                let __arguments = __call.arguments(const { &[] });
                                if !__arguments.finish() {
                                    return __arguments.refuse();
                                }
                                let __server = ::mcp_runtime::__private::Arc::clone(
                                    __server,
                                );
                                __returns
                                    .blocking(move || Self::by_reference_to_shared(&__server))
                            },
                        ),
                        ::mcp_runtime::__private::Tool::new(
                            "none",
                            "Without any.",
                            |_, mut __call| {
                                let __returns = __call.returns::<()>();
                                let __arguments = __call.arguments(const { &[] });
                                if !__arguments.finish() {
                                    return __arguments.refuse();
                                }
                                __returns.now(move || Self::none())
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
