//! Arguments on their way to a handler: split from the raw JSON once, decoded straight into the parameters' types.
//!
//! Each `…Call` does two things by one path, so that a type is named once in generated code: at registration it writes
//! down what the parameters' types say, on a call it decodes them.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::{self, Display},
    str::FromStr,
};

use schemars::JsonSchema;
use serde::de::{DeserializeOwned, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::{
    bounds,
    completion::Values,
    context::{FromContext, Requirement, Scene},
    definition::Parameter,
    describe::{PromptDescription, ResourceDescription, ToolDescription},
    lenient::lenient,
    nearest::excerpt,
    outcome::{IntoCallToolResult, IntoGetPromptResult, IntoReadResourceResult, ReadRequest, Returns, Step},
    patterns::Patterns,
    problem::{Problem, context_failure, explain, of_members, refusal, refusal_error, twice, unknown},
};
use crate::protocol::{
    CallToolResult, GetPromptResult, ReadResourceResult, RpcError,
    jsonrpc::text_of,
    read::{Checked, Object},
};

/// What may be the parameter of a tool: an argument, or something from the context.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a parameter of a tool",
    label = "neither an argument nor an extractor",
    note = "an argument derives `serde::Deserialize` and `schemars::JsonSchema`; both must be there",
    note = "an extractor is `Context`, `State<T>`, `Handle`, `Principal`, `Claims<T>` or a type of your own that implements `mcp_runtime::FromContext`"
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
    note = "an extractor is `Context`, `State<T>`, `Handle`, `Principal`, `Claims<T>` or a type of your own that implements `mcp_runtime::FromContext`"
)]
pub trait PromptParameter<M>: Sized {
    /// Writes down whether it is required, or what it needs of the context.
    #[doc(hidden)]
    fn describe(parameter: &'static Parameter, description: &mut PromptDescription);

    /// Decodes the value.
    #[doc(hidden)]
    fn decode(source: TextSource<'_>) -> Result<Self, Problem>;
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
    note = "an extractor is `Context`, `State<T>`, `Handle`, `Principal`, `Claims<T>` or a type of your own that implements `mcp_runtime::FromContext`"
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
    T::from_context(scene.context()).map_err(|error| Problem::Context(error.to_string()))
}

/// Where one argument of a tool comes from.
#[doc(hidden)]
#[derive(Clone, Copy)]
pub struct ToolSource<'a> {
    parameter: &'static Parameter,
    raw: Option<&'a RawValue>,
    strict: bool,
    patterns: &'a Patterns,
    scene: &'a Scene<'a>,
}

/// Where one text comes from.
#[doc(hidden)]
#[derive(Clone, Copy)]
pub struct TextSource<'a> {
    text: Option<&'a str>,
    scene: &'a Scene<'a>,
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
            return absent::<T>().ok_or_else(|| Problem::Missing(bounds::expectation::<T>(self.parameter, "")));
        };
        let unfit = |text| Problem::Unfit { below: String::new(), text };
        match T::deserialize(Checked(raw.get())) {
            Ok(value) => bounds::check(self.parameter, self.patterns, raw).map(|()| value).map_err(unfit),
            Err(_)
                if !self.strict
                    && let Some((value, raw)) = lenient::<T>(raw) =>
            {
                bounds::check(self.parameter, self.patterns, &raw).map(|()| value).map_err(unfit)
            }
            Err(_) => Err(explain::<T>(self.parameter, raw.get(), self.strict)),
        }
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

/// A call of a tool, on its way through generated code.
#[derive(Debug)]
pub struct ToolCall<'a>(pub(crate) Mode<'a, ToolDescription, ToolRun<'a>>);

/// A read of a resource, on its way through generated code.
#[derive(Debug)]
pub struct ResourceCall<'a>(pub(crate) Mode<'a, ResourceDescription, ResourceRun<'a>>);

/// A request for a prompt, on its way through generated code.
#[derive(Debug)]
pub struct PromptCall<'a>(pub(crate) Mode<'a, PromptDescription, PromptRun<'a>>);

/// Whether a function describes itself or runs.
#[derive(Debug)]
pub(crate) enum Mode<'a, D, R> {
    Describe(&'a mut D),
    Run(R),
}

