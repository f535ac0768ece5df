//! What is wrong with arguments, and how it is told: every problem with its path, what was expected, what came.

use schemars::JsonSchema;
use serde::de::DeserializeOwned;

use super::{bounds, definition::Parameter, nearest::excerpt};
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
    /// There is no argument of this name; the nearest there is.
    Unknown(Option<String>),
    /// An extractor failed.
    Context(String),
}

/// Why a value does not fit: at which path, what was expected, what came.
pub(super) fn explain<T: DeserializeOwned + JsonSchema>(parameter: &Parameter, raw: &str) -> Problem {
    let mut deserializer = serde_json::Deserializer::from_str(raw);
    let Err(error) = serde_path_to_error::deserialize::<_, T>(&mut deserializer) else {
        return Problem::Unfit { below: String::new(), text: "does not fit".to_owned() };
    };
    let below = match error.path().to_string() {
        path if path == "." => String::new(),
        path if path.starts_with('[') => path,
        path => format!(".{path}"),
    };
    let said = error.inner().to_string();
    let said = said.split(" at line ").next().unwrap_or_default();
    let of_a_member = said.starts_with("missing field") || said.starts_with("unknown field");
    let got = bounds::kind_of(raw);
    let text = match bounds::expectation::<T>(parameter) {
        Some(expected) if below.is_empty() && !of_a_member && !bounds::is_of_kind(&expected, raw) => {
            format!("expected {expected}, got {got}")
        }
        _ => match said.strip_prefix("invalid type: ").and_then(|rest| rest.rsplit_once(", expected ")) {
            Some((got, expected)) => format!("expected {}, got {got}", bounds::in_json_words(expected)),
            None => said.to_owned(),
        },
    };
    Problem::Unfit { below, text }
}

/// A problem of a flattened parameter as one of the member that it is about: clients do not see the parameter.
pub(super) fn of_member(problem: Problem) -> (String, Problem) {
    let Problem::Unfit { below, text } = problem else { return (String::new(), problem) };
    let named = |prefix: &str| text.strip_prefix(prefix)?.split('`').next().map(str::to_owned);
    if below.is_empty() {
        if let Some(name) = named("missing field `") {
            return (name, Problem::Missing(None));
        }
        if let Some(name) = named("unknown field `") {
            return (name, Problem::Unknown(None));
        }
        return ("arguments".to_owned(), Problem::Unfit { below, text });
    }
    let path = below.trim_start_matches('.');
    let end = path.find(['.', '[']).unwrap_or(path.len());
    let (name, below) = path.split_at(end);
    (name.to_owned(), Problem::Unfit { below: below.to_owned(), text })
}

pub(super) fn twice() -> Problem {
    Problem::Unfit { below: String::new(), text: "given twice".to_owned() }
}

/// Every problem on a line of its own, for the model to mend.
pub(super) fn refusal(kind: &str, name: &str, problems: &[(String, Problem)]) -> String {
    let mut text = format!("Invalid arguments for {kind} `{}`:", excerpt(name));
    for (name, problem) in problems {
        text.push_str("\n- ");
        text.push_str(&line(name, problem));
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

fn line(name: &str, problem: &Problem) -> String {
    match problem {
        Problem::Missing(Some(expected)) => format!("`{name}`: missing, expected {expected}"),
        Problem::Missing(None) => format!("`{name}`: missing"),
        Problem::Unfit { below, text } => format!("`{name}{below}`: {text}"),
        Problem::Unknown(Some(near)) => {
            format!("`{name}`: unknown argument, did you mean `{near}`?")
        }
        Problem::Unknown(None) => format!("`{name}`: unknown argument"),
        Problem::Context(text) => text.clone(),
    }
}
