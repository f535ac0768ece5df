mod weather {
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
            "`weather`",
        );
        fn assemble<__M>(self) -> ::mcp_runtime::__private::McpServer {
            ::mcp_runtime::__private::McpServer::from_definition(
                ::mcp_runtime::__private::Arc::new(()),
                ::mcp_runtime::__private::Definition {
                    part: "`weather`",
                    server: ::mcp_runtime::__private::Server::new("weather", "1.0.0")
                        .title("Weather")
                        .description("The weather of the world")
                        .instructions("Ask for a city.")
                        .website_url("https://example.com")
                        .icons(&["https://example.com/sun.png"])
                        .full_schemas(true)
                        .transport("sse")
                        .auth("jwt")
                        .port(8080u16)
                        .endpoint("/events")
                        .message_endpoint("/messages")
                        .resumability(true)
                        .cors(&["https://app.example.com"]),
                    tools: const { &[] },
                    resources: const { &[] },
                    prompts: const { &[] },
                },
            )
        }
    }
}
