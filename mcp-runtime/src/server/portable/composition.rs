//! What a schema says by `allOf`, `anyOf`, `oneOf` and lists of types, as one list of alternatives that have none of them.

use serde_json::{Map, Value, json};

/// A schema taken apart.
pub(super) struct Alternatives {
    /// What is said of all of them: the schema's own annotations.
    pub(super) outer: Map<String, Value>,
    /// Each without choices.
    pub(super) choices: Vec<Map<String, Value>>,
}

/// So many alternatives are written out, no more, where choices multiply. One choice has as many as it lists.
const MOST: usize = 64;

/// The alternatives of a schema.
///
/// # Errors
/// The schema, where they are too many, or are not to be said without the keywords that combine.
pub(super) fn alternatives(schema: Map<String, Value>) -> Result<Alternatives, Map<String, Value>> {
    let mut plain = schema.clone();
    let mut outer = schema.clone();
    outer.retain(|keyword, _| is_annotation(keyword));
    plain.retain(|keyword, _| !is_annotation(keyword));
    let parts = combined(&plain);
    let hoisted = parts.iter().find_map(|part| {
        let is_choice = ["anyOf", "oneOf", "allOf"].iter().any(|keyword| part.get(*keyword).is_some());
        part.get("description").filter(|_| is_choice)
    });
    if let Some(description) = hoisted {
        outer.entry("description").or_insert_with(|| description.clone());
    }
    let choices = expand(plain).ok_or(schema)?;
    Ok(Alternatives { outer, choices })
}

/// Whether a schema is one alternative as it stands.
pub(super) fn is_single(schema: &Map<String, Value>) -> bool {
    let combines = |(keyword, value): (&String, &Value)| match keyword.as_str() {
        "allOf" | "anyOf" | "oneOf" | "const" => true,
        "type" => value.is_array(),
        _ => false,
    };
    !schema.iter().any(combines)
}

/// Whether a keyword says something to people, and nothing on what is allowed.
pub(super) fn is_annotation(keyword: &str) -> bool {
    matches!(
        keyword,
        "title" | "description" | "default" | "examples" | "deprecated" | "readOnly" | "writeOnly" | "$comment"
    ) || keyword.starts_with("x-")
}

fn combined(schema: &Map<String, Value>) -> Vec<&Value> {
    ["anyOf", "oneOf", "allOf"].iter().filter_map(|keyword| schema.get(*keyword)?.as_array()).flatten().collect()
}

/// All alternatives of a schema, each with the annotations that are nearest to it.
fn expand(mut schema: Map<String, Value>) -> Option<Vec<Map<String, Value>>> {
    let all = array(schema.remove("allOf"))?;
    let choices = [array(schema.remove("anyOf"))?, array(schema.remove("oneOf"))?];
    if let Some(only) = schema.remove("const") {
        schema.insert("enum".to_owned(), json!([only]));
    }
    let mut found = by_type(schema);
    for part in all {
        found = product(found, of_part(part)?)?;
    }
    for choices in choices.into_iter().filter(|choices| !choices.is_empty()) {
        let mut parts = Vec::new();
        for choice in choices {
            parts.extend(of_part(choice)?);
        }
        found = product(found, parts)?;
    }
    Some(found)
}

fn array(value: Option<Value>) -> Option<Vec<Value>> {
    match value {
        None => Some(Vec::new()),
        Some(Value::Array(values)) => Some(values),
        Some(_) => None,
    }
}

fn of_part(part: Value) -> Option<Vec<Map<String, Value>>> {
    match part {
        Value::Bool(true) => Some(vec![Map::new()]),
        Value::Bool(false) => Some(Vec::new()),
        Value::Object(mut part) => {
            if !combined(&part).is_empty() {
                // They are of the choice, not of each of its parts.
                part.retain(|keyword, _| !is_annotation(keyword));
            }
            expand(part)
        }
        _ => None,
    }
}

/// A schema of several types as one a type, each with the keywords that its values heed.
fn by_type(mut schema: Map<String, Value>) -> Vec<Map<String, Value>> {
    let Some(Value::Array(kinds)) = schema.get("type") else { return vec![schema] };
    let kinds = kinds.clone();
    schema.remove("type");
    let of = |kind: &Value| {
        let kind = kind.as_str().unwrap_or_default();
        let mut schema = schema.clone();
        schema.retain(|keyword, _| is_heeded(kind, keyword));
        if let Some(Value::Array(values)) = schema.get_mut("enum") {
            values.retain(|value| is_of_type(kind, value));
            if values.is_empty() {
                return None;
            }
        }
        schema.insert("type".to_owned(), kind.into());
        Some(schema)
    };
    kinds.iter().filter_map(of).collect()
}

