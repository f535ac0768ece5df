/// Explains.
#[allow(clippy::needless_pass_by_value)]
async fn explain(
    expression: String,
    level: Option<u8>,
    context: Context,
) -> Result<Vec<PromptMessage>, PromptError> {
    explained(expression, level, context).await
}
#[doc(hidden)]
#[allow(
    missing_copy_implementations,
    missing_debug_implementations,
    clippy::exhaustive_enums
)]
enum explain {}
#[doc(hidden)]
impl ::mcp_runtime::__private::PromptItem for explain {
    const PART: &'static ::core::primitive::str = "the function `explain`";
    const PROMPT: ::mcp_runtime::__private::Prompt<()> = ::mcp_runtime::__private::Prompt::new(
            "explain",
            |_, mut __call| {
                let __t = ::mcp_runtime::__private::Said::by_signature();
                if false {
                    ::mcp_runtime::__private::Said::is_output_of(
                        &__t,
                        explain(
                            ::mcp_runtime::__private::never_called(),
                            ::mcp_runtime::__private::never_called(),
                            ::mcp_runtime::__private::never_called(),
                        ),
                    );
                }
                let __returns = __call.returns_as(&__t);
                let mut __arguments = __call
                    .arguments(const {
                        &[
                            ::mcp_runtime::__private::Parameter::new("expression"),
                            ::mcp_runtime::__private::Parameter::new("level"),
                            ::mcp_runtime::__private::Parameter::new("context"),
                        ]
                    });
                let __a0 = __arguments.take::<String, _>(0usize);
                let __a1 = __arguments.take::<Option<u8>, _>(1usize);
                let __a2 = __arguments.take::<Context, _>(2usize);
                __arguments
                    .suggest(0usize, ::mcp_runtime::__private::type_of(&__a0).values());
                __arguments
                    .suggest(1usize, ::mcp_runtime::__private::type_of(&__a1).values());
                __arguments
                    .suggest(2usize, ::mcp_runtime::__private::type_of(&__a2).values());
                let (
                    ::mcp_runtime::__private::Some(__a0),
                    ::mcp_runtime::__private::Some(__a1),
                    ::mcp_runtime::__private::Some(__a2),
                    true,
                ) = (__a0, __a1, __a2, __arguments.finish()) else {
                    return __arguments.refuse();
                };
                ::mcp_runtime::__private::later(async move {
                    __returns.convert(explain(__a0, __a1, __a2).await)
                })
            },
        )
        .description("Explains.");
}
