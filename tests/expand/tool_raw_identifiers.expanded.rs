/// Matches.
#[allow(clippy::needless_pass_by_value)]
pub(crate) fn r#match(r#type: String, r#in: Context) -> String {
    r#type
}
#[doc(hidden)]
#[allow(
    missing_copy_implementations,
    missing_debug_implementations,
    clippy::exhaustive_enums
)]
pub(crate) enum r#match {}
#[doc(hidden)]
impl ::mcp_runtime::__private::ToolItem for r#match {
    const PART: &'static ::core::primitive::str = "the function `match`";
    const TOOL: ::mcp_runtime::__private::Tool<()> = ::mcp_runtime::__private::Tool::new(
        "match",
        "Matches.",
        |_, mut __call| {
            let __returns = __call.returns::<String>();
            let mut __arguments = __call
                .arguments(const {
                    &[
                        ::mcp_runtime::__private::Parameter::new("type"),
                        ::mcp_runtime::__private::Parameter::new("in"),
                    ]
                });
            let __a0 = __arguments.take::<String, _>(0usize);
            let __a1 = __arguments.take::<Context, _>(1usize);
            let (
                ::mcp_runtime::__private::Some(__a0),
                ::mcp_runtime::__private::Some(__a1),
                true,
            ) = (__a0, __a1, __arguments.finish()) else {
                return __arguments.refuse();
            };
            __returns.now(move || r#match(__a0, __a1))
        },
    );
}
