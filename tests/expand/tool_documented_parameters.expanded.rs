/// Forecast.
#[allow(clippy::needless_pass_by_value)]
fn forecast(city: String, #[allow(unused)] days: u8, unit: Unit) {}
#[doc(hidden)]
#[allow(
    missing_copy_implementations,
    missing_debug_implementations,
    clippy::exhaustive_enums
)]
enum forecast {}
#[doc(hidden)]
impl ::mcp_runtime::__private::ToolItem for forecast {
    const PART: &'static ::core::primitive::str = "the function `forecast`";
    const TOOL: ::mcp_runtime::__private::Tool<()> = ::mcp_runtime::__private::Tool::new(
        "forecast",
        "Forecast.",
        |_, mut __call| {
            let __returns = __call.returns::<()>();
            let mut __arguments = __call
                .arguments(const {
                    &[
                        ::mcp_runtime::__private::Parameter::new("city")
                            .description("The city"),
                        ::mcp_runtime::__private::Parameter::new("days")
                            .description("Days ahead"),
                        ::mcp_runtime::__private::Parameter::new("unit")
                            .description(::core::concat!(include_str!("unit.md"), "\n")),
                    ]
                });
            let __a0 = __arguments.take::<String, _>(0usize);
            let __a1 = __arguments.take::<u8, _>(1usize);
            let __a2 = __arguments.take::<Unit, _>(2usize);
            let (
                ::mcp_runtime::__private::Some(__a0),
                ::mcp_runtime::__private::Some(__a1),
                ::mcp_runtime::__private::Some(__a2),
                true,
            ) = (__a0, __a1, __a2, __arguments.finish()) else {
                return __arguments.refuse();
            };
            __returns.now(move || forecast(__a0, __a1, __a2))
        },
    );
}
