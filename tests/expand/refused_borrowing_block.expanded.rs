impl<'a> Weather<'a> {
    /// Forecast.
    fn forecast(&'a self) -> String {
        self.0.to_owned()
    }
    /// The server that these functions make.
    #[must_use]
    pub fn into_server(self) -> ::mcp_runtime::__private::McpServer {
        ::mcp_runtime::__private::Part::assemble::<()>(self)
    }
}
#[doc(hidden)]
impl<'a> ::mcp_runtime::__private::Part for Weather<'a> {
    const NAMES: &'static ::mcp_runtime::__private::Names = &::mcp_runtime::__private::Names::of(
        "`Weather`",
    );
    fn assemble<__M>(self) -> ::mcp_runtime::__private::McpServer {
        ::core::unreachable!()
    }
}
::core::compile_error! {
    "a server outlives whatever it borrows, since calls come at any time; write the type with `'static`, or let the server own what it needs"
}
