impl<T: Repository, const N: usize> Store<T, N>
where
    T: Clone,
{
    /// The value at an index.
    #[allow(clippy::needless_pass_by_value)]
    fn value(&self, index: usize) -> String {
        self.values[index].clone()
    }
    /// The server that these functions make.
    #[must_use]
    pub fn into_server(self) -> ::mcp_runtime::__private::McpServer {
        ::mcp_runtime::__private::Part::assemble::<()>(self)
    }
}
#[doc(hidden)]
impl<T: Repository, const N: usize> ::mcp_runtime::__private::Part for Store<T, N>
where
    T: Clone,
{
    const NAMES: &'static ::mcp_runtime::__private::Names = &::mcp_runtime::__private::Names::of(
            "`Store`",
        )
        .tools(&["value"]);
    fn assemble<__M>(self) -> ::mcp_runtime::__private::McpServer {
        ::mcp_runtime::__private::McpServer::from_definition(
            ::mcp_runtime::__private::share(self),
            ::mcp_runtime::__private::Definition {
                part: "`Store`",
                server: ::mcp_runtime::__private::Server::new(
                    ::core::env!("CARGO_PKG_NAME"),
                    ::core::env!("CARGO_PKG_VERSION"),
                ),
                tools: const {
                    &[
                        ::mcp_runtime::__private::Tool::new(
                            "value",
                            "The value at an index.",
                            |__server, mut __call| {
                                let __returns = __call.returns::<String>();
                                let mut __arguments = __call
                                    .arguments(const {
                                        &[::mcp_runtime::__private::Parameter::new("index")]
                                    });
                                let __a0 = __arguments.take::<usize, _>(0usize);
                                let (::mcp_runtime::__private::Some(__a0), true) = (
                                    __a0,
                                    __arguments.finish(),
                                ) else {
                                    return __arguments.refuse();
                                };
                                __returns.now(move || Self::value(__server, __a0))
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
