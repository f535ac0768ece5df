//! What is wrong with arguments, and how it is told: every problem with its path, what was expected, what came.

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::{Value, value::RawValue};
use serde_path_to_error::{Path, Segment};

use super::{
    bounds::{self, OfType},
    definition::Parameter,
    describe::schema_of,
    lenient::meant_by,
    misfits::{Misfit, misfits},
    nearest::{excerpt, nearest},
    patterns::Patterns,
    portable::referred,
};
use crate::protocol::RpcError;

/// What is wrong with one argument.
#[derive(Clone, Debug, PartialEq)]
pub enum Problem {
    /// It is not there; what was expected, if that is known.
    Missing(Option<String>),
    /// It is of another kind than expected: path below the argument, what was expected, what came.
    Unfit {
        /// `.street`, `[2]`; empty for the argument itself.
        below: String,
        /// E.g. `expected an integer, got the string "x"`.
        text: String,
    },
    /// Several things are wrong below it.
    Several(Vec<Misfit>),
    /// There is no argument of this name; the nearest there is.
    Unknown(Option<String>),
    /// An extractor failed.
    Context(String),
}

/// A type, as far as it takes one to say why a value is none of it. Saying so is the same for all types.
pub(super) struct ValueType {
    pub(super) schema: fn() -> Value,
    /// Where the type refuses a text, and why, in the words of `serde`.
    refused: fn(&str) -> Option<(Path, String)>,
}

impl ValueType {
    pub(super) fn of<T: DeserializeOwned + JsonSchema>() -> Self {
        let refused = |raw: &str| {
            let mut deserializer = serde_json::Deserializer::from_str(raw);
            let error = serde_path_to_error::deserialize::<_, T>(&mut deserializer).err()?;
            Some((error.path().clone(), error.inner().to_string()))
        };
        Self { schema: schema_of::<T>, refused }
    }
}

impl Problem {
    /// All of these at once, if there are any.
    pub(super) fn of(mut found: Vec<Misfit>) -> Option<Self> {
        if found.len() > 1 {
            return Some(Self::Several(found));
        }
        found.pop().map(|Misfit { below, text }| Self::Unfit { below, text })
    }
}

/// Why a value does not fit: at each path, what was expected, what came.
pub(super) fn explain(
    of: &ValueType,
    parameter: &Parameter,
    raw: &RawValue,
    strict: bool,
    patterns: &Patterns,
) -> Problem {
    let problem = explain_by_type(of, parameter, raw.get(), strict, patterns);
    // How many items there are is wrong whatever they are; of the rest the type has spoken.
    if !raw.get().starts_with('[') {
        return problem;
    }
    let mut found: Vec<_> = bounds::check(parameter, patterns, raw).into_iter().map(Misfit::of_whole).collect();
    if found.is_empty() {
        return problem;
    }
    match problem {
        Problem::Unfit { below, text } => found.push(Misfit { below, text }),
        Problem::Several(others) => found.extend(others),
        problem => return problem,
    }
    Problem::Several(found)
}

fn explain_by_type(of: &ValueType, parameter: &Parameter, raw: &str, strict: bool, patterns: &Patterns) -> Problem {
    let schema = (of.schema)();
    let value: Value = serde_json::from_str(raw).unwrap_or_default();
    let found = misfits(&schema, &value, strict, patterns);
    let (below, text) = first(of, parameter, raw).unwrap_or_else(|| does_not_fit(of, parameter, raw));
    let (mut whole, mut found): (Vec<_>, Vec<_>) = found.into_iter().partition(|it| it.below.is_empty());
    if text.starts_with(OF_A_VARIANT) {
        // A schema says of such a text that it is none of its choices.
        whole.clear();
        found.retain(|it| it.below != below);
    }
    let is_list = schema["type"] == "array" && value.is_array();
    if found.is_empty() {
        // Of a choice, and of a count of items, a type says less than its schema.
        let says_more = schema.get("anyOf").is_some() || is_list;
        let of_whole = whole.into_iter().next().filter(|_| below.is_empty() && says_more);
        return of_whole
            .map_or(Problem::Unfit { below, text }, |Misfit { below, text }| Problem::Unfit { below, text });
    }
    // What the schema does not say, a grammar of a text, is told beside what it does; not what would be mended.
    let beyond = if strict || text.starts_with("duplicate field") {
        Some((below, text))
    } else {
        first(of, parameter, &meant_by(&schema, value).to_string())
    };
    if is_list {
        found.splice(0..0, whole);
    }
    if let Some((below, text)) = beyond.filter(|(below, _)| !found.iter().any(|it| it.below.starts_with(below))) {
        found.push(Misfit { below, text });
    }
    Problem::Several(found)
}

