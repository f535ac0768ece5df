//! What the parameter of a function may be, by traits: how its type is described at registration, and how it is decoded on
//! a call.

use std::{
    fmt::{self, Display},
    str::FromStr,
};

use schemars::JsonSchema;
use serde::de::{DeserializeOwned, Deserializer, Visitor};
use serde_json::value::RawValue;

use super::{
    advertised::Advertised,
    bounds,
    context::{FromContext, Requirement, Scene},
    definition::Parameter,
    describe::{PromptDescription, ToolDescription, schema_of},
    lenient::lenient,
    misfits::Misfit,
    nearest::excerpt,
    patterns::Patterns,
    problem::{Problem, ValueType, explain},
};
use crate::protocol::read::Checked;

/// What may be the parameter of a tool: an argument, or something from the context.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a parameter of a tool",
    label = "neither an argument nor an extractor",
    note = "an argument derives `serde::Deserialize` and `schemars::JsonSchema`; both must be there, of the same major versions as this crate uses: serde 1, schemars 1",
    note = "an extractor is `Context`, `State<T>`, `Handle`, `Principal`, `Claims<T>` or a type of your own that implements `mcp_runtime::FromContext`; none is taken as an `Option`: where there may be no caller, `Context` has `context.principal()`",
    note = "in `State<T>`, `T` is `Clone + Send + Sync`, such as `Arc<Mutex<…>>`"
)]
pub trait ToolParameter<M>: Sized {
    /// Writes down the type's schema, or what it needs of the context.
    #[doc(hidden)]
    fn describe(parameter: &'static Parameter, description: &mut ToolDescription);

    /// Decodes the value.
    #[doc(hidden)]
    fn decode(source: ToolSource<'_>) -> Result<Self, Problem>;
}

/// What may be the parameter of a prompt: a text argument, or something from the context.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a parameter of a prompt",
    label = "not text-like",
    note = "the arguments of a prompt are text: `String`, a type that implements `std::str::FromStr`, or an `Option` of one",
    note = "an extractor is `Context`, `State<T>`, `Handle`, `Principal`, `Claims<T>` or a type of your own that implements `mcp_runtime::FromContext`; none is taken as an `Option`: where there may be no caller, `Context` has `context.principal()`",
    note = "in `State<T>`, `T` is `Clone + Send + Sync`, such as `Arc<Mutex<…>>`"
)]
pub trait PromptParameter<M>: Sized {
    /// Writes down whether it is required, or what it needs of the context.
    #[doc(hidden)]
    fn describe(parameter: &'static Parameter, description: &mut PromptDescription);

    /// Decodes the value.
    #[doc(hidden)]
    fn decode(source: TextSource<'_>) -> Result<Self, Problem>;
}

/// What may be the parameter of a tool that `#[mcp(…)]` says something of: an argument.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be an argument of a tool, and `#[mcp(…)]` speaks of arguments",
    label = "not an argument",
    note = "an argument derives `serde::Deserialize` and `schemars::JsonSchema`; both must be there, of the same major versions as this crate uses: serde 1, schemars 1",
    note = "what comes from the context (`Context`, `State<T>` and the like) is not the client's to give; remove `#[mcp(…)]` there"
)]
pub trait ToolArgument<M>: ToolParameter<M> {
    /// The type itself. Of what is no argument there is none, so that its default is no second mistake.
    #[doc(hidden)]
    type Given;

    /// The value.
    #[doc(hidden)]
    fn given(value: Self::Given) -> Self;
}

/// What may be the parameter of a prompt that `#[mcp(…)]` says something of: a text argument.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be an argument of a prompt, and `#[mcp(…)]` speaks of arguments",
    label = "not text-like",
    note = "the arguments of a prompt are text: `String`, a type that implements `std::str::FromStr`, or an `Option` of one",
    note = "what comes from the context (`Context`, `State<T>` and the like) is not the client's to give; remove `#[mcp(…)]` there"
)]
pub trait PromptText<M>: PromptParameter<M> {
    /// As with [`ToolArgument::Given`].
    #[doc(hidden)]
    type Given;

    /// The value.
    #[doc(hidden)]
    fn given(value: Self::Given) -> Self;
}