pub(crate) struct ToolRun<'a> {
    pub(crate) name: &'a str,
    /// The `arguments` member: an object, or absent.
    pub(crate) arguments: Option<&'a RawValue>,
    /// All names that the input schema knows, or `None` where it is the user's own.
    pub(crate) properties: Option<&'a [String]>,
    /// The names that each flattened parameter takes, `None` where it takes any.
    pub(crate) flattened: &'a [(&'static str, Option<Vec<String>>)],
    pub(crate) patterns: &'a Patterns,
    pub(crate) strict: bool,
    pub(crate) scene: &'a Scene<'a>,
}

pub(crate) struct ResourceRun<'a> {
    pub(crate) uri: &'a str,
    pub(crate) mime_type: Option<&'static str>,
    /// The values that the template's variables have, decoded, by name.
    pub(crate) variables: &'a [(&'static str, String)],
    pub(crate) scene: &'a Scene<'a>,
}

pub(crate) struct PromptRun<'a> {
    pub(crate) name: &'a str,
    /// The `arguments` member: names and texts.
    pub(crate) arguments: &'a [(String, String)],
    /// What is wrong with them already.
    pub(crate) problems: Vec<(String, Problem)>,
    /// All arguments that the prompt has.
    pub(crate) names: &'a [crate::protocol::PromptArgument],
    pub(crate) scene: &'a Scene<'a>,
}

impl fmt::Debug for ToolRun<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl fmt::Debug for ResourceRun<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.uri)
    }
}

impl fmt::Debug for PromptRun<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl<'a> ToolCall<'a> {
    /// Takes down the return type.
    pub fn returns<T: IntoCallToolResult>(&mut self) -> Returns<T, CallToolResult> {
        if let Mode::Describe(description) = &mut self.0 {
            description.output::<T>();
        }
        Returns::new(|value, ()| value.into_call_tool_result(), ())
    }

    /// Finds the arguments of these parameters.
    pub fn arguments<const N: usize>(self, parameters: &'static [Parameter; N]) -> ToolArguments<'a, N> {
        let mut slots = [None; N];
        let mut problems = Vec::new();
        if let Mode::Run(run) = &self.0
            && let Some(arguments) = run.arguments
        {
            split(arguments, parameters, run.properties, &mut slots, &mut problems);
        }
        ToolArguments { call: self, parameters, slots, problems }
    }
}

/// The arguments of a tool's call, found and not yet decoded.
#[derive(Debug)]
pub struct ToolArguments<'a, const N: usize> {
    call: ToolCall<'a>,
    parameters: &'static [Parameter; N],
    slots: [Option<&'a RawValue>; N],
    problems: Vec<(String, Problem)>,
}

impl<const N: usize> ToolArguments<'_, N> {
    /// Decodes the parameter of that index; `None` when it only was described, or does not fit.
    pub fn take<T: ToolParameter<M>, M>(&mut self, index: usize) -> Option<T> {
        let parameter = &self.parameters[index];
        let decoded = match &mut self.call.0 {
            Mode::Describe(description) => {
                T::describe(parameter, description);
                return None;
            }
            Mode::Run(run) => {
                let others;
                let raw = if parameter.flatten {
                    others = claimed(run, parameter, self.parameters);
                    Some(&*others)
                } else {
                    self.slots[index]
                };
                T::decode(ToolSource { parameter, raw, strict: run.strict, patterns: run.patterns, scene: run.scene })
            }
        };
        if parameter.flatten {
            return decoded.map_err(|problem| self.problems.extend(of_members(problem))).ok();
        }
        note(decoded, parameter.name, &mut self.problems)
    }

    /// Like [`Self::take`], for a parameter with a default.
    pub fn take_or<T: ToolParameter<M>, M>(&mut self, index: usize, default: impl FnOnce() -> T) -> Option<T> {
        let absent = matches!(self.call.0, Mode::Run(_)) && self.slots[index].is_none();
        if absent { Some(default()) } else { self.take(index) }
    }

    /// Whether the call is to go on.
    pub fn finish(&self) -> bool {
        matches!(self.call.0, Mode::Run(_)) && self.problems.is_empty()
    }

