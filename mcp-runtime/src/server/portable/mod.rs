//! Makes a schema one that every client reads: Claude, Gemini, OpenAI's function calling, and Cursor before them all.
//!
//! A value that comes out allows what the value that goes in allows, but for this:
//! - An object with named members takes no others, where it is an argument's.
//! - A member that may be left out is not said to take null.
//! - Texts are not held to a format, integers of one type not to a hole in their range, lists not to have each item once:
//!   the description says it.
//!
//! What no client's dialect has is left as it is; `obstacles` finds it.

mod composition;
#[cfg(test)]
mod tests;
mod words;

use schemars::generate::Contract;
use serde_json::{Map, Number, Value, json};

use composition::{Alternatives, alternatives, is_annotation, is_heeded, is_single};
use words::{note, say_annotations, say_members, say_values};

use super::{describe::drop_null, template::decode};

/// The schema as every client reads it; what is given to be deserialized is an argument.
pub(super) fn portable(schema: Value, contract: &Contract) -> Value {
    match schema {
        Value::Bool(true) => json!({}),
        Value::Object(schema) => node(schema, contract),
        _ => json!({ "not": {} }),
    }
}

/// A choice among objects as one object with the members of all: no client takes a choice at the top. It allows what
/// each choice allows, and mixtures; its description says which members go together.
pub(super) fn one_object(schema: &Value) -> Option<Value> {
    let choices = schema.get("anyOf")?.as_array()?;
    let mut objects = choices.iter().map(|choice| choice.as_object().filter(|_| choice["type"] == "object"));
    let first = objects.next()??;
    let mut properties = members(first).cloned().unwrap_or_default();
    let mut required = required(first);
    let mut others = first.get("additionalProperties").cloned();
    for object in objects {
        let object = object?;
        for (name, schema) in members(object).into_iter().flatten() {
            let known = properties.remove(name);
            let both = known.map_or_else(|| schema.clone(), |known| either(known, schema.clone()));
            properties.insert(name.clone(), both);
        }
        let also_required = self::required(object);
        required.retain(|name| also_required.contains(name));
        if others.as_ref() != object.get("additionalProperties") {
            others = Some(Value::Bool(true));
        }
    }
    let mut one: Map<_, _> = schema.as_object()?.clone();
    let said = say_members(one.remove("anyOf")?.as_array()?);
    one.insert("type".to_owned(), "object".into());
    one.insert("properties".to_owned(), properties.into());
    if !required.is_empty() {
        one.insert("required".to_owned(), required.into());
    }
    one.extend(others.map(|others| ("additionalProperties".to_owned(), others)));
    note(&mut one, &said);
    Some(one.into())
}

/// Those of the definitions that the schemas refer to, by others too.
pub(super) fn used<'a>(
    schemas: impl IntoIterator<Item = &'a Value>,
    definitions: &Map<String, Value>,
) -> Map<String, Value> {
    fn names(schema: &Value, found: &mut Vec<String>) {
        match schema {
            Value::Object(object) => {
                let name = object.get("$ref").and_then(Value::as_str).and_then(referred);
                found.extend(name);
                object.values().for_each(|value| names(value, found));
            }
            Value::Array(values) => values.iter().for_each(|value| names(value, found)),
            _ => {}
        }
    }

    let mut pending = Vec::new();
    schemas.into_iter().for_each(|schema| names(schema, &mut pending));
    let mut used = Map::new();
    while let Some(name) = pending.pop() {
        if let Some(definition) = definitions.get(&name)
            && !used.contains_key(&name)
        {
            names(definition, &mut pending);
            used.insert(name, definition.clone());
        }
    }
    used
}

/// The name of the definition that a reference is to: a JSON pointer in a URI's fragment (RFC 6901 §6).
pub(super) fn referred(reference: &str) -> Option<String> {
    let name = decode(reference.strip_prefix("#/$defs/")?)?;
    Some(name.replace("~1", "/").replace("~0", "~"))
}

fn node(mut schema: Map<String, Value>, contract: &Contract) -> Value {
    if schema.contains_key("$ref") {
        // Gemini takes nothing else beside a reference.
        schema.retain(|keyword, _| matches!(keyword.as_str(), "$ref" | "description" | "default"));
        return schema.into();
    }
    if is_single(&schema) {
        return plain(schema, contract).into();
    }
    let Alternatives { outer, mut choices } = match alternatives(schema) {
        Ok(alternatives) => alternatives,
        Err(schema) => return as_it_is(schema, contract).into(),
    };
    if choices.len() == 1 {
        let mut only = choices.remove(0);
        only.extend(outer);
        return plain(only, contract).into();
    }
    joined(outer, choices.into_iter().map(|choice| plain(choice, contract)).collect())
}

