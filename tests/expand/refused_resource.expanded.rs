::core::compile_error! {
    "an argument comes from the wire and cannot be borrowed; take `String`"
}
::core::compile_error! {
    "`minimum` has no meaning here: the variables of a template are always there and have no schema; remove it, and let the type's `FromStr` check the text"
}
::core::compile_error! {
    "a `{` without its `}`; close the variable, or write %7B"
}
#[allow(clippy::needless_pass_by_value)]
pub fn now(city: &str) -> String {
    city.to_owned()
}
#[doc(hidden)]
#[allow(
    missing_copy_implementations,
    missing_debug_implementations,
    clippy::exhaustive_enums
)]
pub enum now {}
#[doc(hidden)]
impl ::mcp_runtime::__private::ResourceItem for now {
    const PART: &'static ::core::primitive::str = "the function `now`";
    const RESOURCE: ::mcp_runtime::__private::Resource<()> = ::mcp_runtime::__private::Resource::new(
        "",
        &[],
        "",
        |_, _| ::mcp_runtime::__private::Step::Described,
    );
}
