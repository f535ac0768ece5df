/// Forecast for a city.
#[allow(clippy::needless_pass_by_value)]
async fn forecast(city: String) -> String {
    city
}
#[doc(hidden)]
#[allow(
    missing_copy_implementations,
    missing_debug_implementations,
    clippy::exhaustive_enums
)]
enum forecast {}
#[doc(hidden)]
impl ::renamed::__private::ToolItem for forecast {
    const PART: &'static ::core::primitive::str = "the function `forecast`";
    const TOOL: ::renamed::__private::Tool<()> = ::renamed::__private::Tool::new(
        "forecast",
        "Forecast for a city.",
        |_, mut __call| {
            let __returns = __call.returns::<String>();
            let mut __arguments = __call
                .arguments(const {
                    &[
                        ::renamed::__private::Parameter::new("city")
                            .has_default(true)
                            .default_json("\"Paris\""),
                    ]
                });
            let __a0 = __arguments
                .argument_or::<
                    String,
                    _,
                >(0usize, || ::core::convert::Into::into("Paris"));
            let (::renamed::__private::Some(__a0), true) = (__a0, __arguments.finish())
            else {
                return __arguments.refuse();
            };
            ::renamed::__private::later(async move {
                __returns.convert(forecast(__a0).await)
            })
        },
    );
}
impl Weather {
    #[allow(clippy::needless_pass_by_value)]
    fn current(&self, city: String, context: Context) -> String {
        city
    }
    #[allow(clippy::needless_pass_by_value)]
    fn packing(self: Arc<Self>, city: String) -> String {
        city
    }
    /// The server that these functions make.
    #[must_use]
    pub fn into_server(self) -> crate::renamed::__private::McpServer {
        crate::renamed::__private::Part::assemble::<()>(self)
    }
}
#[doc(hidden)]
impl crate::renamed::__private::Part for Weather {
    const NAMES: &'static crate::renamed::__private::Names = &crate::renamed::__private::Names::of(
            "`Weather`",
        )
        .resources(&["current"], &["weather://{city}"])
        .prompts(&["packing"]);
    fn assemble<__M>(self) -> crate::renamed::__private::McpServer {
        crate::renamed::__private::McpServer::from_definition(
            crate::renamed::__private::share(self),
            crate::renamed::__private::Definition {
                part: "`Weather`",
                server: crate::renamed::__private::Server::new(
                    ::core::env!("CARGO_PKG_NAME"),
                    ::core::env!("CARGO_PKG_VERSION"),
                ),
                tools: const { &[] },
                resources: const {
                    &[
                        {
                            mod __parameters {
                                pub enum context {}
                            }
                            crate::renamed::__private::Resource::new(
                                    "weather://{city}",
                                    const {
                                        &[
                                            crate::renamed::__private::Segment::Literal("weather://"),
                                            crate::renamed::__private::Segment::Variable("city"),
                                        ]
                                    },
                                    "current",
                                    |__server, mut __call| {
                                        let __returns = __call.returns::<String>();
                                        let mut __arguments = __call
                                            .arguments(const {
                                                &[
                                                    crate::renamed::__private::Parameter::new("city"),
                                                    crate::renamed::__private::Parameter::new("context"),
                                                ]
                                            });
                                        let __a0 = __arguments.take::<String, _>(0usize);
                                        let __a1 = __arguments
                                            .extract::<Context, __parameters::context>(1usize);
                                        __arguments
                                            .suggest(
                                                0usize,
                                                crate::renamed::__private::type_of(&__a0).values(),
                                            );
                                        let (
                                            crate::renamed::__private::Some(__a0),
                                            crate::renamed::__private::Some(__a1),
                                            true,
                                        ) = (__a0, __a1, __arguments.finish()) else {
                                            return __arguments.refuse();
                                        };
                                        __returns.now(move || Self::current(__server, __a0, __a1))
                                    },
                                )
                                .audience(&[crate::renamed::__private::Role::User])
                        },
                    ]
                },
                prompts: const {
                    &[
                        crate::renamed::__private::Prompt::new(
                            "packing",
                            |__server, mut __call| {
                                let __returns = __call.returns::<String>();
                                let mut __arguments = __call
                                    .arguments(const {
                                        &[
                                            crate::renamed::__private::Parameter::new("city")
                                                .complete(|__request| ::std::boxed::Box::pin(async move {
                                                    crate::renamed::__private::completions(
                                                            cities(__request.take()),
                                                        )
                                                        .await
                                                })),
                                        ]
                                    });
                                let __a0 = __arguments.argument::<String, _>(0usize);
                                let (crate::renamed::__private::Some(__a0), true) = (
                                    __a0,
                                    __arguments.finish(),
                                ) else {
                                    return __arguments.refuse();
                                };
                                let __server = crate::renamed::__private::receive::<
                                    Arc<Self>,
                                    _,
                                >(__server);
                                __returns.now(move || Self::packing(__server, __a0))
                            },
                        ),
                    ]
                },
            },
        )
    }
}
::core::compile_error! {
    "unknown key `titel` of `#[mcp_tool]`; did you mean `title`?"
}
/// Mistaken.
fn mistaken() {}
#[doc(hidden)]
#[allow(
    missing_copy_implementations,
    missing_debug_implementations,
    clippy::exhaustive_enums
)]
enum mistaken {}
#[doc(hidden)]
impl ::renamed::__private::ToolItem for mistaken {
    const PART: &'static ::core::primitive::str = "the function `mistaken`";
    const TOOL: ::renamed::__private::Tool<()> = ::renamed::__private::Tool::new(
        "",
        "",
        |_, _| ::renamed::__private::Step::Described,
    );
}
