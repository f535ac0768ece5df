/// Adds.
#[must_use]
#[inline(always)]
#[track_caller]
#[tracing::instrument(skip_all)]
#[doc(alias = "plus")]
#[allow(clippy::needless_pass_by_value)]
pub(in crate::sums) async fn add(mut a: i64, #[expect(unused)] b: i64) -> Result<i64>
where
    i64: Copy,
{
    a += b;
    Ok(a)
}
#[doc(hidden)]
#[allow(
    missing_copy_implementations,
    missing_debug_implementations,
    clippy::exhaustive_enums
)]
pub(in crate::sums) enum add {}
#[doc(hidden)]
impl ::mcp_runtime::__private::ToolItem for add {
    const PART: &'static ::core::primitive::str = "the function `add`";
    const TOOL: ::mcp_runtime::__private::Tool<()> = ::mcp_runtime::__private::Tool::new(
        "add",
        "Adds.",
        |_, mut __call| {
            let __t = ::mcp_runtime::__private::Said::by_signature();
            if false {
                ::mcp_runtime::__private::Said::is_output_of(
                    &__t,
                    add(
                        ::mcp_runtime::__private::never_called(),
                        ::mcp_runtime::__private::never_called(),
                    ),
                );
            }
            let __returns = __call.returns_as(&__t);
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
            ::mcp_runtime::__private::later(async move {
                __returns.convert(add(__a0, __a1).await)
            })
        },
    );
}
