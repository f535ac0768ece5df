#[allow(clippy::needless_pass_by_value)]
fn packing(city: String, days: Days) -> String {
    format!("{city} {days}")
}
#[doc(hidden)]
#[allow(
    missing_copy_implementations,
    missing_debug_implementations,
    clippy::exhaustive_enums
)]
enum packing {}
#[doc(hidden)]
impl ::mcp_runtime::__private::PromptItem for packing {
    const PART: &'static ::core::primitive::str = "the function `packing`";
    const PROMPT: ::mcp_runtime::__private::Prompt<()> = ::mcp_runtime::__private::Prompt::new(
        "packing",
        |_, mut __call| {
            let __t1 = ::mcp_runtime::__private::Said::by_signature();
            if false {
                let _ = packing(
                    ::mcp_runtime::__private::never_called(),
                    ::mcp_runtime::__private::Said::value(&__t1),
                );
            }
            let __returns = __call.returns::<String>();
            let mut __arguments = __call
                .arguments(const {
                    &[
                        ::mcp_runtime::__private::Parameter::new("city")
                            .complete(|__request| ::std::boxed::Box::pin(async move {
                                ::mcp_runtime::__private::completions(
                                        words::cities(__request.take()),
                                    )
                                    .await
                            })),
                        ::mcp_runtime::__private::Parameter::new("days")
                            .has_default(true),
                    ]
                });
            let __a0 = __arguments.argument::<String, _>(0usize);
            let __a1 = __arguments
                .argument_or_as(1usize, || ::core::convert::Into::into("3"), &__t1);
            __arguments
                .suggest(1usize, ::mcp_runtime::__private::type_of(&__a1).values());
            let (
                ::mcp_runtime::__private::Some(__a0),
                ::mcp_runtime::__private::Some(__a1),
                true,
            ) = (__a0, __a1, __arguments.finish()) else {
                return __arguments.refuse();
            };
            __returns.now(move || packing(__a0, __a1))
        },
    );
}
