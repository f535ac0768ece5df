impl Weather {
    #[cfg(feature = "old")]
    #[allow(clippy::needless_pass_by_value)]
    fn forecast<T>(&self, city: T) {}
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
                tools: const { &[] },
                resources: const { &[] },
                prompts: const { &[] },
            },
        )
    }
}
#[cfg(feature = "old")]
#[cfg(unix)]
::core::compile_error! {
    "unknown key `nmae` of `#[mcp_tool]`; did you mean `name`?"
}
#[cfg(feature = "old")]
#[cfg(unix)]
::core::compile_error! {
    "a tool cannot be generic: clients see one schema, and no caller chooses the types; write them out"
}
#[cfg(feature = "old")]
#[cfg(unix)]
::core::compile_error! {
    "a tool needs a description, by which models choose it; write a doc comment (`/// …`) above the function"
}
