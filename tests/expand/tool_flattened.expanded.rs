/// Shows a page.
#[allow(clippy::needless_pass_by_value)]
fn show(name: String, page: Page) -> Json<Page> {
    Json(page)
}
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
        "Shows a page.",
        |_, mut __call| {
            let __t = ::mcp_runtime::__private::Said::by_signature();
            if false {
                ::mcp_runtime::__private::Said::is_of(
                    &__t,
                    show(
                        ::mcp_runtime::__private::never_called(),
                        ::mcp_runtime::__private::never_called(),
                    ),
                );
            }
            let __returns = __call.returns_as(&__t);
            let mut __arguments = __call
                .arguments(const {
                    &[
                        ::mcp_runtime::__private::Parameter::new("name"),
                        ::mcp_runtime::__private::Parameter::new("page").flatten(true),
                    ]
                });
            let __a0 = __arguments.take::<String, _>(0usize);
            let __a1 = __arguments.argument::<Page, _>(1usize);
            let (
                ::mcp_runtime::__private::Some(__a0),
                ::mcp_runtime::__private::Some(__a1),
                true,
            ) = (__a0, __a1, __arguments.finish()) else {
                return __arguments.refuse();
            };
            __returns.now(move || show(__a0, __a1))
        },
    );
}