/// What may be a variable of a resource's template.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a variable of a resource template",
    label = "not text-like",
    note = "template variables are text: `String`, a type that implements `std::str::FromStr`, or an `Option` of one"
)]
pub trait TemplateVariable<M>: Sized {
    /// Decodes the value.
    #[doc(hidden)]
    fn decode(source: TextSource<'_>) -> Result<Self, Problem>;
}

/// What may be a parameter of a resource without being a variable of its template.
#[diagnostic::on_unimplemented(
    message = "parameter `{Name}` of type `{Self}` is neither a variable of the URI template nor an extractor",
    label = "not in the template",
    note = "add `{{{Name}}}` to the template, or remove the parameter",
    note = "an extractor is `Context`, `State<T>`, `Handle`, `Principal`, `Claims<T>` or a type of your own that implements `mcp_runtime::FromContext`; none is taken as an `Option`: where there may be no caller, `Context` has `context.principal()`",
    note = "in `State<T>`, `T` is `Clone + Send + Sync`, such as `Arc<Mutex<…>>`"
)]
pub trait ResourceExtractor<Name>: Sized {
    /// Writes down what it needs of the context.
    #[doc(hidden)]
    fn requirement() -> Option<Requirement>;

    /// Takes the value.
    #[doc(hidden)]
    fn extract(source: TextSource<'_>) -> Result<Self, Problem>;
}

/// Marks a value that is decoded from JSON.
#[derive(Debug)]
pub enum ByValue {}

/// Marks a value that is parsed from text.
#[derive(Debug)]
pub enum ByText {}

/// Marks a value that is parsed from text, where there is one.
#[derive(Debug)]
pub enum ByOptionalText {}

/// Marks a value that the context gives.
#[derive(Debug)]
pub enum ByContext {}

/// Marks what there is not.
#[derive(Debug)]
pub enum ByNothing {}

/// What no type is.
#[doc(hidden)]
pub trait Nothing {}

impl<T: DeserializeOwned + JsonSchema> ToolParameter<ByValue> for T {
    fn describe(parameter: &'static Parameter, description: &mut ToolDescription) {
        description.argument::<T>(parameter, absent::<T>().is_some());
    }

    fn decode(source: ToolSource<'_>) -> Result<Self, Problem> {
        source.value()
    }
}

impl<T: FromContext> ToolParameter<ByContext> for T {
    fn describe(_: &'static Parameter, description: &mut ToolDescription) {
        description.requirements.extend(T::requirement());
    }

    fn decode(source: ToolSource<'_>) -> Result<Self, Problem> {
        extract(source.scene)
    }
}

#[diagnostic::do_not_recommend]
impl<T: DeserializeOwned + JsonSchema> ToolArgument<ByValue> for T {
    type Given = T;

    fn given(value: T) -> T {
        value
    }
}

/// Nothing is an argument in this way. Where there is only one, the compiler takes it before it looks whether it holds.
#[diagnostic::do_not_recommend]
impl<T: ToolParameter<ByNothing> + Nothing> ToolArgument<ByNothing> for T {
    type Given = T;

    fn given(value: T) -> T {
        value
    }
}

impl<T: FromStr<Err: Display>> PromptParameter<ByText> for T {
    fn describe(parameter: &'static Parameter, description: &mut PromptDescription) {
        description.argument(parameter, true);
    }

    fn decode(source: TextSource<'_>) -> Result<Self, Problem> {
        source.text()
    }
}

impl<T: FromStr<Err: Display>> PromptParameter<ByOptionalText> for Option<T> {
    fn describe(parameter: &'static Parameter, description: &mut PromptDescription) {
        description.argument(parameter, false);
    }

    fn decode(source: TextSource<'_>) -> Result<Self, Problem> {
        source.optional_text()
    }
}

impl<T: FromContext> PromptParameter<ByContext> for T {
    fn describe(_: &'static Parameter, description: &mut PromptDescription) {
        description.requirements.extend(T::requirement());
    }

    fn decode(source: TextSource<'_>) -> Result<Self, Problem> {
        extract(source.scene)
    }
}

#[diagnostic::do_not_recommend]
impl<T: FromStr<Err: Display>> PromptText<ByText> for T {
    type Given = T;

    fn given(value: T) -> T {
        value
    }
}

#[diagnostic::do_not_recommend]
impl<T: FromStr<Err: Display>> PromptText<ByOptionalText> for Option<T> {
    type Given = Self;

