/// Was there before.
#[deprecated = "use `new`"]
#[allow(clippy::needless_pass_by_value)]
fn old(text: String) {}
#[doc(hidden)]
#[allow(
    missing_copy_implementations,
    missing_debug_implementations,
    clippy::exhaustive_enums
)]
enum old {}
#[doc(hidden)]
impl ::mcp_runtime::__private::ToolItem for old {
    const PART: &'static ::core::primitive::str = "the function `old`";
    const TOOL: ::mcp_runtime::__private::Tool<()> = ::mcp_runtime::__private::Tool::new(
        "old",
        "Was there before.",
        |_, mut __call| {
            let __returns = __call.returns::<()>();
            let mut __arguments = __call
                .arguments(const {
                    &[::mcp_runtime::__private::Parameter::new("text")]
                });
            let __a0 = __arguments.take::<String, _>(0usize);
            let (::mcp_runtime::__private::Some(__a0), true) = (
                __a0,
                __arguments.finish(),
            ) else {
                return __arguments.refuse();
            };
            __returns
                .now(move || {
                    #[allow(deprecated)]
                    let __called = old(__a0);
                    __called
                })
        },
    );
}
