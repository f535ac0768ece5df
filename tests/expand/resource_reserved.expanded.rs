#[allow(clippy::needless_pass_by_value)]
fn file(place: PathBuf, version: u32) -> Result<String, ResourceError> {
    read(place, version)
}
#[doc(hidden)]
#[allow(
    missing_copy_implementations,
    missing_debug_implementations,
    clippy::exhaustive_enums
)]
enum file {}
#[doc(hidden)]
impl ::mcp_runtime::__private::ResourceItem for file {
    const PART: &'static ::core::primitive::str = "the function `file`";
    const RESOURCE: ::mcp_runtime::__private::Resource<()> = ::mcp_runtime::__private::Resource::new(
        "file:///{+path}/v{version}.txt",
        const {
            &[
                ::mcp_runtime::__private::Segment::Literal("file:///"),
                ::mcp_runtime::__private::Segment::Reserved("path"),
                ::mcp_runtime::__private::Segment::Literal("/v"),
                ::mcp_runtime::__private::Segment::Variable("version"),
                ::mcp_runtime::__private::Segment::Literal(".txt"),
            ]
        },
        "file",
        |_, mut __call| {
            let __t = ::mcp_runtime::__private::Said::by_signature();
            if false {
                ::mcp_runtime::__private::Said::is_of(
                    &__t,
                    file(
                        ::mcp_runtime::__private::never_called(),
                        ::mcp_runtime::__private::never_called(),
                    ),
                );
            }
            let __returns = __call.returns_as(&__t);
            let mut __arguments = __call
                .arguments(const {
                    &[
                        ::mcp_runtime::__private::Parameter::new("path"),
                        ::mcp_runtime::__private::Parameter::new("version"),
                    ]
                });
            let __a0 = __arguments.take::<PathBuf, _>(0usize);
            let __a1 = __arguments.take::<u32, _>(1usize);
            __arguments
                .suggest(0usize, ::mcp_runtime::__private::type_of(&__a0).values());
            __arguments
                .suggest(1usize, ::mcp_runtime::__private::type_of(&__a1).values());
            let (
                ::mcp_runtime::__private::Some(__a0),
                ::mcp_runtime::__private::Some(__a1),
                true,
            ) = (__a0, __a1, __arguments.finish()) else {
                return __arguments.refuse();
            };
            __returns.now(move || file(__a0, __a1))
        },
    );
}
