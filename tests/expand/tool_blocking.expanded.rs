/// Computes.
#[allow(clippy::needless_pass_by_value)]
fn compute(n: u64) -> u64 {
    n
}
#[doc(hidden)]
#[allow(
    missing_copy_implementations,
    missing_debug_implementations,
    clippy::exhaustive_enums
)]
enum compute {}
#[doc(hidden)]
impl ::mcp_runtime::__private::ToolItem for compute {
    const PART: &'static ::core::primitive::str = "the function `compute`";
    const TOOL: ::mcp_runtime::__private::Tool<()> = ::mcp_runtime::__private::Tool::new(
            "compute",
            "Computes.",
            |_, mut __call| {
                let __returns = __call.returns::<u64>();
                let mut __arguments = __call
                    .arguments(const {
                        &[::mcp_runtime::__private::Parameter::new("n")]
                    });
                let __a0 = __arguments.take::<u64, _>(0usize);
                let (::mcp_runtime::__private::Some(__a0), true) = (
                    __a0,
                    __arguments.finish(),
                ) else {
                    return __arguments.refuse();
                };
                __returns.blocking(move || compute(__a0))
            },
        )
        .timeout_millis(120000u64);
}
