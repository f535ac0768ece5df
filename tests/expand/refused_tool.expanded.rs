::core::compile_error! {
    "a tool needs a description, by which models choose it; write a doc comment (`/// …`) above the function"
}
#[allow(clippy::needless_pass_by_value)]
fn add(a: i64, b: i64) -> i64 {
    a + b
}
#[doc(hidden)]
#[allow(
    missing_copy_implementations,
    missing_debug_implementations,
    clippy::exhaustive_enums
)]
enum add {}
#[doc(hidden)]
impl ::mcp_runtime::__private::ToolItem for add {
    const PART: &'static ::core::primitive::str = "the function `add`";
    const TOOL: ::mcp_runtime::__private::Tool<()> = ::mcp_runtime::__private::Tool::new(
        "",
        "",
        |_, _| ::mcp_runtime::__private::Step::Described,
    );
}
