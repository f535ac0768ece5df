//! The bounds of an argument: whether a value keeps them, and how they are told.

use std::{cmp::Ordering, collections::HashSet, fmt};

use serde::{
    Deserialize, Deserializer,
    de::{IgnoredAny, SeqAccess, Visitor},
};
use serde_json::{Map, Number, Value, value::RawValue};

use super::{definition::Parameter, describe::figure, nearest::excerpt, patterns::Patterns};
use crate::protocol::jsonrpc::text_of;

/// The bounds of the parameter that a value of the right type breaks: of each what was expected and what came.
pub(super) fn check(parameter: &Parameter, patterns: &Patterns, raw: &RawValue) -> Vec<String> {
    if !parameter.is_bounded() {
        return Vec::new();
    }
    match raw.get().as_bytes().first() {
        Some(b'"') => text_of(raw).map_or_else(Vec::new, |text| check_text(parameter, patterns, &text)),
        Some(b'[') => {
            let count = check_count("items", count_items(raw), (parameter.min_items, parameter.max_items));
            count.into_iter().collect()
        }
        Some(b'-' | b'0'..=b'9') => {
            let broken = raw.get().parse().ok().and_then(|number| check_number(parameter, number, raw));
            broken.into_iter().collect()
        }
        _ => Vec::new(),
    }
}

fn check_number(parameter: &Parameter, number: f64, raw: &RawValue) -> Option<String> {
    let kept = parameter.minimum.is_none_or(|bound| number >= bound)
        && parameter.maximum.is_none_or(|bound| number <= bound)
        && parameter.exclusive_minimum.is_none_or(|bound| number > bound)
        && parameter.exclusive_maximum.is_none_or(|bound| number < bound);
    (!kept).then(|| format!("expected {}, got {}", range("a number", parameter, None), excerpt(raw.get())))
}

fn check_text(parameter: &Parameter, patterns: &Patterns, text: &str) -> Vec<String> {
    let mut broken = Vec::new();
    if parameter.min_length.is_some() || parameter.max_length.is_some() {
        let length = text.chars().count() as u64;
        broken.extend(check_count("characters", length, (parameter.min_length, parameter.max_length)));
    }
    broken.extend(parameter.pattern.filter(|it| !patterns.is_match(it, text)).map(|it| unlike(it, text)));
    broken
}

fn unlike(pattern: &str, text: &str) -> String {
    format!("expected text that matches {pattern}, got {:?}", excerpt(text))
}

fn check_count(what: &str, count: u64, bounds: (Option<u64>, Option<u64>)) -> Option<String> {
    match bounds {
        (Some(least), _) if count < least => Some(format!("expected at least {least} {what}, got {count}")),
        (_, Some(most)) if count > most => Some(format!("expected at most {most} {what}, got {count}")),
        _ => None,
    }
}

/// Whether a value keeps all bounds that its schema has, at the value itself. A pattern that is not known is kept.
pub(super) fn keeps(schema: &Value, value: &Value, patterns: Option<&Patterns>) -> bool {
    is_within(schema, value)
        && unmatched(schema, value, patterns).is_none()
        && is_multiple(schema, value)
        && repeated(schema, value).is_none()
}

/// The bounds of a schema that a value breaks, at the value itself: of each what was expected and what came.
pub(super) fn broken(schema: &Value, value: &Value, patterns: Option<&Patterns>) -> Vec<String> {
    let mut broken = Vec::new();
    if !is_within(schema, value) {
        let got = value.to_string();
        let came = value.as_array().map_or_else(|| kind_of(&got), |items| items.len().to_string());
        let expected = expected(&of_kind(schema, value), &got).unwrap_or_default();
        broken.push(format!("expected {expected}, got {came}"));
    }
    broken.extend(unmatched(schema, value, patterns).map(|(pattern, text)| unlike(pattern, text)));
    if !is_multiple(schema, value) {
        broken.push(format!("expected a multiple of {}, got {value}", schema["multipleOf"]));
    }
    if let Some(item) = repeated(schema, value) {
        broken.push(format!("expected each item once, got {} again", kind_of(&item.to_string())));
    }
    broken
}

