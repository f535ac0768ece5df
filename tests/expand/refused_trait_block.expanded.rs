impl<T> Iterator for Store<T>
where
    T: Clone,
{
    type Item = T;
    fn next(&mut self) -> Option<T> {
        None
    }
}
impl<T> Store<T>
where
    T: Clone,
{
    /// The server that these functions make.
    #[must_use]
    pub fn into_server(self) -> ::mcp_runtime::__private::McpServer {
        ::mcp_runtime::__private::Part::assemble::<()>(self)
    }
}
#[doc(hidden)]
impl<T> ::mcp_runtime::__private::Part for Store<T>
where
    T: Clone,
{
    const NAMES: &'static ::mcp_runtime::__private::Names = &::mcp_runtime::__private::Names::of(
        "`Store`",
    );
    fn assemble<__M>(self) -> ::mcp_runtime::__private::McpServer {
        ::mcp_runtime::__private::McpServer::from_definition(
            ::mcp_runtime::__private::share(self),
            ::mcp_runtime::__private::Definition {
                part: "`Store`",
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
::core::compile_error! {
    "`#[mcp_server]` goes on a block of the type's own functions; move them to `impl Type { … }`"
}
