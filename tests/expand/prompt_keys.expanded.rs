fn ask() -> String {
    String::new()
}
#[doc(hidden)]
#[allow(
    missing_copy_implementations,
    missing_debug_implementations,
    clippy::exhaustive_enums
)]
enum ask {}
#[doc(hidden)]
impl ::mcp_runtime::__private::PromptItem for ask {
    const PART: &'static ::core::primitive::str = "the function `ask`";
    const PROMPT: ::mcp_runtime::__private::Prompt<()> = ::mcp_runtime::__private::Prompt::new(
            "ask-for",
            |_, mut __call| {
                let __returns = __call.returns::<String>();
                let __arguments = __call.arguments(const { &[] });
                if !__arguments.finish() {
                    return __arguments.refuse();
                }
                __returns.now(move || ask())
            },
        )
        .description("Asks")
        .title("Ask")
        .scopes(&["ask"])
        .icons(&["https://example.com/a.png"]);
}