    fn given(value: Self) -> Self {
        value
    }
}

impl<T: FromStr<Err: Display>> TemplateVariable<ByText> for T {
    fn decode(source: TextSource<'_>) -> Result<Self, Problem> {
        source.text()
    }
}

impl<T: FromStr<Err: Display>> TemplateVariable<ByOptionalText> for Option<T> {
    fn decode(source: TextSource<'_>) -> Result<Self, Problem> {
        source.optional_text()
    }
}

impl<T: FromContext, Name> ResourceExtractor<Name> for T {
    fn requirement() -> Option<Requirement> {
        T::requirement()
    }

    fn extract(source: TextSource<'_>) -> Result<Self, Problem> {
        extract(source.scene)
    }
}

fn extract<T: FromContext>(scene: &Scene<'_>) -> Result<T, Problem> {
    T::from_context(scene.context()).map_err(|error| Problem::Context(format!("{error:#}")))
}

/// Where one argument of a tool comes from.
#[doc(hidden)]
#[derive(Clone, Copy)]
pub struct ToolSource<'a> {
    pub(super) parameter: &'static Parameter,
    pub(super) raw: Option<&'a RawValue>,
    pub(super) strict: bool,
    pub(super) patterns: &'a Patterns,
    pub(super) advertised: Option<&'a Advertised>,
    pub(super) scene: &'a Scene<'a>,
}

/// Where one text comes from.
#[doc(hidden)]
#[derive(Clone, Copy)]
pub struct TextSource<'a> {
    pub(super) text: Option<&'a str>,
    pub(super) scene: &'a Scene<'a>,
}

impl fmt::Debug for ToolSource<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.parameter.name)
    }
}

impl fmt::Debug for TextSource<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.text.fmt(f)
    }
}

impl ToolSource<'_> {
    fn value<T: DeserializeOwned + JsonSchema>(self) -> Result<T, Problem> {
        let Some(raw) = self.raw else {
            let missing = || Problem::Missing(bounds::expectation(&schema_of::<T>(), self.parameter, ""));
            return absent::<T>().ok_or_else(missing);
        };
        match T::deserialize(Checked(raw.get())) {
            Ok(value) => self.within_bounds(raw).map(|()| value),
            Err(_)
                if !self.strict
                    && let Some((value, raw)) = lenient::<T>(raw) =>
            {
                self.within_bounds(&raw).map(|()| value)
            }
            Err(_) => Err(explain(&ValueType::of::<T>(), self.parameter, raw, self.strict, self.patterns)),
        }
    }

    fn within_bounds(self, raw: &RawValue) -> Result<(), Problem> {
        if self.advertised.is_none() && !self.parameter.is_bounded() {
            return Ok(());
        }
        let own = bounds::check(self.parameter, self.patterns, raw);
        let mut found: Vec<_> = own.into_iter().map(Misfit::of_whole).collect();
        if let Some(advertised) = self.advertised {
            found.extend(advertised.broken(self.parameter.name, raw, self.patterns));
        }
        Problem::of(found).map_or(Ok(()), Err)
    }
}

impl TextSource<'_> {
    fn text<T: FromStr<Err: Display>>(self) -> Result<T, Problem> {
        parse(self.text.ok_or(Problem::Missing(None))?)
    }

    fn optional_text<T: FromStr<Err: Display>>(self) -> Result<Option<T>, Problem> {
        self.text.map(parse).transpose()
    }
}

fn parse<T: FromStr<Err: Display>>(text: &str) -> Result<T, Problem> {
    text.parse().map_err(|error: T::Err| {
        let said = error.to_string();
        let text = format!("{}, got the text {:?}", excerpt(&said), excerpt(text));
        Problem::Unfit { below: String::new(), text }
    })
}

/// The value of a `T` that is not there, where a `T` knows one: `None` for an `Option`.
fn absent<T: DeserializeOwned>() -> Option<T> {
    struct Absent;

    impl<'de> Deserializer<'de> for Absent {
        type Error = serde::de::value::Error;

        fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Self::Error> {
            Err(serde::de::Error::custom("absent"))
        }

        fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Self::Error> {
            visitor.visit_none()
        }

        serde::forward_to_deserialize_any! {
            bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct
            newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
        }
    }

    T::deserialize(Absent).ok()
}
