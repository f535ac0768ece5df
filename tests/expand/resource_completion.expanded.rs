#[allow(clippy::needless_pass_by_value)]
fn now(city: String, unit: Unit) -> String {
    format!("{city} {unit}")
}
#[doc(hidden)]
#[allow(
    missing_copy_implementations,
    missing_debug_implementations,
    clippy::exhaustive_enums
)]
enum now {}
#[doc(hidden)]
impl ::mcp_runtime::__private::ResourceItem for now {
    const PART: &'static ::core::primitive::str = "the function `now`";
    const RESOURCE: ::mcp_runtime::__private::Resource<()> = ::mcp_runtime::__private::Resource::new(
        "weather://{city}/{unit}",
        const {
            &[
                ::mcp_runtime::__private::Segment::Literal("weather://"),
                ::mcp_runtime::__private::Segment::Variable("city"),
                ::mcp_runtime::__private::Segment::Literal("/"),
                ::mcp_runtime::__private::Segment::Variable("unit"),
            ]
        },
        "now",
        |_, mut __call| {
            let __returns = __call.returns::<String>();
            let mut __arguments = __call
                .arguments(const {
                    &[
                        ::mcp_runtime::__private::Parameter::new("city")
                            .complete(|__request| ::std::boxed::Box::pin(async move {
                                ::mcp_runtime::__private::completions(
                                        cities(__request.take()),
                                    )
                                    .await
                            })),
                        ::mcp_runtime::__private::Parameter::new("unit"),
                    ]
                });
            let __a0 = __arguments.take::<String, _>(0usize);
            let __a1 = __arguments.take::<Unit, _>(1usize);
            __arguments
                .suggest(1usize, ::mcp_runtime::__private::type_of(&__a1).values());
            let (
                ::mcp_runtime::__private::Some(__a0),
                ::mcp_runtime::__private::Some(__a1),
                true,
            ) = (__a0, __a1, __arguments.finish()) else {
                return __arguments.refuse();
            };
            __returns.now(move || now(__a0, __a1))
        },
    );
}
