/// Reports.
#[allow(clippy::needless_pass_by_value)]
async fn report(context: Context) {}
#[doc(hidden)]
#[allow(
    missing_copy_implementations,
    missing_debug_implementations,
    clippy::exhaustive_enums
)]
enum report {}
#[doc(hidden)]
impl ::mcp_runtime::__private::ToolItem for report {
    const PART: &'static ::core::primitive::str = "the function `report`";
    const TOOL: ::mcp_runtime::__private::Tool<()> = ::mcp_runtime::__private::Tool::new(
            "report",
            "Reports.",
            |_, mut __call| {
                let __returns = __call.returns::<()>();
                let mut __arguments = __call
                    .arguments(const {
                        &[::mcp_runtime::__private::Parameter::new("context")]
                    });
                let __a0 = __arguments.take::<Context, _>(0usize);
                let (::mcp_runtime::__private::Some(__a0), true) = (
                    __a0,
                    __arguments.finish(),
                ) else {
                    return __arguments.refuse();
                };
                ::mcp_runtime::__private::later(async move {
                    __returns.convert(report(__a0).await)
                })
            },
        )
        .task_required(true);
}
