/// Weather for travellers.
impl Weather {
    const DAYS: u8 = 7;
    /// Forecast for a city.
    #[allow(clippy::needless_pass_by_value)]
    fn forecast(&self, city: String) -> String {
        city
    }
    /// Forecast for a city, later.
    #[allow(clippy::needless_pass_by_value)]
    async fn later(&self, city: String) -> String {
        city
    }
    /// Forecast for a city, at leisure.
    #[allow(clippy::needless_pass_by_value)]
    fn leisurely(self: Arc<Self>, city: String) -> String {
        city
    }
    /// Forecast for a city, wherever it is.
    fn anywhere() {}
    fn here(&self) -> String {
        String::new()
    }
    fn packing(&self) -> String {
        String::new()
    }
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
        .tools(&["forecast", "later", "leisurely", "anywhere"])
        .resources(&["here"], &["weather://here"])
        .prompts(&["packing"]);
    fn assemble<__M>(self) -> ::mcp_runtime::__private::McpServer {
        ::mcp_runtime::__private::McpServer::from_definition(
            ::mcp_runtime::__private::share(self),
            ::mcp_runtime::__private::Definition {
                part: "`Weather`",
                server: ::mcp_runtime::__private::Server::new("weather", "1.0.0")
                    .instructions("Weather for travellers.")
                    .transport("sse")
                    .auth("jwt")
                    .port(8080u16)
                    .cors(&["https://example.com"]),
                tools: const {
                    &[
                        ::mcp_runtime::__private::Tool::new(
                            "forecast",
                            "Forecast for a city.",
                            |__server, mut __call| {
                                let __returns = __call.returns::<String>();
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
                                __returns.now(move || Self::forecast(__server, __a0))
                            },
                        ),
                        ::mcp_runtime::__private::Tool::new(
                            "later",
                            "Forecast for a city, later.",
                            |__server, mut __call| {
                                let __returns = __call.returns::<String>();
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
                                    __returns.convert(Self::later(&__server, __a0).await)
                                })
                            },
                        ),
                        ::mcp_runtime::__private::Tool::new(
                            "leisurely",
                            "Forecast for a city, at leisure.",
                            |__server, mut __call| {
                                let __returns = __call.returns::<String>();
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
                                let __server = ::mcp_runtime::__private::receive::<
                                    Arc<Self>,
                                    _,
                                >(__server);
                                __returns.blocking(move || Self::leisurely(__server, __a0))
                            },
                        ),
                        ::mcp_runtime::__private::Tool::new(
                            "anywhere",
                            "Forecast for a city, wherever it is.",
                            |_, mut __call| {
                                let __returns = __call.returns::<()>();
                                let __arguments = __call.arguments(const { &[] });
                                if !__arguments.finish() {
                                    return __arguments.refuse();
                                }
                                __returns.now(move || Self::anywhere())
                            },
                        ),
                    ]
                },
                resources: const {
                    &[
                        ::mcp_runtime::__private::Resource::new(
                            "weather://here",
                            const {
                                &[
                                    ::mcp_runtime::__private::Segment::Literal("weather://here"),
                                ]
                            },
                            "here",
                            |__server, mut __call| {
                                let __returns = __call.returns::<String>();
                                let __arguments = __call.arguments(const { &[] });
                                if !__arguments.finish() {
                                    return __arguments.refuse();
                                }
                                __returns.now(move || Self::here(__server))
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
