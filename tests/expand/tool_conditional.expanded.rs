/// Adds.
#[cfg(feature = "sums")]
#[allow(clippy::needless_pass_by_value)]
pub fn add(a: i64, b: i64) -> i64 {
    a + b
}
#[cfg(feature = "sums")]
#[doc(hidden)]
#[allow(
    missing_copy_implementations,
    missing_debug_implementations,
    clippy::exhaustive_enums
)]
pub enum add {}
#[cfg(feature = "sums")]
#[doc(hidden)]
impl ::mcp_runtime::__private::ToolItem for add {
    const PART: &'static ::core::primitive::str = "the function `add`";
    const TOOL: ::mcp_runtime::__private::Tool<()> = ::mcp_runtime::__private::Tool::new(
        "add",
        "Adds.",
        |_, mut __call| {
            let __returns = __call.returns::<i64>();
            let mut __arguments = __call
                .arguments(const {
                    &[
                        ::mcp_runtime::__private::Parameter::new("a"),
                        ::mcp_runtime::__private::Parameter::new("b"),
                    ]
                });
            let __a0 = __arguments.take::<i64, _>(0usize);
            let __a1 = __arguments.take::<i64, _>(1usize);
            let (
                ::mcp_runtime::__private::Some(__a0),
                ::mcp_runtime::__private::Some(__a1),
                true,
            ) = (__a0, __a1, __arguments.finish()) else {
                return __arguments.refuse();
            };
            __returns.now(move || add(__a0, __a1))
        },
    );
}
