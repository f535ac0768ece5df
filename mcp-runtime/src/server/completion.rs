//! Completion of the arguments of prompts and templates: by functions, and by types that have few values.

use std::{collections::BTreeMap, fmt, future::Future, marker::PhantomData, ops::Deref, pin::Pin};

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::{
    calls::unknown,
    describe::schema_of,
    dispatch::{Refusal, Request},
    nearest::excerpt,
    outcome::Step,
    params,
    registry::Registry,
};
use crate::protocol::{CompleteResult, Completion, ErrorCode, RpcError};

/// What a client wants completed: what a completion function takes instead of a `&str`, where the text alone is not
/// enough.
///
/// ```
/// use mcp_runtime::{CompletionRequest, prelude::*};
///
/// /// Plans a walk
/// #[mcp_prompt]
/// fn walk(
///     city: String,
///     #[mcp(complete = streets)] street: String,
/// ) -> String {
///     format!("A walk along {street} in {city}")
/// }
///
/// fn streets(request: &CompletionRequest) -> Vec<&'static str> {
///     let streets: &[_] = match request.argument("city") {
///         Some("Paris") => &["Rue de Rivoli", "Rue Cler"],
///         _ => &["Main Street"],
///     };
///     streets.iter().copied().filter(|street| street.starts_with(&request.value)).collect()
/// }
/// # fn main() {}
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct CompletionRequest {
    /// What the user has typed.
    pub value: String,
    /// The arguments that have their values already, by name; clients say them from 2025-06-18 on.
    pub arguments: BTreeMap<String, String>,
}

impl CompletionRequest {
    /// The value of another argument, where the client says it.
    pub fn argument(&self, name: &str) -> Option<&str> {
        self.arguments.get(name).map(String::as_str)
    }

    /// What a completion function takes of it.
    #[doc(hidden)]
    pub fn take<'a, T: FromCompletionRequest<'a>>(&'a self) -> T {
        T::from_request(self)
    }
}

/// What a completion function may take.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the parameter of a completion function",
    note = "`complete = function` names a `fn(&str) -> Vec<String>` or a `fn(&CompletionRequest) -> Vec<String>`"
)]
pub trait FromCompletionRequest<'a> {
    /// That of the request.
    fn from_request(request: &'a CompletionRequest) -> Self;
}

impl<'a> FromCompletionRequest<'a> for &'a str {
    fn from_request(request: &'a CompletionRequest) -> Self {
        &request.value
    }
}

impl<'a> FromCompletionRequest<'a> for &'a CompletionRequest {
    fn from_request(request: &'a CompletionRequest) -> Self {
        request
    }
}

/// A future of the values that complete an argument.
pub type Completions = Pin<Box<dyn Future<Output = Vec<String>> + Send>>;

/// A function of `complete = …`, made uniform.
pub type Completer = fn(CompletionRequest) -> Completions;

/// What a completion function may return: values that become text, at once or as a future.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the result of a completion function",
    note = "`complete = function` names a `fn(&str) -> Vec<String>` (or any iterator of texts), sync or async"
)]
pub trait IntoCompletions<M> {
    /// The values.
    fn into_completions(self) -> impl Future<Output = Vec<String>> + Send;
}

/// Marks values that are there at once.
#[derive(Debug)]
pub enum AtOnce {}

/// Marks values that a future gives.
#[derive(Debug)]
pub enum ByFuture {}

impl<I> IntoCompletions<AtOnce> for I
where
    I: IntoIterator + Send,
    I::Item: Into<String>,
{
    async fn into_completions(self) -> Vec<String> {
        self.into_iter().map(Into::into).collect()
    }
}

impl<F> IntoCompletions<ByFuture> for F
where
    F: Future + Send,
    F::Output: IntoIterator<Item: Into<String>>,
{
    async fn into_completions(self) -> Vec<String> {
        self.await.into_iter().map(Into::into).collect()
    }
}

/// Makes a completion function uniform: see `complete = …`.
pub fn completions<M>(values: impl IntoCompletions<M>) -> impl Future<Output = Vec<String>> + Send {
    values.into_completions()
}

/// What completes one argument.
#[derive(Clone)]
pub(crate) enum Completing {
    /// A function, which is given what was typed.
    ByFunction(Completer),
    /// All values that the argument's type has.
    Closed(Vec<String>),
}

impl fmt::Debug for Completing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ByFunction(_) => f.write_str("ByFunction"),
            Self::Closed(values) => f.debug_tuple("Closed").field(values).finish(),
        }
    }
}

/// All values of a type, where there are few and its schema lists them.
pub type Values = fn() -> Vec<String>;

/// Asks the type of an argument for its values, without a bound that it would have to meet.
pub fn type_of<T>(_: &Option<T>) -> TypeOf<T> {
    TypeOf(PhantomData, Unlisted)
}

/// A type. Of two methods of one name the compiler takes that of the type itself where its bounds hold, and looks behind
/// the type only where they do not: that decides whether there is a schema to look at.
#[derive(Debug)]
pub struct TypeOf<T>(PhantomData<fn() -> T>, Unlisted);

