//! Whether a schema that was written by hand is a JSON Schema: those that types derive are.

use serde_json::{Map, Value};

use super::template::decode;

/// What is wrong with a schema, if anything is; clients would refuse the whole list for it.
pub(super) fn fault(schema: &Value) -> Option<String> {
    let said = schema.get("$schema").and_then(Value::as_str).map(|said| said.trim_end_matches('#'));
    if let Some(said) = said.filter(|said| !DIALECTS.contains(said)) {
        return Some(format!("`$schema` is `{said}`; known are {}", DIALECTS.join(", ")));
    }
    check(schema, schema, "").err()
}

const DIALECTS: [&str; 5] = [
    "https://json-schema.org/draft/2020-12/schema",
    "https://json-schema.org/draft/2019-09/schema",
    "http://json-schema.org/draft-07/schema",
    "http://json-schema.org/draft-06/schema",
    "http://json-schema.org/draft-04/schema",
];

const TYPES: [&str; 7] = ["string", "number", "integer", "boolean", "array", "object", "null"];

fn check(root: &Value, schema: &Value, path: &str) -> Result<(), String> {
    let members = match schema {
        Value::Object(members) => members,
        Value::Bool(_) => return Ok(()),
        _ => return Err(format!("`{}` must be a schema: an object, or a boolean", place(path))),
    };
    for (keyword, value) in members {
        let path = if path.is_empty() { keyword.clone() } else { format!("{path}.{keyword}") };
        match keyword.as_str() {
            "$ref" => refers(root, value, &path)?,
            "type" => is_type(value, &path)?,
            "required" => all(value, Value::is_string, &path, "names")?,
            "enum" => all(value, |_| true, &path, "values")?,
            "properties" | "patternProperties" | "$defs" | "definitions" | "dependentSchemas" => {
                let schemas = value.as_object().ok_or_else(|| format!("`{path}` must be an object of schemas"))?;
                within(root, schemas, &path)?;
            }
            "anyOf" | "oneOf" | "allOf" | "prefixItems" => {
                all(value, |_| true, &path, "schemas")?;
                for (index, schema) in value.as_array().into_iter().flatten().enumerate() {
                    check(root, schema, &format!("{path}[{index}]"))?;
                }
            }
            "items" if value.is_array() => {
                for (index, schema) in value.as_array().into_iter().flatten().enumerate() {
                    check(root, schema, &format!("{path}[{index}]"))?;
                }
            }
            "items"
            | "additionalProperties"
            | "additionalItems"
            | "unevaluatedItems"
            | "unevaluatedProperties"
            | "contains"
            | "propertyNames"
            | "not"
            | "if"
            | "then"
            | "else"
            | "contentSchema" => {
                check(root, value, &path)?;
            }
            _ => {}
        }
    }
    Ok(())
}

fn within(root: &Value, schemas: &Map<String, Value>, path: &str) -> Result<(), String> {
    schemas.iter().try_for_each(|(name, schema)| check(root, schema, &format!("{path}.{name}")))
}

/// A reference is to a place in the same schema: nothing is fetched.
fn refers(root: &Value, reference: &Value, path: &str) -> Result<(), String> {
    let Some(reference) = reference.as_str() else { return Err(format!("`{path}` must be a text")) };
    let Some(pointer) = reference.strip_prefix('#') else {
        return Err(format!("`{path}` is `{reference}`, which is not within the schema; nobody fetches it"));
    };
    let is_there = match pointer {
        "" => true,
        pointer if pointer.starts_with('/') => decode(pointer).is_some_and(|pointer| root.pointer(&pointer).is_some()),
        anchor => has_anchor(root, anchor),
    };
    if is_there { Ok(()) } else { Err(format!("`{path}` is `{reference}`, and there is no such place")) }
}

fn has_anchor(schema: &Value, anchor: &str) -> bool {
    match schema {
        Value::Object(members) => members.iter().any(|(keyword, value)| {
            (matches!(keyword.as_str(), "$anchor" | "$dynamicAnchor") && value == anchor) || has_anchor(value, anchor)
        }),
        Value::Array(values) => values.iter().any(|value| has_anchor(value, anchor)),
        _ => false,
    }
}

fn is_type(value: &Value, path: &str) -> Result<(), String> {
    let is_known = |value: &Value| value.as_str().is_some_and(|kind| TYPES.contains(&kind));
    if is_known(value) {
        return Ok(());
    }
    if value.is_array() {
        return all(value, is_known, path, "types");
    }
    Err(format!("`{path}` must be one of {}, or a list of them", TYPES.join(", ")))
}

fn all(value: &Value, is_fit: impl Fn(&Value) -> bool, path: &str, what: &str) -> Result<(), String> {
    let list = value.as_array().filter(|values| values.iter().all(is_fit));
    list.map(drop).ok_or_else(|| format!("`{path}` must be a list of {what}"))
}

fn place(path: &str) -> &str {
    if path.is_empty() { "the whole" } else { path }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::fault;

    fn check(schema: Value, expected: Option<&str>) {
        let told = fault(&schema);
        let fits = match (&told, expected) {
            (None, None) => true,
            (Some(told), Some(part)) => told.contains(part),
            _ => false,
        };
        assert!(fits, "{schema}: {told:?}");
    }

    #[test]
    fn what_is_no_schema_is_told_by_its_place() {
        check(json!({"type": "object", "properties": 5}), Some("`properties` must be an object of schemas"));
        check(json!({"properties": {"a": {"items": 5}}}), Some("`properties.a.items` must be a schema"));
        check(json!({"properties": {"a": {"type": "int"}}}), Some("`properties.a.type` must be one of string,"));
        check(json!({"type": ["string", 5]}), Some("`type` must be a list of types"));
        check(json!({"required": ["a", 5]}), Some("`required` must be a list of names"));
        check(json!({"anyOf": {"type": "string"}}), Some("`anyOf` must be a list of schemas"));
        check(json!({"anyOf": [true, 5]}), Some("`anyOf[1]` must be a schema"));
        check(json!({"$ref": "#/$defs/nope"}), Some("`$ref` is `#/$defs/nope`, and there is no such place"));
        check(json!({"not": {"$ref": "#nope"}}), Some("`not.$ref` is `#nope`, and there is no such place"));
        check(json!({"$ref": "https://example.com/x.json"}), Some("which is not within the schema"));
        check(json!({"$schema": "http://x/y"}), Some("`$schema` is `http://x/y`"));
    }

    #[test]
    fn what_is_a_schema_is_none_of_our_business() {
        check(json!({}), None);
        check(json!({"$schema": "http://json-schema.org/draft-07/schema#", "items": [true, {"type": "null"}]}), None);
        check(
            json!({"$defs": {"a/b": {"$anchor": "here"}}, "allOf": [{"$ref": "#/$defs/a~1b"}, {"$ref": "#here"}]}),
            None,
        );
        check(json!({"type": ["object", "null"], "x-mine": {"properties": 5}, "additionalProperties": false}), None);
        check(json!({"properties": {"$ref": {"type": "string"}, "type": {"enum": [1, null]}}}), None);
        check(json!({"$defs": {"A<B>": {}}, "not": {"$ref": "#/$defs/A%3CB%3E"}}), None);
        check(json!({"properties": {"next": {"$ref": "#"}}, "default": {"type": "nonsense"}}), None);
    }
}
