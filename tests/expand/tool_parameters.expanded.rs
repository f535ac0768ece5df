/// Takes all sorts.
#[allow(clippy::needless_pass_by_value)]
fn take(
    days: u8,
    offset: i64,
    ratio: f32,
    distance: f64,
    host: String,
    unit: Unit,
    mut r#type: Vec<String>,
    page: Page,
) {}
#[doc(hidden)]
#[allow(
    missing_copy_implementations,
    missing_debug_implementations,
    clippy::exhaustive_enums
)]
enum take {}
#[doc(hidden)]
impl ::mcp_runtime::__private::ToolItem for take {
    const PART: &'static ::core::primitive::str = "the function `take`";
    const TOOL: ::mcp_runtime::__private::Tool<()> = ::mcp_runtime::__private::Tool::new(
        "take",
        "Takes all sorts.",
        |_, mut __call| {
            let __t5 = ::mcp_runtime::__private::Said::by_signature();
            if false {
                let _ = take(
                    ::mcp_runtime::__private::never_called(),
                    ::mcp_runtime::__private::never_called(),
                    ::mcp_runtime::__private::never_called(),
                    ::mcp_runtime::__private::never_called(),
                    ::mcp_runtime::__private::never_called(),
                    ::mcp_runtime::__private::Said::value(&__t5),
                    ::mcp_runtime::__private::never_called(),
                    ::mcp_runtime::__private::never_called(),
                );
            }
            let __returns = __call.returns::<()>();
            let mut __arguments = __call
                .arguments(const {
                    &[
                        ::mcp_runtime::__private::Parameter::new("daysAhead")
                            .description("Days")
                            .has_default(true)
                            .default_json("3")
                            .minimum(1f64)
                            .maximum(7f64)
                            .header("Days"),
                        ::mcp_runtime::__private::Parameter::new("offset")
                            .has_default(true)
                            .default_json("-5")
                            .exclusive_minimum(-10f64)
                            .exclusive_maximum(1000f64),
                        ::mcp_runtime::__private::Parameter::new("ratio")
                            .has_default(true)
                            .default_json("3"),
                        ::mcp_runtime::__private::Parameter::new("distance")
                            .has_default(true),
                        ::mcp_runtime::__private::Parameter::new("host")
                            .has_default(true)
                            .default_json("\"a\\\"b\"")
                            .min_length(1u64)
                            .max_length(9u64)
                            .pattern(".")
                            .format("hostname"),
                        ::mcp_runtime::__private::Parameter::new("unit")
                            .has_default(true),
                        ::mcp_runtime::__private::Parameter::new("type")
                            .min_items(1u64)
                            .max_items(3u64),
                        ::mcp_runtime::__private::Parameter::new("page").flatten(true),
                    ]
                });
            let __a0 = __arguments.argument_or::<u8, _>(0usize, || 3);
            let __a1 = __arguments.argument_or::<i64, _>(1usize, || -5);
            let __a2 = __arguments.argument_or::<f32, _>(2usize, || 3.0);
            let __a3 = __arguments.argument_or::<f64, _>(3usize, || far());
            let __a4 = __arguments
                .argument_or::<
                    String,
                    _,
                >(4usize, || ::core::convert::Into::into("a\"b"));
            let __a5 = __arguments
                .argument_or_as(5usize, || ::core::default::Default::default(), &__t5);
            let __a6 = __arguments.argument::<Vec<String>, _>(6usize);
            let __a7 = __arguments.argument::<Page, _>(7usize);
            let (
                ::mcp_runtime::__private::Some(__a0),
                ::mcp_runtime::__private::Some(__a1),
                ::mcp_runtime::__private::Some(__a2),
                ::mcp_runtime::__private::Some(__a3),
                ::mcp_runtime::__private::Some(__a4),
                ::mcp_runtime::__private::Some(__a5),
                ::mcp_runtime::__private::Some(__a6),
                ::mcp_runtime::__private::Some(__a7),
                true,
            ) = (__a0, __a1, __a2, __a3, __a4, __a5, __a6, __a7, __arguments.finish())
            else {
                return __arguments.refuse();
            };
            __returns.now(move || take(__a0, __a1, __a2, __a3, __a4, __a5, __a6, __a7))
        },
    );
}