/// What is told of a value whose type takes its beginning: an integer of 128 bits that is written as a float.
fn does_not_fit(of: &ValueType, parameter: &Parameter, raw: &str) -> (String, String) {
    let expected = bounds::expectation(&(of.schema)(), parameter, raw).unwrap_or_else(|| "another value".to_owned());
    (String::new(), format!("expected {expected}, got {}", bounds::kind_of(raw)))
}

/// The first thing that is wrong with a value, as its type says.
fn first(of: &ValueType, parameter: &Parameter, raw: &str) -> Option<(String, String)> {
    let (path, said) = (of.refused)(raw)?;
    let below = match path.to_string() {
        path if path == "." => String::new(),
        path if path.starts_with('[') => path,
        path => format!(".{path}"),
    };
    let said = said.split(" at line ").next().unwrap_or_default();
    if let Some(told) = bare_variant(&path, &below, said) {
        return Some(told);
    }
    let of_a_member = said.starts_with("missing field") || said.starts_with("unknown field");
    let got = bounds::kind_of(raw);
    // What is wrong with a name in a map has no path.
    if let Some(below) = below.strip_suffix(".?") {
        let said = in_order(said).unwrap_or_else(|| said.to_owned());
        return Some((below.to_owned(), format!("a name in it does not fit: {said}")));
    }
    let of_type = OfType::broken(said);
    let text = match bounds::expectation_of_type(&(of.schema)(), parameter, raw, of_type) {
        Some(expected) if below.is_empty() && !of_a_member && !bounds::is_of_kind(&expected, raw) => {
            format!("expected {expected}, got {got}")
        }
        _ => in_order(said).unwrap_or_else(|| match of_a_member || said.starts_with("unknown variant") {
            true => said.to_owned(),
            false => own_words(of, parameter, raw, &path, said),
        }),
    };
    Some((below, text))
}

const OF_A_VARIANT: &str = "expected an object with the member ";

/// What is told of a variant with data whose name came alone.
fn bare_variant(path: &Path, below: &str, said: &str) -> Option<(String, String)> {
    let variant = match path.iter().next_back()? {
        Segment::Enum { variant } if said.starts_with("invalid type: unit variant, expected ") => variant,
        _ => return None,
    };
    let below = below.strip_suffix(variant.as_str())?.strip_suffix('.')?;
    Some((below.to_owned(), format!("{OF_A_VARIANT}`{variant}`, got the string {variant:?}")))
}

/// What a type says by itself of a value, which has a grammar of its own: with what came, and the `format` that was
/// expected, where there is one.
fn own_words(of: &ValueType, parameter: &Parameter, raw: &str, path: &Path, said: &str) -> String {
    let (schema, value) = ((of.schema)(), serde_json::from_str::<Value>(raw).unwrap_or_default());
    let is_whole = path.iter().len() == 0;
    let value = match value_at(&value, path) {
        Some(Value::Array(_) | Value::Object(_)) | None if !is_whole => return said.to_owned(),
        value => value.unwrap_or(&Value::Null),
    };
    let got = if is_whole { bounds::kind_of(raw) } else { bounds::kind_of(&value.to_string()) };
    let own = parameter.format.filter(|_| is_whole);
    match own.or_else(|| format_of(schema_at(&schema, path)?)).filter(|_| value.is_string()) {
        Some(format) => format!("expected a string ({format}), got {got}: {said}"),
        None => format!("{said}, got {got}"),
    }
}

fn value_at<'a>(value: &'a Value, path: &Path) -> Option<&'a Value> {
    path.iter().try_fold(value, |value, segment| match segment {
        Segment::Seq { index } => value.get(index),
        Segment::Map { key } | Segment::Enum { variant: key } => value.get(key),
        Segment::Unknown => None,
    })
}

fn schema_at<'a>(root: &'a Value, path: &Path) -> Option<&'a Value> {
    let named = |schema: &'a Value| {
        let name = schema["$ref"].as_str().and_then(referred);
        name.and_then(|name| root["$defs"].get(&name)).unwrap_or(schema)
    };
    let part = |schema: &'a Value, segment: &Segment| match segment {
        Segment::Seq { index } => schema["prefixItems"].get(index).or_else(|| schema.get("items")),
        Segment::Map { key } | Segment::Enum { variant: key } => {
            schema["properties"].get(key).or_else(|| schema.get("additionalProperties"))
        }
        Segment::Unknown => None,
    };
    path.iter().try_fold(named(root), |schema, segment| {
        let part = match schema["anyOf"].as_array() {
            Some(choices) => choices.iter().find_map(|choice| part(named(choice), segment)),
            None => part(schema, segment),
        };
        part.map(named)
    })
}

