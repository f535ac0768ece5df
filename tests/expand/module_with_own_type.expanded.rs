pub(crate) mod api {
    use crate::{client, server};
    /// Who is there.
    pub fn who() -> String {
        server::NAME.to_owned()
    }
    /// The server that these functions make.
    #[must_use]
    pub fn server() -> ::mcp_runtime::__private::McpServer {
        ::mcp_runtime::__private::McpServer::from_definition(
            ::mcp_runtime::__private::Arc::new(()),
            ::mcp_runtime::__private::Definition {
                part: "`api`",
                server: ::mcp_runtime::__private::Server::new(
                    ::core::env!("CARGO_PKG_NAME"),
                    ::core::env!("CARGO_PKG_VERSION"),
                ),
                tools: const {
                    &[
                        ::mcp_runtime::__private::Tool::new(
                            "who",
                            "Who is there.",
                            |_, mut __call| {
                                let __returns = __call.returns::<String>();
                                let __arguments = __call.arguments(const { &[] });
                                if !__arguments.finish() {
                                    return __arguments.refuse();
                                }
                                __returns.now(move || who())
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
