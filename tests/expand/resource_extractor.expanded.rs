#[allow(clippy::needless_pass_by_value)]
fn stations(context: Context, names: State<Names>) -> String {
    names.join(context)
}
#[doc(hidden)]
#[allow(
    missing_copy_implementations,
    missing_debug_implementations,
    clippy::exhaustive_enums
)]
enum stations {}
#[doc(hidden)]
impl ::mcp_runtime::__private::ResourceItem for stations {
    const PART: &'static ::core::primitive::str = "the function `stations`";
    const RESOURCE: ::mcp_runtime::__private::Resource<()> = {
        mod __parameters {
            pub enum context {}
            pub enum names {}
        }
        ::mcp_runtime::__private::Resource::new(
            "weather://stations",
            const {
                &[::mcp_runtime::__private::Segment::Literal("weather://stations")]
            },
            "stations",
            |_, mut __call| {
                let __t1 = ::mcp_runtime::__private::Said::by_signature();
                if false {
                    let _ = stations(
                        ::mcp_runtime::__private::never_called(),
                        ::mcp_runtime::__private::Said::value(&__t1),
                    );
                }
                let __returns = __call.returns::<String>();
                let mut __arguments = __call
                    .arguments(const {
                        &[
                            ::mcp_runtime::__private::Parameter::new("context"),
                            ::mcp_runtime::__private::Parameter::new("names"),
                        ]
                    });
                let __a0 = __arguments.extract::<Context, __parameters::context>(0usize);
                let __a1 = __arguments
                    .extract_as::<_, __parameters::names>(1usize, &__t1);
                let (
                    ::mcp_runtime::__private::Some(__a0),
                    ::mcp_runtime::__private::Some(__a1),
                    true,
                ) = (__a0, __a1, __arguments.finish()) else {
                    return __arguments.refuse();
                };
                __returns.now(move || stations(__a0, __a1))
            },
        )
    };
}