/// The schema's bounds beside the one type that the value has of those that it names.
fn of_kind(schema: &Value, value: &Value) -> Value {
    let is_integer =
        schema["type"] == "integer" || schema["type"].as_array().is_some_and(|kinds| kinds.contains(&"integer".into()));
    let kind = match value {
        Value::Number(_) if is_integer => "integer",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        _ => "array",
    };
    let mut bounds: Map<_, _> = schema.as_object().cloned().unwrap_or_default();
    bounds.retain(|keyword, _| !matches!(keyword.as_str(), "anyOf" | "enum"));
    bounds.insert("type".to_owned(), kind.into());
    bounds.into()
}

/// Whether a value keeps the range of its schema: of numbers, of the length of texts, of the count of items.
fn is_within(schema: &Value, value: &Value) -> bool {
    let (least, amount, most) = match value {
        Value::Number(number) => {
            return !is_beyond(schema, "minimum", number, Ordering::Less)
                && !is_beyond(schema, "maximum", number, Ordering::Greater)
                && !is_beyond(schema, "exclusiveMinimum", number, Ordering::Less)
                && !is_beyond(schema, "exclusiveMaximum", number, Ordering::Greater);
        }
        Value::String(_) if schema.get("minLength").is_none() && schema.get("maxLength").is_none() => return true,
        Value::String(text) => ("minLength", text.chars().count(), "maxLength"),
        Value::Array(items) => ("minItems", items.len(), "maxItems"),
        _ => return true,
    };
    #[allow(clippy::cast_precision_loss, reason = "lengths")]
    let amount = amount as f64;
    schema[least].as_f64().is_none_or(|least| amount >= least)
        && schema[most].as_f64().is_none_or(|most| amount <= most)
}

/// Whether a number is on the wrong side of a bound, or at it where it is not to be reached.
fn is_beyond(schema: &Value, keyword: &str, number: &Number, wrong: Ordering) -> bool {
    let Value::Number(bound) = &schema[keyword] else { return false };
    let side = match (number.as_i128(), bound.as_i128()) {
        // A float does not tell great integers apart.
        (Some(number), Some(bound)) => Some(number.cmp(&bound)),
        _ => number.as_f64().zip(bound.as_f64()).and_then(|(number, bound)| number.partial_cmp(&bound)),
    };
    side.is_some_and(|side| side == wrong || (side.is_eq() && keyword.starts_with("exclusive")))
}

/// The schema's pattern and the text, where that does not match.
fn unmatched<'a>(schema: &'a Value, value: &'a Value, patterns: Option<&Patterns>) -> Option<(&'a str, &'a str)> {
    let (pattern, text) = (schema["pattern"].as_str()?, value.as_str()?);
    patterns.is_some_and(|known| known.knows(pattern) && !known.is_match(pattern, text)).then_some((pattern, text))
}

fn is_multiple(schema: &Value, value: &Value) -> bool {
    let (Value::Number(step), Value::Number(number)) = (&schema["multipleOf"], value) else { return true };
    match (number.as_i128(), step.as_i128()) {
        (Some(number), Some(step)) => step == 0 || number % step == 0,
        _ => {
            // 0.3 is three times 0.1 to everybody but a float.
            const ALMOST: f64 = 1e-9;
            let times = number.as_f64().zip(step.as_f64()).map_or(0.0, |(number, step)| number / step);
            !times.is_finite() || (times - times.round()).abs() <= ALMOST * times.abs().max(1.0)
        }
    }
}

/// The item that a list has twice, though its schema has each once.
fn repeated<'a>(schema: &Value, value: &'a Value) -> Option<&'a Value> {
    let items = value.as_array().filter(|_| schema["uniqueItems"] == true)?;
    let mut known = HashSet::new();
    items.iter().find(|item| !known.insert(*item))
}

fn count_items(raw: &RawValue) -> u64 {
    struct Count;

    impl<'de> Visitor<'de> for Count {
        type Value = u64;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an array")
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<u64, A::Error> {
            let mut count = 0;
            while items.next_element::<IgnoredAny>()?.is_some() {
                count += 1;
            }
            Ok(count)
        }
    }

    // The text was parsed before.
    serde_json::Deserializer::from_str(raw.get()).deserialize_seq(Count).unwrap_or_default()
}