/// Whether a keyword says anything of the values of a type.
pub(super) fn is_heeded(kind: &str, keyword: &str) -> bool {
    match keyword {
        "minLength" | "maxLength" | "pattern" | "contentEncoding" | "contentMediaType" | "contentSchema" => {
            kind == "string"
        }
        "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" | "multipleOf" => {
            matches!(kind, "integer" | "number")
        }
        "format" => matches!(kind, "string" | "integer" | "number"),
        "items" | "prefixItems" | "minItems" | "maxItems" | "uniqueItems" | "contains" | "minContains"
        | "maxContains" | "unevaluatedItems" => kind == "array",
        "properties"
        | "patternProperties"
        | "additionalProperties"
        | "unevaluatedProperties"
        | "required"
        | "minProperties"
        | "maxProperties"
        | "propertyNames"
        | "dependentRequired"
        | "dependentSchemas" => kind == "object",
        _ => true,
    }
}

fn is_of_type(kind: &str, value: &Value) -> bool {
    match kind {
        "string" => value.is_string(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        _ => true,
    }
}

/// Each of the one with each of the other.
fn product(these: Vec<Map<String, Value>>, those: Vec<Map<String, Value>>) -> Option<Vec<Map<String, Value>>> {
    let multiplies = these.len() > 1 && those.len() > 1;
    if multiplies && these.len().saturating_mul(those.len()) > MOST {
        return None;
    }
    let mut found = Vec::new();
    for this in &these {
        for that in &those {
            match both(this.clone(), that.clone()) {
                Both::Schema(schema) => found.push(schema),
                Both::Nothing => {}
                Both::Unsayable => return None,
            }
        }
    }
    Some(found)
}

/// What two schemas allow together.
enum Both {
    Schema(Map<String, Value>),
    /// There is no such value.
    Nothing,
    /// It cannot be said in one schema without `allOf`.
    Unsayable,
}

fn both(mut a: Map<String, Value>, b: Map<String, Value>) -> Both {
    let refers = |schema: &Map<String, Value>| schema.contains_key("$ref");
    let says = |schema: &Map<String, Value>| schema.keys().any(|keyword| !is_annotation(keyword));
    if (refers(&a) && says(&b)) || (refers(&b) && says(&a)) {
        return Both::Unsayable;
    }
    for (keyword, value) in b {
        let Some(known) = a.get_mut(&keyword) else {
            a.insert(keyword, value);
            continue;
        };
        if *known == value {
            continue;
        }
        match (keyword.as_str(), known, value) {
            (keyword, known, value) if is_annotation(keyword) => *known = value,
            ("type", known, value) => match (known.as_str(), value.as_str()) {
                (Some("number"), Some("integer")) => *known = value,
                (Some("integer"), Some("number")) => {}
                _ => return Both::Nothing,
            },
            ("enum", Value::Array(known), Value::Array(values)) => {
                known.retain(|value| values.contains(value));
                if known.is_empty() {
                    return Both::Nothing;
                }
            }
            ("required", Value::Array(known), Value::Array(names)) => {
                known.extend(names);
                let mut distinct = Vec::new();
                known.retain(|name| {
                    let is_new = !distinct.contains(name);
                    distinct.push(name.clone());
                    is_new
                });
            }
            ("properties" | "patternProperties", Value::Object(known), Value::Object(members)) => {
                for (name, member) in members {
                    match known.remove(&name) {
                        None => drop(known.insert(name, member)),
                        Some(other) if other == member => drop(known.insert(name, member)),
                        Some(other) => drop(known.insert(name, json!({ "allOf": [other, member] }))),
                    }
                }
            }
            ("additionalProperties" | "unevaluatedProperties", known, value) => match (&*known, &value) {
                (Value::Bool(false), _) | (_, Value::Bool(true)) => {}
                (_, Value::Bool(false)) | (Value::Bool(true), _) => *known = value,
                _ => return Both::Unsayable,
            },
            ("minimum" | "exclusiveMinimum" | "minLength" | "minItems" | "minProperties", known, value) => {
                if known.as_f64() < value.as_f64() {
                    *known = value;
                }
            }
            ("maximum" | "exclusiveMaximum" | "maxLength" | "maxItems" | "maxProperties", known, value) => {
                if known.as_f64() > value.as_f64() {
                    *known = value;
                }
            }
            _ => return Both::Unsayable,
        }
    }
    Both::Schema(a)
}
