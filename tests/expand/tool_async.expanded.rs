/// Waits for a while.
#[allow(clippy::needless_pass_by_value)]
async fn wait(context: Context, millis: u64) -> Result<String, ToolError> {
    sleep(millis, context).await
}
#[doc(hidden)]
#[allow(
    missing_copy_implementations,
    missing_debug_implementations,
    clippy::exhaustive_enums
)]
enum wait {}
#[doc(hidden)]
impl ::mcp_runtime::__private::ToolItem for wait {
    const PART: &'static ::core::primitive::str = "the function `wait`";
    const TOOL: ::mcp_runtime::__private::Tool<()> = ::mcp_runtime::__private::Tool::new(
            "wait",
            "Waits for a while.",
            |_, mut __call| {
                let __t = ::mcp_runtime::__private::Said::by_signature();
                if false {
                    ::mcp_runtime::__private::Said::is_output_of(
                        &__t,
                        wait(
                            ::mcp_runtime::__private::never_called(),
                            ::mcp_runtime::__private::never_called(),
                        ),
                    );
                }
                let __returns = __call.returns_as(&__t);
                let mut __arguments = __call
                    .arguments(const {
                        &[
                            ::mcp_runtime::__private::Parameter::new("context"),
                            ::mcp_runtime::__private::Parameter::new("millis"),
                        ]
                    });
                let __a0 = __arguments.take::<Context, _>(0usize);
                let __a1 = __arguments.take::<u64, _>(1usize);
                let (
                    ::mcp_runtime::__private::Some(__a0),
                    ::mcp_runtime::__private::Some(__a1),
                    true,
                ) = (__a0, __a1, __arguments.finish()) else {
                    return __arguments.refuse();
                };
                ::mcp_runtime::__private::later(async move {
                    __returns.convert(wait(__a0, __a1).await)
                })
            },
        )
        .timeout_millis(30000u64);
}
