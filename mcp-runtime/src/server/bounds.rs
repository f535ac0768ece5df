//! The bounds of an argument: whether a value keeps them, and how they are told.

use regex_lite::Regex;
use schemars::JsonSchema;
use serde_json::Value;

use super::{
    definition::Parameter,
    describe::{figure, schema_of},
    nearest::excerpt,
};

/// Whether a value that has the right type keeps the parameter's bounds; else what was expected and what came.
pub(crate) fn check(parameter: &Parameter, raw: &str) -> Result<(), String> {
    if !parameter.is_bounded() {
        return Ok(());
    }
    match serde_json::from_str::<Value>(raw) {
        Ok(Value::Number(number)) => number.as_f64().map_or(Ok(()), |number| check_number(parameter, number, raw)),
        Ok(Value::String(text)) => check_text(parameter, &text),
        Ok(Value::Array(items)) => check_count("items", items.len() as u64, (parameter.min_items, parameter.max_items)),
        _ => Ok(()),
    }
}

fn check_number(parameter: &Parameter, number: f64, raw: &str) -> Result<(), String> {
    let kept = parameter.minimum.is_none_or(|bound| number >= bound)
        && parameter.maximum.is_none_or(|bound| number <= bound)
        && parameter.exclusive_minimum.is_none_or(|bound| number > bound)
        && parameter.exclusive_maximum.is_none_or(|bound| number < bound);
    if kept { Ok(()) } else { Err(format!("expected a number {}, got {}", range(parameter), excerpt(raw))) }
}

fn check_text(parameter: &Parameter, text: &str) -> Result<(), String> {
    check_count("characters", text.chars().count() as u64, (parameter.min_length, parameter.max_length))?;
    match parameter.pattern {
        // The macro has compiled the pattern before; a broken one never gets here.
        Some(pattern) if !Regex::new(pattern).is_ok_and(|regex| regex.is_match(text)) => {
            Err(format!("expected text that matches {pattern}, got {:?}", excerpt(text)))
        }
        _ => Ok(()),
    }
}

fn check_count(what: &str, count: u64, bounds: (Option<u64>, Option<u64>)) -> Result<(), String> {
    match bounds {
        (Some(least), _) if count < least => Err(format!("expected at least {least} {what}, got {count}")),
        (_, Some(most)) if count > most => Err(format!("expected at most {most} {what}, got {count}")),
        _ => Ok(()),
    }
}

impl Parameter {
    fn is_bounded(&self) -> bool {
        self.minimum.is_some()
            || self.maximum.is_some()
            || self.exclusive_minimum.is_some()
            || self.exclusive_maximum.is_some()
            || self.min_length.is_some()
            || self.max_length.is_some()
            || self.pattern.is_some()
            || self.min_items.is_some()
            || self.max_items.is_some()
    }
}

/// `from 1 to 7`, `at least 1`, `above 0 and below 1`.
fn range(parameter: &Parameter) -> String {
    let mut words = Vec::new();
    match (parameter.minimum, parameter.maximum) {
        (Some(least), Some(most)) => words.push(format!("from {} to {}", figure(least), figure(most))),
        (Some(least), None) => words.push(format!("of at least {}", figure(least))),
        (None, Some(most)) => words.push(format!("of at most {}", figure(most))),
        (None, None) => {}
    }
    words.extend(parameter.exclusive_minimum.map(|bound| format!("above {}", figure(bound))));
    words.extend(parameter.exclusive_maximum.map(|bound| format!("below {}", figure(bound))));
    words.join(" and ")
}

/// What a parameter takes, in words: `an integer from 1 to 7`, `one of "a", "b"`.
pub(crate) fn expectation<T: JsonSchema>(parameter: &Parameter) -> Option<String> {
    let kind = words(&schema_of::<T>())?;
    let range = range(parameter);
    Some(if range.is_empty() { kind } else { format!("{kind} {range}") })
}

fn words(schema: &Value) -> Option<String> {
    if let Some(values) = schema["enum"].as_array() {
        let values: Vec<_> = values.iter().map(Value::to_string).collect();
        return Some(format!("one of {}", values.join(", ")));
    }
    if let Some(value) = schema.get("const") {
        return Some(value.to_string());
    }
    let kind = match schema["type"].as_str()? {
        "integer" => {
            let bound = |key: &str| schema[key].as_i64();
            return Some(match (bound("minimum"), bound("maximum")) {
                (Some(least), Some(most)) => format!("an integer from {least} to {most}"),
                (Some(least), None) => format!("an integer of at least {least}"),
                _ => "an integer".to_owned(),
            });
        }
        "number" => "a number",
        "string" => "a string",
        "boolean" => "a boolean",
        "object" => "an object",
        "array" => "an array",
        "null" => "null",
        _ => return None,
    };
    Some(kind.to_owned())
}

/// What came, in words: `the string "x"`, `5.5`, `an array`.
pub(crate) fn kind_of(raw: &str) -> String {
    match raw.as_bytes().first() {
        Some(b'"') => format!("the string {:?}", excerpt(&serde_json::from_str::<String>(raw).unwrap_or_default())),
        Some(b'{') => "an object".to_owned(),
        Some(b'[') => "an array".to_owned(),
        _ => excerpt(raw).to_owned(),
    }
}
