/// The newest observation.
#[allow(clippy::needless_pass_by_value)]
async fn current(
    city: String,
    rest: Option<String>,
) -> Result<Json<Observation>, ResourceError> {
    observe(city, rest).await
}
#[doc(hidden)]
#[allow(
    missing_copy_implementations,
    missing_debug_implementations,
    clippy::exhaustive_enums
)]
enum current {}
#[doc(hidden)]
impl ::mcp_runtime::__private::ResourceItem for current {
    const PART: &'static ::core::primitive::str = "the function `current`";
    const RESOURCE: ::mcp_runtime::__private::Resource<()> = ::mcp_runtime::__private::Resource::new(
            "weather://{city}/{+rest}",
            const {
                &[
                    ::mcp_runtime::__private::Segment::Literal("weather://"),
                    ::mcp_runtime::__private::Segment::Variable("city"),
                    ::mcp_runtime::__private::Segment::Literal("/"),
                    ::mcp_runtime::__private::Segment::Reserved("rest"),
                ]
            },
            "current",
            |_, mut __call| {
                let __t = ::mcp_runtime::__private::Said::by_signature();
                if false {
                    ::mcp_runtime::__private::Said::is_output_of(
                        &__t,
                        current(
                            ::mcp_runtime::__private::never_called(),
                            ::mcp_runtime::__private::never_called(),
                        ),
                    );
                }
                let __returns = __call.returns_as(&__t);
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
                            ::mcp_runtime::__private::Parameter::new("rest"),
                        ]
                    });
                let __a0 = __arguments.take::<String, _>(0usize);
                let __a1 = __arguments.take::<Option<String>, _>(1usize);
                __arguments
                    .suggest(1usize, ::mcp_runtime::__private::type_of(&__a1).values());
                let (
                    ::mcp_runtime::__private::Some(__a0),
                    ::mcp_runtime::__private::Some(__a1),
                    true,
                ) = (__a0, __a1, __arguments.finish()) else {
                    return __arguments.refuse();
                };
                ::mcp_runtime::__private::later(async move {
                    __returns.convert(current(__a0, __a1).await)
                })
            },
        )
        .description("The newest observation.")
        .mime_type("application/json")
        .audience(
            &[
                ::mcp_runtime::__private::Role::User,
                ::mcp_runtime::__private::Role::Assistant,
            ],
        )
        .priority(0.5f64)
        .ttl_millis(300000u64)
        .public_cache(false);
}
