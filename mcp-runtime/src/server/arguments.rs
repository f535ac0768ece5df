//! Calls on their way through generated code: each describes its function's parameters, or finds and decodes what they take.
//!
//! Each `…Call` does both by one path, so that a type is named once in generated code: at registration it writes down what
//! the parameters' types say, on a call it decodes them.

use std::{fmt, marker::PhantomData};

use serde_json::value::RawValue;

use super::{
    advertised::Advertised,
    completion::Values,
    context::Scene,
    definition::Parameter,
    describe::{PromptDescription, ResourceDescription, ToolDescription},
    members::{Flattened, Problems, claimed, split},
    nearest::excerpt,
    outcome::{IntoCallToolResult, IntoGetPromptResult, IntoReadResourceResult, ReadRequest, Returns, Step},
    parameter::{
        PromptParameter, PromptText, ResourceExtractor, TemplateVariable, TextSource, ToolArgument, ToolParameter,
        ToolSource,
    },
    patterns::Patterns,
    problem::{Problem, context_failure, of_members, refusal, refusal_error, unknown},
};
use crate::protocol::{CallToolResult, GetPromptResult, PromptArgument, ReadResourceResult};

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
    pub(crate) flattened: &'a Flattened,
    pub(crate) patterns: &'a Patterns,
    /// The bounds that the parameters' types have, where they have any.
    pub(crate) advertised: Option<&'a Advertised>,
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
    pub(crate) problems: Problems,
    /// All arguments that the prompt has.
    pub(crate) names: &'a [PromptArgument],
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

    /// Like [`Self::returns`], for a type that the function's signature says.
    pub fn returns_as<T: IntoCallToolResult>(&mut self, _: &Said<T>) -> Returns<T, CallToolResult> {
        self.returns()
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

/// A type that the signature of a function says: generated code finds it out by a call that never runs, and need not write
/// it once more.
#[derive(Debug)]
pub struct Said<T>(PhantomData<fn() -> T>);

impl<T> Said<T> {
    /// A type that is still to be found out.
    pub const fn by_signature() -> Self {
        Self(PhantomData)
    }

    /// An argument of it.
    pub fn value(&self) -> T {
        never_called()
    }

    /// The type is that of a value.
    pub fn is_of(&self, _: T) {}

    /// The type is what a future comes to.
    pub fn is_output_of(&self, _: impl Future<Output = T>) {}
}

/// An argument of whatever type it has to be.
pub fn never_called<T>() -> T {
    unreachable!("the call is there for the compiler alone")
}

/// The arguments of a tool's call, found and not yet decoded.
#[derive(Debug)]
pub struct ToolArguments<'a, const N: usize> {
    call: ToolCall<'a>,
    parameters: &'static [Parameter; N],
    slots: [Option<&'a RawValue>; N],
    problems: Problems,
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
                    others = claimed(run.arguments, run.flattened, parameter, self.parameters);
                    Some(&*others)
                } else {
                    self.slots[index]
                };
                let (patterns, advertised) = (run.patterns, run.advertised);
                T::decode(ToolSource { parameter, raw, strict: run.strict, patterns, advertised, scene: run.scene })
            }
        };
        if parameter.flatten {
            return decoded.map_err(|problem| self.problems.extend(of_members(problem))).ok();
        }
        note(decoded, parameter.name, &mut self.problems)
    }

    /// Like [`Self::take`], for a parameter that `#[mcp(…)]` says something of.
    pub fn argument<T: ToolArgument<M>, M>(&mut self, index: usize) -> Option<T> {
        self.take(index)
    }

    /// Like [`Self::argument`], for one with a default.
    pub fn argument_or<T: ToolArgument<M>, M>(
        &mut self,
        index: usize,
        default: impl FnOnce() -> T::Given,
    ) -> Option<T> {
        let absent = matches!(self.call.0, Mode::Run(_)) && self.slots[index].is_none();
        if absent { Some(T::given(default())) } else { self.take(index) }
    }

    /// Like [`Self::take`], for a type that the function's signature says.
    pub fn take_as<T: ToolParameter<M>, M>(&mut self, index: usize, _: &Said<T>) -> Option<T> {
        self.take(index)
    }

    /// Like [`Self::argument`], for a type that the function's signature says.
    pub fn argument_as<T: ToolArgument<M>, M>(&mut self, index: usize, _: &Said<T>) -> Option<T> {
        self.argument(index)
    }

    /// Like [`Self::argument_or`], for a type that the function's signature says.
    pub fn argument_or_as<T: ToolArgument<M>, M>(
        &mut self,
        index: usize,
        default: impl FnOnce() -> T::Given,
        _: &Said<T>,
    ) -> Option<T> {
        self.argument_or(index, default)
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

impl<'a> ResourceCall<'a> {
    /// Takes down the return type.
    pub fn returns<T: IntoReadResourceResult>(&mut self) -> Returns<T, ReadResourceResult, ReadRequest> {
        let request = match &self.0 {
            Mode::Describe(_) => ReadRequest { uri: String::new(), mime_type: None },
            Mode::Run(run) => ReadRequest { uri: run.uri.to_owned(), mime_type: run.mime_type },
        };
        Returns::new(T::into_read_resource_result, request)
    }

    /// Like [`Self::returns`], for a type that the function's signature says.
    pub fn returns_as<T: IntoReadResourceResult>(
        &mut self,
        _: &Said<T>,
    ) -> Returns<T, ReadResourceResult, ReadRequest> {
        self.returns()
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
    problems: Problems,
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

    /// Like [`Self::take`], for a type that the function's signature says.
    pub fn take_as<T: TemplateVariable<M>, M>(&mut self, index: usize, _: &Said<T>) -> Option<T> {
        self.take(index)
    }

    /// Like [`Self::extract`], for a type that the function's signature says.
    pub fn extract_as<T: ResourceExtractor<Name>, Name>(&mut self, index: usize, _: &Said<T>) -> Option<T> {
        self.extract(index)
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

    /// Like [`Self::returns`], for a type that the function's signature says.
    pub fn returns_as<T: IntoGetPromptResult>(&mut self, _: &Said<T>) -> Returns<T, GetPromptResult> {
        self.returns()
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
    problems: Problems,
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

    /// Like [`Self::take`], for a parameter that `#[mcp(…)]` says something of.
    pub fn argument<T: PromptText<M>, M>(&mut self, index: usize) -> Option<T> {
        self.take(index)
    }

    /// Like [`Self::argument`], for one with a default.
    pub fn argument_or<T: PromptText<M>, M>(&mut self, index: usize, default: impl FnOnce() -> T::Given) -> Option<T> {
        let absent = matches!(&self.call.0, Mode::Run(run) if run.text(self.parameters[index].name).is_none());
        if absent { Some(T::given(default())) } else { self.take(index) }
    }

    /// Like [`Self::take`], for a type that the function's signature says.
    pub fn take_as<T: PromptParameter<M>, M>(&mut self, index: usize, _: &Said<T>) -> Option<T> {
        self.take(index)
    }

    /// Like [`Self::argument`], for a type that the function's signature says.
    pub fn argument_as<T: PromptText<M>, M>(&mut self, index: usize, _: &Said<T>) -> Option<T> {
        self.argument(index)
    }

    /// Like [`Self::argument_or`], for a type that the function's signature says.
    pub fn argument_or_as<T: PromptText<M>, M>(
        &mut self,
        index: usize,
        default: impl FnOnce() -> T::Given,
        _: &Said<T>,
    ) -> Option<T> {
        self.argument_or(index, default)
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

fn note<T>(decoded: Result<T, Problem>, name: &str, problems: &mut Problems) -> Option<T> {
    decoded.map_err(|problem| problems.push((name.to_owned(), problem))).ok()
}