impl Parameter {
    /// Whether `#[mcp(…)]` gives it bounds.
    pub(super) fn is_bounded(&self) -> bool {
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

/// `a number from 1 to 7`, `an integer of at least 1`, `a number above 0 and below 1`; the bounds of the type stand in
/// for those that the parameter has not.
fn range(kind: &str, parameter: &Parameter, of_type: Option<OfType>) -> String {
    let bound = |own: Option<f64>, exclusive: Option<f64>, of_type: Option<&str>| match (own, exclusive) {
        (Some(own), _) => Some(figure(own).to_string()),
        (None, Some(_)) => None,
        (None, None) => of_type.map(str::to_owned),
    };
    let least = bound(parameter.minimum, parameter.exclusive_minimum, of_type.map(|it| it.least));
    let most = bound(parameter.maximum, parameter.exclusive_maximum, of_type.map(|it| it.most));
    let mut words = Vec::new();
    match (least, most) {
        (Some(least), Some(most)) => words.push(format!("from {least} to {most}")),
        (Some(least), None) => words.push(format!("of at least {least}")),
        (None, Some(most)) => words.push(format!("of at most {most}")),
        (None, None) => {}
    }
    words.extend(parameter.exclusive_minimum.map(|bound| format!("above {}", figure(bound))));
    words.extend(parameter.exclusive_maximum.map(|bound| format!("below {}", figure(bound))));
    if words.is_empty() { kind.to_owned() } else { format!("{kind} {}", words.join(" and ")) }
}

/// The bounds of an integer type of 64 bits, which schemas do not say: clients keep numbers as floats.
#[derive(Clone, Copy)]
pub(super) struct OfType {
    least: &'static str,
    most: &'static str,
}

impl OfType {
    /// The bounds that a number has broken, of which serde says `invalid type: …, expected u64`.
    pub(super) fn broken(said: &str) -> Option<Self> {
        const BITS_64: f64 = 18_446_744_073_709_551_616.0;
        let (got, expected) = said.rsplit_once(", expected ")?;
        let (bounds, beyond) = match expected {
            "u64" | "usize" => (Self { least: "0", most: "18446744073709551615" }, BITS_64),
            "i64" | "isize" => (Self { least: "-9223372036854775808", most: "9223372036854775807" }, BITS_64 / 2.0),
            _ => return None,
        };
        let number: f64 = got.split('`').nth(1)?.parse().ok()?;
        (number.abs() >= beyond).then_some(bounds)
    }

    /// What the type takes, in words.
    pub(super) fn in_words(self) -> String {
        range("an integer", &Parameter::new(""), Some(self))
    }
}

/// What a parameter takes, in words: `an integer from 1 to 7`, `one of "a", "b"`; `got` is what came instead.
pub(super) fn expectation(schema: &Value, parameter: &Parameter, got: &str) -> Option<String> {
    in_words(schema, *parameter, got, None)
}

/// The same of a value whose type is the reason: it has broken the bounds `of_type`, if any.
pub(super) fn expectation_of_type(
    schema: &Value,
    parameter: &Parameter,
    got: &str,
    of_type: Option<OfType>,
) -> Option<String> {
    in_words(schema, *parameter, got, of_type)
}

/// What a schema allows, in words; `got` is what came instead.
pub(super) fn expected(schema: &Value, got: &str) -> Option<String> {
    in_words(schema, Parameter::new(""), got, None)
}

/// The schema's own bounds hold where the parameter's are no narrower.
fn in_words(schema: &Value, mut parameter: Parameter, got: &str, of_type: Option<OfType>) -> Option<String> {
    if let Some(choices) = schema["anyOf"].as_array() {
        let mut words: Vec<_> = choices.iter().map(|choice| expected(choice, got)).collect::<Option<_>>()?;
        words.dedup();
        return Some(words.join(" or "));
    }
    if schema["enum"].is_array() {
        return words(schema);
    }
    // The bounds of 32 bits are not what was wrong with anything but a number.
    let is_number = got.starts_with(|first: char| first == '-' || first.is_ascii_digit());
    let own = |key: &str| schema[key].as_f64().filter(|bound| is_number || !is_of_32_bits(*bound));
    parameter.minimum = [parameter.minimum, own("minimum")].into_iter().flatten().reduce(f64::max);
    parameter.maximum = [parameter.maximum, own("maximum")].into_iter().flatten().reduce(f64::min);
    let above = [parameter.exclusive_minimum, own("exclusiveMinimum")];
    parameter.exclusive_minimum = above.into_iter().flatten().reduce(f64::max);
    let below = [parameter.exclusive_maximum, own("exclusiveMaximum")];
    parameter.exclusive_maximum = below.into_iter().flatten().reduce(f64::min);
    let counted = match schema["type"].as_str() {
        Some("string") => count_in_words("character", schema["minLength"].as_u64(), schema["maxLength"].as_u64()),
        Some("array") => count_in_words("item", schema["minItems"].as_u64(), schema["maxItems"].as_u64()),
        _ => String::new(),
    };
    Some(range(&words(schema)?, &parameter, of_type) + &counted)
}

/// ` of 1 character`, ` of at least 2 items`, ` of 2 to 4 characters`.
fn count_in_words(what: &str, least: Option<u64>, most: Option<u64>) -> String {
    let count = match (least, most) {
        (None, None) => return String::new(),
        (Some(1), Some(1)) => return format!(" of 1 {what}"),
        (Some(least), Some(most)) if least == most => least.to_string(),
        (Some(least), Some(most)) => format!("{least} to {most}"),
        (Some(least), None) => format!("at least {least}"),
        (None, Some(most)) => format!("at most {most}"),
    };
    format!(" of {count} {what}s")
}

fn is_of_32_bits(bound: f64) -> bool {
    [f64::from(i32::MIN), f64::from(i32::MAX), f64::from(u32::MAX)].contains(&bound)
}

fn words(schema: &Value) -> Option<String> {
    if let Some(values) = schema["enum"].as_array() {
        let values: Vec<_> = values.iter().map(Value::to_string).collect();
        return Some(format!("one of {}", values.join(", ")));
    }
    kind_by_name(schema["type"].as_str()?).map(str::to_owned)
}

fn kind_by_name(name: &str) -> Option<&'static str> {
    Some(match name {
        "integer" => "an integer",
        "number" => "a number",
        "string" => "a string",
        "boolean" => "a boolean",
        "object" => "an object",
        "array" => "an array",
        "null" => "null",
        _ => return None,
    })
}

/// What serde says it expected, in the words of JSON.
pub(super) fn in_json_words(expected: &str) -> &str {
    match expected {
        "u8" | "u16" | "u32" | "u64" | "u128" | "usize" | "i8" | "i16" | "i32" | "i64" | "i128" | "isize" => {
            "an integer"
        }
        "f32" | "f64" => "a number",
        "a sequence" => "an array",
        "a map" => "an object",
        "unit" => "null",
        other if other.starts_with("struct ") => "an object",
        other => other,
    }
}

/// What came, in words: `the string "x"`, `5.5`, `an array`.
pub(super) fn kind_of(raw: &str) -> String {
    match raw.as_bytes().first() {
        Some(b'"') => format!("the string {:?}", excerpt(&String::deserialize(&mut from(raw)).unwrap_or_default())),
        Some(b'{') => "an object".to_owned(),
        Some(b'[') => "an array".to_owned(),
        _ => excerpt(raw).to_owned(),
    }
}

/// Whether a value is of the kind that was expected, and does not fit for another reason.
pub(super) fn is_of_kind(expected: &str, raw: &str) -> bool {
    match raw.as_bytes().first() {
        Some(b'"') => expected.starts_with("a string"),
        Some(b'{') => expected.starts_with("an object"),
        Some(b'[') => expected.starts_with("an array"),
        _ => false,
    }
}

fn from(raw: &str) -> serde_json::Deserializer<serde_json::de::StrRead<'_>> {
    serde_json::Deserializer::from_str(raw)
}