/// A schema whose parts cannot be told apart: what is below it is made portable, open as it stands.
fn as_it_is(mut schema: Map<String, Value>, contract: &Contract) -> Map<String, Value> {
    if !schema.contains_key("anyOf")
        && let Some(choices) = schema.remove("oneOf")
    {
        schema.insert("anyOf".to_owned(), choices);
    }
    for keyword in ["allOf", "anyOf", "oneOf"] {
        for part in schema.get_mut(keyword).and_then(Value::as_array_mut).into_iter().flatten() {
            let was_closed = part.get("additionalProperties").is_some();
            *part = portable(part.take(), contract);
            if !was_closed && let Some(part) = part.as_object_mut() {
                part.remove("additionalProperties");
            }
        }
    }
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        properties.values_mut().for_each(|property| *property = portable(property.take(), contract));
    }
    schema
}

/// A schema without choices.
fn plain(mut schema: Map<String, Value>, contract: &Contract) -> Map<String, Value> {
    infer_type(&mut schema);
    if let Some(kind) = schema.get("type").and_then(Value::as_str).map(str::to_owned) {
        schema.retain(|keyword, _| is_heeded(&kind, keyword));
    }
    match schema.get("type").and_then(Value::as_str) {
        Some("null") => drop(schema.remove("enum")),
        Some("integer") => integer(&mut schema),
        Some("number") => drop(schema.remove("format")),
        Some("string") => string(&mut schema),
        Some("array") => array(&mut schema, contract),
        Some("object") => object(&mut schema, contract),
        _ => {}
    }
    for (keyword, part) in &mut schema {
        if matches!(keyword.as_str(), "contains" | "propertyNames" | "if" | "then" | "else" | "contentSchema") {
            *part = portable(part.take(), contract);
        }
    }
    say_annotations(&mut schema);
    schema
}

fn infer_type(schema: &mut Map<String, Value>) {
    if schema.contains_key("type") {
        return;
    }
    let all = |are: fn(&Value) -> bool| {
        let values = schema.get("enum").and_then(Value::as_array);
        values.is_some_and(|values| !values.is_empty() && values.iter().all(are))
    };
    let kind = if all(Value::is_string) {
        "string"
    } else if all(|value| value.is_i64() || value.is_u64()) {
        "integer"
    } else if all(Value::is_boolean) {
        "boolean"
    } else if all(Value::is_null) {
        "null"
    } else if schema.contains_key("properties") {
        "object"
    } else {
        return;
    };
    schema.insert("type".to_owned(), kind.into());
}

/// An integer: bounds that a format implies are said, and said so that they are reached.
fn integer(schema: &mut Map<String, Value>) {
    let (least, most) = match schema.remove("format").as_ref().and_then(Value::as_str) {
        Some("int8") => (Some(i64::from(i8::MIN)), Some(i64::from(i8::MAX))),
        Some("int16") => (Some(i64::from(i16::MIN)), Some(i64::from(i16::MAX))),
        Some("int32") => (Some(i64::from(i32::MIN)), Some(i64::from(i32::MAX))),
        Some("uint8") => (Some(0), Some(i64::from(u8::MAX))),
        Some("uint16") => (Some(0), Some(i64::from(u16::MAX))),
        Some("uint32") => (Some(0), Some(i64::from(u32::MAX))),
        // Beyond 53 bits a bound is no number that every client can hold.
        _ => (None, None),
    };
    let mut reached = |keyword: &str, step| {
        let bound = neighbour(schema.get(keyword)?, step)?;
        schema.remove(keyword);
        Some(bound)
    };
    let above = reached("exclusiveMinimum", 1);
    let below = reached("exclusiveMaximum", -1);
    for bound in [least, above].into_iter().flatten() {
        tighten(schema, "minimum", bound.into());
    }
    for bound in [most, below].into_iter().flatten() {
        tighten(schema, "maximum", bound.into());
    }
    let hole = schema.get("not").and_then(|not| not.get("const")).filter(|hole| hole.is_number()).cloned();
    if let Some(hole) = hole {
        schema.remove("not");
        note(schema, &format!("not {hole}"));
    }
    range_of_values(schema);
}