    /// What to answer when it is not: every wrong argument, named.
    pub fn refuse(self) -> Step<CallToolResult> {
        match self.call.0 {
            Mode::Describe(_) => Step::Described,
            Mode::Run(run) => {
                let text = context_failure(&self.problems)
                    .map_or_else(|| refusal("tool", run.name, &self.problems), str::to_owned);
                Step::Done(Ok(CallToolResult::error(text)))
            }
        }
    }
}

/// The members that belong to a flattened parameter, as an object: those that its type names, or else those that no
/// parameter claims.
fn claimed(run: &ToolRun<'_>, flattened: &Parameter, parameters: &[Parameter]) -> Box<RawValue> {
    let members: BTreeMap<String, &RawValue> =
        run.arguments.and_then(|raw| serde_json::from_str(raw.get()).ok()).unwrap_or_default();
    let names = run.flattened.iter().find(|(name, _)| *name == flattened.name).and_then(|(_, names)| names.as_ref());
    let belongs = |name: &String| match names {
        Some(names) => names.contains(name),
        None => {
            let claimed = |parameter: &Parameter| !parameter.flatten && parameter.name == name;
            let of_another = run.flattened.iter().flat_map(|(_, names)| names).flatten().any(|other| other == name);
            !parameters.iter().any(claimed) && !of_another
        }
    };
    let own: BTreeMap<_, _> = members.into_iter().filter(|(name, _)| belongs(name)).collect();
    serde_json::value::to_raw_value(&own).unwrap_or_default()
}

impl<'a> ResourceCall<'a> {
    /// Takes down the return type.
    pub fn returns<T: IntoReadResourceResult>(&mut self) -> Returns<T, ReadResourceResult, ReadRequest> {
        let request = match &self.0 {
            Mode::Describe(_) => ReadRequest { uri: String::new(), mime_type: None },
            Mode::Run(run) => ReadRequest { uri: run.uri.to_owned(), mime_type: run.mime_type },
        };
        Returns::new(T::into_read_resource_result, request)
    }

    /// Finds the variables of these parameters.
    pub fn arguments<const N: usize>(self, parameters: &'static [Parameter; N]) -> ResourceArguments<'a, N> {
        ResourceArguments { call: self, parameters, problems: Vec::new() }
    }
}

/// The variables of a resource's template, matched and not yet parsed.
#[derive(Debug)]
pub struct ResourceArguments<'a, const N: usize> {
    call: ResourceCall<'a>,
    parameters: &'static [Parameter; N],
    problems: Vec<(String, Problem)>,
}

impl<const N: usize> ResourceArguments<'_, N> {
    /// Parses the variable of that index; `None` when it only was described, or does not fit.
    pub fn take<T: TemplateVariable<M>, M>(&mut self, index: usize) -> Option<T> {
        let parameter = &self.parameters[index];
        let decoded = match &mut self.call.0 {
            Mode::Describe(description) => {
                description.variable(parameter);
                return None;
            }
            Mode::Run(run) => {
                let text =
                    run.variables.iter().find(|(name, _)| *name == parameter.name).map(|(_, text)| text.as_str());
                T::decode(TextSource { text, scene: run.scene })
            }
        };
        note(decoded, parameter.name, &mut self.problems)
    }

    /// Takes down all values that the variable's type has, where it is known to have few.
    pub fn suggest(&mut self, index: usize, values: Option<Values>) {
        if let (Mode::Describe(description), Some(values)) = (&mut self.call.0, values) {
            description.completing.suggest(self.parameters[index].name, values);
        }
    }

    /// Takes what is not in the template from the context.
    pub fn extract<T: ResourceExtractor<Name>, Name>(&mut self, index: usize) -> Option<T> {
        let decoded = match &mut self.call.0 {
            Mode::Describe(description) => {
                description.requirements.extend(T::requirement());
                return None;
            }
            Mode::Run(run) => T::extract(TextSource { text: None, scene: run.scene }),
        };
        note(decoded, self.parameters[index].name, &mut self.problems)
    }

    /// Whether the read is to go on.
    pub fn finish(&self) -> bool {
        matches!(self.call.0, Mode::Run(_)) && self.problems.is_empty()
    }

    /// What to answer when it is not.
    pub fn refuse(self) -> Step<ReadResourceResult> {
        match self.call.0 {
            Mode::Describe(_) => Step::Described,
            Mode::Run(run) => Step::Done(Err(
                refusal_error("resource", run.uri, &self.problems).with_data(serde_json::json!({ "uri": run.uri }))
            )),
        }
    }
}