/// A type whose values nobody lists.
#[derive(Debug)]
pub struct Unlisted;

impl<T: JsonSchema> TypeOf<T> {
    /// The values that its schema lists.
    pub fn values(&self) -> Option<Values> {
        Some(listed::<T>)
    }
}

impl<T> Deref for TypeOf<T> {
    type Target = Unlisted;

    fn deref(&self) -> &Unlisted {
        &self.1
    }
}

impl Unlisted {
    /// None.
    pub fn values(&self) -> Option<Values> {
        None
    }
}

/// The texts that a type's schema lists; none where it leaves any open.
fn listed<T: JsonSchema>() -> Vec<String> {
    fn collect(schema: &Value, values: &mut Vec<String>) -> Option<()> {
        if let Some(only) = schema.get("const") {
            values.push(only.as_str()?.to_owned());
        } else if let Some(Value::Array(listed)) = schema.get("enum") {
            for value in listed {
                values.push(value.as_str()?.to_owned());
            }
        } else if schema["type"] == "boolean" {
            values.extend(["true", "false"].map(str::to_owned));
        } else {
            let choices = schema.get("oneOf").or_else(|| schema.get("anyOf"))?.as_array()?;
            for choice in choices {
                collect(choice, values)?;
            }
        }
        Some(())
    }
    let mut values = Vec::new();
    collect(&schema_of::<T>(), &mut values).map_or_else(Vec::new, |()| values)
}

/// Answers `completion/complete`, or gets its answer under way.
pub(super) fn complete(request: &Request<'_>) -> Result<Step<CompleteResult>, Refusal> {
    #[derive(Deserialize)]
    struct Completed {
        #[serde(rename = "ref")]
        reference: Reference,
        argument: Argument,
        #[serde(default)]
        context: Option<Resolved>,
    }
    #[derive(Deserialize)]
    #[serde(tag = "type")]
    enum Reference {
        #[serde(rename = "ref/prompt")]
        Prompt { name: String },
        #[serde(rename = "ref/resource")]
        Resource { uri: String },
    }
    #[derive(Deserialize)]
    struct Argument {
        name: String,
        value: String,
    }
    #[derive(Deserialize)]
    struct Resolved {
        #[serde(default)]
        arguments: Option<BTreeMap<String, String>>,
    }
    let registry: &Registry = request.registry;
    if !registry.has_completions() {
        return Err(RpcError::new(ErrorCode::MethodNotFound, "this server completes no arguments").into());
    }
    let Completed { reference, argument, context } = params::required(request.raw, "params.ref")?;
    let name = argument.name.as_str();
    let (completing, known, scopes): (&[(&str, Completing)], bool, _) = match &reference {
        Reference::Prompt { name: prompt } => match registry.prompt(prompt) {
            Some(prompt) => {
                let mut arguments = prompt.listed.arguments.iter().flatten();
                (&prompt.completing, arguments.any(|argument| argument.name == name), prompt.scopes)
            }
            None => return Err(unknown("prompt", prompt, registry.prompt_names()).into()),
        },
        Reference::Resource { uri } => {
            match registry.template_of(uri).or_else(|| registry.template(uri).map(|(found, _)| found)) {
                Some(template) => {
                    let spec = &template.spec;
                    (&template.completing, spec.segments.iter().any(|it| it.is(name)), spec.scopes)
                }
                None => {
                    // One that is there has no variables; another is not what was meant.
                    let is_there = registry.resource_uris().any(|known| known == uri);
                    let others = registry.resource_uris().filter(|_| !is_there);
                    return Err(unknown("resource template", uri, others).into());
                }
            }
        }
    };
    // Whoever may not have the thing is not told what it could be asked.
    request.caller.must_have(scopes)?;
    if !known {
        return Err(RpcError::invalid_params(format!("there is no argument `{}` to complete", excerpt(name))).into());
    }
    let found = completing.iter().find(|(completed, _)| *completed == name).map(|(_, completing)| completing);
    let result = |values| Ok(CompleteResult { completion: Completion::new(values), meta: None });
    Ok(match found {
        Some(Completing::ByFunction(complete)) => {
            let arguments = context.and_then(|context| context.arguments).unwrap_or_default();
            let values = complete(CompletionRequest { value: argument.value, arguments });
            Step::Later(Box::pin(async move { result(values.await) }))
        }
        Some(Completing::Closed(values)) => {
            let fits = |value: &&String| begins_with(value, &argument.value);
            Step::Done(result(values.iter().filter(fits).cloned().collect()))
        }
        None => Step::Done(result(Vec::new())),
    })
}

/// Whether `value` begins with `typed`, whatever the case of either.
fn begins_with(value: &str, typed: &str) -> bool {
    let mut rest = value.chars().flat_map(char::to_lowercase);
    typed.chars().flat_map(char::to_lowercase).all(|typed| rest.next() == Some(typed))
}
