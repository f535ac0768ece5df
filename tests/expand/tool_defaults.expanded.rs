/// Shows.
#[allow(clippy::needless_pass_by_value)]
fn show(
    own: Vec<u8>,
    constant: u8,
    call: Vec<String>,
    float: f64,
    negative: f32,
    text: String,
    some: Option<u8>,
) {}
#[doc(hidden)]
#[allow(
    missing_copy_implementations,
    missing_debug_implementations,
    clippy::exhaustive_enums
)]
enum show {}
#[doc(hidden)]
impl ::mcp_runtime::__private::ToolItem for show {
    const PART: &'static ::core::primitive::str = "the function `show`";
    const TOOL: ::mcp_runtime::__private::Tool<()> = ::mcp_runtime::__private::Tool::new(
        "show",
        "Shows.",
        |_, mut __call| {
            let __t0 = ::mcp_runtime::__private::Said::by_signature();
            let __t2 = ::mcp_runtime::__private::Said::by_signature();
            let __t6 = ::mcp_runtime::__private::Said::by_signature();
            if false {
                let _ = show(
                    ::mcp_runtime::__private::Said::value(&__t0),
                    ::mcp_runtime::__private::never_called(),
                    ::mcp_runtime::__private::Said::value(&__t2),
                    ::mcp_runtime::__private::never_called(),
                    ::mcp_runtime::__private::never_called(),
                    ::mcp_runtime::__private::never_called(),
                    ::mcp_runtime::__private::Said::value(&__t6),
                );
            }
            let __returns = __call.returns::<()>();
            let mut __arguments = __call
                .arguments(const {
                    &[
                        ::mcp_runtime::__private::Parameter::new("own")
                            .has_default(true),
                        ::mcp_runtime::__private::Parameter::new("constant")
                            .has_default(true),
                        ::mcp_runtime::__private::Parameter::new("call")
                            .has_default(true),
                        ::mcp_runtime::__private::Parameter::new("float")
                            .has_default(true)
                            .default_json("2"),
                        ::mcp_runtime::__private::Parameter::new("negative")
                            .has_default(true)
                            .default_json("-0.5"),
                        ::mcp_runtime::__private::Parameter::new("text")
                            .has_default(true)
                            .default_json("\"text\""),
                        ::mcp_runtime::__private::Parameter::new("some")
                            .has_default(true),
                    ]
                });
            let __a0 = __arguments
                .argument_or_as(0usize, || ::core::default::Default::default(), &__t0);
            let __a1 = __arguments.argument_or::<u8, _>(1usize, || DAYS);
            let __a2 = __arguments.argument_or_as(2usize, || tags(), &__t2);
            let __a3 = __arguments.argument_or::<f64, _>(3usize, || 2.0);
            let __a4 = __arguments.argument_or::<f32, _>(4usize, || -0.5);
            let __a5 = __arguments
                .argument_or::<
                    String,
                    _,
                >(5usize, || ::core::convert::Into::into("text"));
            let __a6 = __arguments.argument_or_as(6usize, || Some(3), &__t6);
            let (
                ::mcp_runtime::__private::Some(__a0),
                ::mcp_runtime::__private::Some(__a1),
                ::mcp_runtime::__private::Some(__a2),
                ::mcp_runtime::__private::Some(__a3),
                ::mcp_runtime::__private::Some(__a4),
                ::mcp_runtime::__private::Some(__a5),
                ::mcp_runtime::__private::Some(__a6),
                true,
            ) = (__a0, __a1, __a2, __a3, __a4, __a5, __a6, __arguments.finish()) else {
                return __arguments.refuse();
            };
            __returns.now(move || show(__a0, __a1, __a2, __a3, __a4, __a5, __a6))
        },
    );
}