impl<'a> PromptCall<'a> {
    /// Takes down the return type.
    pub fn returns<T: IntoGetPromptResult>(&mut self) -> Returns<T, GetPromptResult> {
        Returns::new(|value, ()| value.into_get_prompt_result(), ())
    }

    /// Finds the arguments of these parameters.
    pub fn arguments<const N: usize>(mut self, parameters: &'static [Parameter; N]) -> PromptArguments<'a, N> {
        let mut problems = Vec::new();
        if let Mode::Run(run) = &mut self.0 {
            problems = std::mem::take(&mut run.problems);
            for (name, _) in run.arguments {
                if !run.names.iter().any(|known| known.name == *name) {
                    let unknown = unknown(name, run.names.iter().map(|known| known.name.as_str()), problems.len());
                    problems.push((excerpt(name).to_owned(), unknown));
                }
            }
        }
        PromptArguments { call: self, parameters, problems }
    }
}

/// The arguments of a prompt, found and not yet parsed.
#[derive(Debug)]
pub struct PromptArguments<'a, const N: usize> {
    call: PromptCall<'a>,
    parameters: &'static [Parameter; N],
    problems: Vec<(String, Problem)>,
}

impl<const N: usize> PromptArguments<'_, N> {
    /// Parses the argument of that index; `None` when it only was described, or does not fit.
    pub fn take<T: PromptParameter<M>, M>(&mut self, index: usize) -> Option<T> {
        let parameter = &self.parameters[index];
        let decoded = match &mut self.call.0 {
            Mode::Describe(description) => {
                T::describe(parameter, description);
                return None;
            }
            // Told already, and not to be told as missing.
            Mode::Run(_) if self.problems.iter().any(|(name, _)| name == parameter.name) => return None,
            Mode::Run(run) => T::decode(TextSource { text: run.text(parameter.name), scene: run.scene }),
        };
        note(decoded, parameter.name, &mut self.problems)
    }

    /// Takes down all values that the argument's type has, where it is known to have few.
    pub fn suggest(&mut self, index: usize, values: Option<Values>) {
        if let (Mode::Describe(description), Some(values)) = (&mut self.call.0, values) {
            let name = self.parameters[index].name;
            // What comes from the context is none of the client's.
            if description.arguments.iter().any(|argument| argument.name == name) {
                description.completing.suggest(name, values);
            }
        }
    }

    /// Like [`Self::take`], for a parameter with a default.
    pub fn take_or<T: PromptParameter<M>, M>(&mut self, index: usize, default: impl FnOnce() -> T) -> Option<T> {
        let absent = matches!(&self.call.0, Mode::Run(run) if run.text(self.parameters[index].name).is_none());
        if absent { Some(default()) } else { self.take(index) }
    }

    /// Whether the request is to go on.
    pub fn finish(&self) -> bool {
        matches!(self.call.0, Mode::Run(_)) && self.problems.is_empty()
    }

    /// What to answer when it is not.
    pub fn refuse(self) -> Step<GetPromptResult> {
        match self.call.0 {
            Mode::Describe(_) => Step::Described,
            Mode::Run(run) => Step::Done(Err(refusal_error("prompt", run.name, &self.problems))),
        }
    }
}

impl PromptRun<'_> {
    fn text(&self, name: &str) -> Option<&str> {
        self.arguments.iter().find(|(given, _)| given == name).map(|(_, text)| text.as_str())
    }
}

fn note<T>(decoded: Result<T, Problem>, name: &str, problems: &mut Vec<(String, Problem)>) -> Option<T> {
    decoded.map_err(|problem| problems.push((name.to_owned(), problem))).ok()
}