/// Gemini takes texts for the values of an `enum`: integers without a gap are a range.
fn range_of_values(schema: &mut Map<String, Value>) {
    let values = schema.get("enum").and_then(Value::as_array);
    // One that is no `i64` is not within the range of those that are.
    let Some(values) = values.and_then(|values| values.iter().map(Value::as_i64).collect::<Option<Vec<_>>>()) else {
        return;
    };
    let (Some(&least), Some(&most)) = (values.iter().min(), values.iter().max()) else { return };
    let Some(span) = most.checked_sub(least).and_then(|span| usize::try_from(span).ok()) else { return };
    // Fewer than those from the least to the most leave a gap.
    if span >= values.len() {
        return;
    }
    let mut listed = vec![false; span + 1];
    for value in &values {
        listed[(value - least) as usize] = true;
    }
    if listed.iter().all(|is_listed| *is_listed) {
        schema.remove("enum");
        tighten(schema, "minimum", least.into());
        tighten(schema, "maximum", most.into());
    }
}

/// The integer next to a bound that is not reached.
#[allow(clippy::cast_possible_truncation, reason = "within 53 bits")]
fn neighbour(bound: &Value, step: i64) -> Option<i64> {
    const EXACT: f64 = 9_007_199_254_740_991.0;
    if let Some(bound) = bound.as_i64() {
        return bound.checked_add(step);
    }
    let bound = bound.as_f64().filter(|bound| bound.abs() < EXACT)?;
    Some(if step > 0 { bound.floor() as i64 + 1 } else { bound.ceil() as i64 - 1 })
}

/// Sets a bound where there is none that is narrower.
pub(super) fn tighten(schema: &mut Map<String, Value>, keyword: &str, bound: Number) {
    let is_lower = keyword.to_ascii_lowercase().ends_with("minimum");
    let kept = schema.get(keyword).and_then(Value::as_f64).zip(bound.as_f64());
    let is_narrower = kept.is_some_and(|(old, new)| if is_lower { old >= new } else { old <= new });
    if !is_narrower {
        schema.insert(keyword.to_owned(), bound.into());
    }
}

fn string(schema: &mut Map<String, Value>) {
    // The one that all know. OpenAI and Gemini refuse others, not the same ones.
    const KNOWN: &str = "date-time";
    for keyword in ["format", "contentEncoding", "contentMediaType"] {
        if let Some(said) = schema.get(keyword).and_then(Value::as_str).map(str::to_owned)
            && said != KNOWN
        {
            schema.remove(keyword);
            let what = if keyword == "format" { "format: " } else { "" };
            note(schema, &format!("{what}{said}"));
        }
    }
}

fn array(schema: &mut Map<String, Value>, contract: &Contract) {
    if schema.remove("uniqueItems") == Some(Value::Bool(true)) {
        note(schema, "each item once");
    }
    if let Some(items) = schema.get_mut("items").filter(|items| **items != Value::Bool(false)) {
        *items = portable(items.take(), contract);
    }
    if let Some(Value::Array(places)) = schema.get_mut("prefixItems") {
        places.iter_mut().for_each(|place| *place = portable(place.take(), contract));
        let (places, count) = (places.clone(), places.len());
        let is_whole = ["minItems", "maxItems"].iter().all(|bound| schema.get(*bound) == Some(&json!(count)));
        if is_whole && let Some(item) = places.iter().cloned().reduce(either) {
            // OpenAI wants `items` of every list; no item is left for this one but where all are alike.
            if places.iter().all(|place| *place == item) {
                schema.remove("prefixItems");
            }
            schema.insert("items".to_owned(), item);
        }
    }
    if schema.get("items").is_none_or(Value::is_boolean) {
        let is_empty = schema.get("maxItems") == Some(&json!(0));
        schema.insert("items".to_owned(), if is_empty { json!({ "type": "string" }) } else { json!({}) });
    }
}

fn object(schema: &mut Map<String, Value>, contract: &Contract) {
    let required = required(schema);
    let is_argument = matches!(contract, Contract::Deserialize);
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        for (name, property) in properties {
            if is_argument && !required.contains(name) {
                drop_null(property);
                drop_null_default(property);
            }
            *property = portable(property.take(), contract);
        }
    }
    if let Some(Value::Object(patterns)) = schema.get_mut("patternProperties") {
        patterns.values_mut().for_each(|property| *property = portable(property.take(), contract));
    }
    if let Some(others) = schema.remove("unevaluatedProperties") {
        schema.entry("additionalProperties").or_insert(others);
    }
    let is_struct = schema.contains_key("properties") && !schema.contains_key("patternProperties");
    match schema.get_mut("additionalProperties") {
        Some(others @ Value::Object(_)) => {
            *others = portable(others.take(), contract);
            if *others == json!({}) {
                *others = Value::Bool(true);
            }
        }
        None if is_argument && is_struct => {
            schema.insert("additionalProperties".to_owned(), Value::Bool(false));
        }
        _ => {}
    }
    if required.is_empty() {
        schema.remove("required");
    }
}

