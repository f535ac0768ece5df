fn table() -> &'static str {
    "a,b"
}
#[doc(hidden)]
#[allow(
    missing_copy_implementations,
    missing_debug_implementations,
    clippy::exhaustive_enums
)]
enum table {}
#[doc(hidden)]
impl ::mcp_runtime::__private::ResourceItem for table {
    const PART: &'static ::core::primitive::str = "the function `table`";
    const RESOURCE: ::mcp_runtime::__private::Resource<()> = ::mcp_runtime::__private::Resource::new(
            "data://table",
            const { &[::mcp_runtime::__private::Segment::Literal("data://table")] },
            "table of all",
            |_, mut __call| {
                let __returns = __call.returns::<&'static str>();
                let __arguments = __call.arguments(const { &[] });
                if !__arguments.finish() {
                    return __arguments.refuse();
                }
                __returns.now(move || table())
            },
        )
        .description(TABLE)
        .title("Table")
        .scopes(&["read"])
        .icons(&["data:image/png;base64,AA=="])
        .mime_type("text/csv")
        .size(3u64)
        .audience(
            &[
                ::mcp_runtime::__private::Role::User,
                ::mcp_runtime::__private::Role::Assistant,
            ],
        )
        .priority(0.5f64)
        .ttl_millis(300000u64)
        .public_cache(false);
}