/// Finds each parameter's member in one pass; members that nobody knows, and members that come twice, are problems.
fn split<'a>(
    arguments: &'a RawValue,
    parameters: &'static [Parameter],
    properties: Option<&[String]>,
    slots: &mut [Option<&'a RawValue>],
    problems: &mut Vec<(String, Problem)>,
) {
    struct Split<'p, 's, 'a> {
        parameters: &'static [Parameter],
        properties: Option<&'p [String]>,
        slots: &'s mut [Option<&'a RawValue>],
        problems: &'s mut Vec<(String, Problem)>,
    }

    impl<'de> Visitor<'de> for Split<'_, '_, 'de> {
        type Value = ();

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
            let flattens = self.parameters.iter().any(|parameter| parameter.flatten);
            let mut others = BTreeSet::new();
            while let Some(key) = map.next_key_seed(Key)? {
                let known = self.parameters.iter().position(|parameter| !parameter.flatten && parameter.name == &*key);
                match known {
                    Some(index) if self.slots[index].is_none() => self.slots[index] = Some(map.next_value()?),
                    Some(_) => {
                        map.next_value::<IgnoredAny>()?;
                        self.problems.push((key.into_owned(), twice()));
                    }
                    None => {
                        map.next_value::<IgnoredAny>()?;
                        if let Some(properties) = self.properties
                            && !properties.iter().any(|property| *property == key)
                        {
                            let unknown = unknown(&key, properties.iter().map(String::as_str), self.problems.len());
                            self.problems.push((excerpt(&key).to_owned(), unknown));
                        } else if flattens {
                            if others.contains(&key) {
                                self.problems.push((excerpt(&key).to_owned(), twice()));
                            }
                            others.insert(key);
                        }
                    }
                }
            }
            Ok(())
        }
    }

    let split = Split { parameters, properties, slots, problems };
    // The text was parsed as a whole before, and dispatch lets only objects come here.
    if let Err(error) = Object(arguments.get()).deserialize_map(split) {
        tracing::debug!(%error, "arguments that are no object");
    }
}

/// The arguments of a prompt: names and texts; what is no text, and what stands twice, is a problem.
///
/// # Errors
/// -32602 where they are no object.
pub(super) fn texts(arguments: Option<&RawValue>) -> Result<(Texts, Problems), RpcError> {
    struct Collect(Texts, Problems);

    impl<'de> Visitor<'de> for Collect {
        type Value = (Texts, Problems);

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<Self::Value, A::Error> {
            // A client chooses how many there are: a list would be walked once for each.
            let mut known = BTreeSet::new();
            while let Some(key) = map.next_key_seed(Key)? {
                let raw: &RawValue = map.next_value()?;
                if known.contains(&key) {
                    self.1.push((excerpt(&key).to_owned(), twice()));
                    continue;
                }
                match text_of(raw) {
                    Some(text) => self.0.push((key.clone().into_owned(), text.into_owned())),
                    None => {
                        let text = format!("expected a string, got {}", bounds::kind_of(raw.get()));
                        self.1.push((excerpt(&key).to_owned(), Problem::Unfit { below: String::new(), text }));
                    }
                }
                known.insert(key);
            }
            Ok((self.0, self.1))
        }
    }

    // An absent `arguments` and a null one are an empty object.
    let Some(arguments) = arguments.filter(|raw| raw.get() != "null") else { return Ok(Default::default()) };
    let collected = Object(arguments.get())
        .deserialize_map(Collect(Vec::new(), Vec::new()))
        .map_err(|_| RpcError::invalid_params("`params.arguments` must be an object"))?;
    Ok(collected)
}

/// Names and texts.
pub(super) type Texts = Vec<(String, String)>;

/// Names and what is wrong with them.
pub(super) type Problems = Vec<(String, Problem)>;

/// A member's name, borrowed where it has no escapes.
pub(crate) struct Key;

impl<'de> serde::de::DeserializeSeed<'de> for Key {
    type Value = std::borrow::Cow<'de, str>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl<'de> Visitor<'de> for Key {
    type Value = std::borrow::Cow<'de, str>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a name")
    }

    fn visit_borrowed_str<E>(self, name: &'de str) -> Result<Self::Value, E> {
        Ok(name.into())
    }

    fn visit_str<E>(self, name: &str) -> Result<Self::Value, E> {
        Ok(name.to_owned().into())
    }
}