/// A default of null says no more than that the member may be left out.
fn drop_null_default(property: &mut Value) {
    if let Some(property) = property.as_object_mut()
        && property.get("default") == Some(&Value::Null)
    {
        property.remove("default");
    }
}

/// One schema of several: alike ones once, the values of those that only list values in one list.
fn joined(mut outer: Map<String, Value>, choices: Vec<Map<String, Value>>) -> Value {
    if choices.iter().any(|choice| choice.keys().all(|keyword| is_annotation(keyword))) {
        // One takes anything, and so do all together.
        say_annotations(&mut outer);
        return outer.into();
    }
    let (mut distinct, said) = gathered(choices);
    match distinct.len() {
        0 => drop(outer.insert("not".to_owned(), json!({}))),
        1 => distinct.remove(0).into_iter().for_each(|(keyword, value)| {
            outer.entry(keyword).or_insert(value);
        }),
        _ => drop(outer.insert("anyOf".to_owned(), distinct.into_iter().map(Value::from).collect())),
    }
    if !said.is_empty() {
        let description = match outer.get("description").and_then(Value::as_str) {
            Some(description) => format!("{description}\n\n{said}"),
            None => said,
        };
        outer.insert("description".to_owned(), description.into());
    }
    say_annotations(&mut outer);
    outer.into()
}

/// Alike choices once, and those that only list values of one type as one; what was said of values, in words.
fn gathered(choices: Vec<Map<String, Value>>) -> (Vec<Map<String, Value>>, String) {
    if choices.len() < 2 {
        return (choices, String::new());
    }
    let mut distinct: Vec<Map<String, Value>> = Vec::new();
    let mut lists: Vec<List> = Vec::new();
    for mut choice in choices {
        let lists_values = choice.contains_key("enum")
            && choice.keys().all(|keyword| matches!(keyword.as_str(), "enum" | "type" | "description" | "title"));
        if !lists_values {
            if !distinct.contains(&choice) {
                distinct.push(choice);
            }
            continue;
        }
        let said = choice.get("description").or(choice.get("title")).and_then(Value::as_str).map(str::to_owned);
        let values = choice.remove("enum");
        let alike = lists.iter().position(|list| distinct[list.place].get("type") == choice.get("type"));
        let list = alike.unwrap_or_else(|| {
            choice.retain(|keyword, _| keyword == "type");
            distinct.push(choice);
            lists.push(List { place: distinct.len() - 1, values: Vec::new() });
            lists.len() - 1
        });
        for value in values.iter().filter_map(Value::as_array).flatten() {
            if !lists[list].values.iter().any(|(known, _)| known == value) {
                lists[list].values.push((value.clone(), said.clone()));
            }
        }
    }
    for list in &lists {
        let choice = &mut distinct[list.place];
        choice.insert("enum".to_owned(), list.values.iter().map(|(value, _)| value.clone()).collect());
        if choice.get("type").is_some_and(|kind| kind == "integer") {
            range_of_values(choice);
        }
    }
    let values = lists.iter().flat_map(|list| &list.values);
    let said = say_values(values.map(|(value, said)| (value, said.as_deref())));
    (distinct, said)
}

/// The values that choices of one type list, and what is said of each.
struct List {
    /// Which of the distinct choices it is.
    place: usize,
    values: Vec<(Value, Option<String>)>,
}

/// What either of two schemas allows; both were made portable.
fn either(a: Value, b: Value) -> Value {
    let choices = |schema: Value| match schema {
        Value::Object(mut schema) if schema.contains_key("anyOf") => match schema.remove("anyOf") {
            Some(Value::Array(choices)) => choices,
            _ => Vec::new(),
        },
        schema => vec![schema],
    };
    let both: Vec<Value> = choices(a).into_iter().chain(choices(b)).collect();
    joined(Map::new(), both.into_iter().filter_map(|choice| choice.as_object().cloned()).collect())
}

fn members(object: &Map<String, Value>) -> Option<&Map<String, Value>> {
    object.get("properties")?.as_object()
}

fn required(object: &Map<String, Value>) -> Vec<String> {
    let names = object.get("required").and_then(Value::as_array);
    names.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}