/// The `format` of a schema; where not all clients know it, it is a remark in the description.
fn format_of(schema: &Value) -> Option<&str> {
    schema["format"].as_str().or_else(|| {
        let (_, remark) = schema["description"].as_str()?.rsplit_once("format: ")?;
        let format = remark.split(')').next()?;
        let is_name = !format.is_empty() && format.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
        is_name.then_some(format)
    })
}

/// What serde says of a wrong value, with what was expected first.
fn in_order(said: &str) -> Option<String> {
    let (said, kind) = [("invalid type: ", ""), ("invalid value: ", ""), ("invalid length ", "length ")]
        .into_iter()
        .find_map(|(prefix, kind)| Some((said.strip_prefix(prefix)?, kind)))?;
    let (got, expected) = said.rsplit_once(", expected ")?;
    let expected = OfType::broken(said).map_or_else(|| bounds::in_json_words(expected).to_owned(), OfType::in_words);
    Some(format!("expected {expected}, got {kind}{got}"))
}

/// The problems of a flattened parameter as some of the members that they are about: clients do not see the parameter.
pub(super) fn of_members(problem: Problem) -> Vec<(String, Problem)> {
    match problem {
        Problem::Unfit { below, text } => vec![of_member(&below, text)],
        Problem::Several(misfits) => misfits.into_iter().map(|it| of_member(&it.below, it.text)).collect(),
        problem => vec![(String::new(), problem)],
    }
}

fn of_member(below: &str, text: String) -> (String, Problem) {
    let named = |prefix: &str| text.strip_prefix(prefix)?.split('`').next().map(str::to_owned);
    if below.is_empty() {
        if let Some(name) = named("missing field `") {
            return (name, Problem::Missing(None));
        }
        if let Some(name) = named("unknown field `") {
            return (name, Problem::Unknown(None));
        }
        return ("arguments".to_owned(), Problem::Unfit { below: String::new(), text });
    }
    let path = below.trim_start_matches('.');
    let end = path.find(['.', '[']).unwrap_or(path.len());
    let (name, below) = path.split_at(end);
    (name.to_owned(), Problem::Unfit { below: below.to_owned(), text })
}

/// An argument that nobody knows, beside `others`: what will not be told is not compared with any name.
pub(super) fn unknown<'a>(name: &str, known: impl Iterator<Item = &'a str>, others: usize) -> Problem {
    let near = if others < TOLD { nearest(name, known) } else { None };
    Problem::Unknown(near.map(str::to_owned))
}

pub(super) fn twice() -> Problem {
    Problem::Unfit { below: String::new(), text: "given twice".to_owned() }
}

/// So many problems are told: whoever makes more of them reads no longer answer.
const TOLD: usize = 32;

/// Every problem on a line of its own, for the model to mend.
pub(super) fn refusal(kind: &str, name: &str, problems: &[(String, Problem)]) -> String {
    let mut text = format!("Invalid arguments for {kind} `{}`:", excerpt(name));
    for (name, problem) in problems.iter().take(TOLD) {
        text.push_str("\n- ");
        text.push_str(&lines(name, problem));
    }
    if let Some(more) = problems.len().checked_sub(TOLD).filter(|more| *more > 0) {
        text.push_str("\n- and ");
        text.push_str(&more.to_string());
        text.push_str(" more");
    }
    text
}

pub(super) fn refusal_error(kind: &str, name: &str, problems: &[(String, Problem)]) -> RpcError {
    match context_failure(problems) {
        Some(text) => RpcError::internal(text),
        None => RpcError::invalid_params(refusal(kind, name, problems)),
    }
}

/// What an extractor said: then the arguments are not to blame.
pub(super) fn context_failure(problems: &[(String, Problem)]) -> Option<&str> {
    problems.iter().find_map(|(_, problem)| match problem {
        Problem::Context(text) => Some(text.as_str()),
        _ => None,
    })
}

fn lines(name: &str, problem: &Problem) -> String {
    match problem {
        Problem::Missing(Some(expected)) => format!("`{name}`: missing, expected {expected}"),
        Problem::Missing(None) => format!("`{name}`: missing"),
        Problem::Unfit { below, text } => format!("`{name}{below}`: {text}"),
        Problem::Several(misfits) => {
            let lines = misfits.iter().map(|it| format!("`{name}{}`: {}", it.below, it.text));
            lines.collect::<Vec<_>>().join("\n- ")
        }
        Problem::Unknown(Some(near)) => {
            format!("`{name}`: unknown argument, did you mean `{near}`?")
        }
        Problem::Unknown(None) => format!("`{name}`: unknown argument"),
        Problem::Context(text) => text.clone(),
    }
}
