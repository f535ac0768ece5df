//! What every portable schema keeps to, whatever the type: what Claude, Gemini, OpenAI and Cursor all take, but for what
//! the server warns of.

use serde_json::{Map, Value};

/// Of these keywords some client knows no others.
const KEYWORDS: [&str; 21] = [
    "$ref",
    "anyOf",
    "default",
    "description",
    "enum",
    "format",
    "items",
    "maxItems",
    "maxLength",
    "maximum",
    "minItems",
    "minLength",
    "minimum",
    "pattern",
    "properties",
    "required",
    "title",
    "type",
    "additionalProperties",
    // There is no other way to say these; the server warns of both.
    "patternProperties",
    "prefixItems",
];

/// Panics where the input schema of a tool breaks a rule.
pub(crate) fn check(name: &str, schema: &Value) {
    let mut schema = schema.as_object().expect("an object").clone();
    let definitions = match schema.remove("$defs") {
        Some(Value::Object(definitions)) => definitions,
        _ => Map::new(),
    };
    for keyword in ["anyOf", "oneOf", "allOf", "not", "enum", "$ref"] {
        assert!(!schema.contains_key(keyword), "{name}: `{keyword}` at the top");
    }
    assert_eq!(schema["type"], "object", "{name}");
    for (definition, schema) in &definitions {
        assert!(reaches(schema, definition, &definitions, &mut Vec::new()), "{name}: `{definition}` could be inlined");
        check_node(name, schema);
    }
    check_node(name, &schema.into());
}

fn check_node(name: &str, schema: &Value) {
    let object = schema.as_object().unwrap_or_else(|| panic!("{name}: {schema} is no object"));
    for keyword in object.keys() {
        assert!(KEYWORDS.contains(&keyword.as_str()), "{name}: `{keyword}` in {schema}");
    }
    assert!(object.get("type").is_none_or(Value::is_string), "{name}: several types in {schema}");
    assert!(object.get("format").is_none_or(|format| format == "date-time"), "{name}: format in {schema}");
    assert!(object.get("enum").is_none_or(|_| schema["type"] == "string"), "{name}: untyped values in {schema}");
    assert!(schema["type"] != "array" || object.contains_key("items"), "{name}: no items in {schema}");
    let is_closed = !object.contains_key("properties") || object.contains_key("additionalProperties");
    assert!(is_closed, "{name}: open as if by oversight: {schema}");
    if let Some(choices) = object.get("anyOf").and_then(Value::as_array) {
        assert!(choices.len() > 1 && !object.contains_key("type"), "{name}: a choice of one: {schema}");
        assert!(choices.iter().all(|choice| choice.get("anyOf").is_none()), "{name}: a choice of choices: {schema}");
    }
    let required = object.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
    for (member, schema) in object.get("properties").and_then(Value::as_object).into_iter().flatten() {
        let choices = schema.get("anyOf").and_then(Value::as_array).into_iter().flatten();
        let takes_null = choices.chain([schema]).any(|choice| choice["type"] == "null");
        assert!(!takes_null || required.contains(&member.as_str().into()), "{name}: `{member}` is said to take null");
    }
    below(object).for_each(|schema| check_node(name, schema));
}

/// Whether a schema comes to a definition, by others too.
fn reaches(schema: &Value, name: &str, definitions: &Map<String, Value>, seen: &mut Vec<String>) -> bool {
    if let Some(next) = schema["$ref"].as_str().and_then(|reference| reference.strip_prefix("#/$defs/")) {
        if next == name {
            return true;
        }
        if seen.iter().any(|seen| seen == next) {
            return false;
        }
        seen.push(next.to_owned());
        return reaches(&definitions[next], name, definitions, seen);
    }
    schema.as_object().is_some_and(|object| below(object).any(|schema| reaches(schema, name, definitions, seen)))
}

/// The schemas right below one.
fn below(schema: &Map<String, Value>) -> impl Iterator<Item = &Value> {
    let of_members = ["properties", "patternProperties"].into_iter().filter_map(|it| schema.get(it)?.as_object());
    let of_lists = ["anyOf", "prefixItems"].into_iter().filter_map(|it| schema.get(it)?.as_array());
    let single = ["items", "additionalProperties"].into_iter().filter_map(|it| schema.get(it));
    of_members.flat_map(Map::values).chain(of_lists.flatten()).chain(single.filter(|schema| schema.is_object()))
}
