//! What becomes of schemas that are written by hand, or by types that the table of types does not have.

use schemars::generate::Contract;
use serde_json::{Map, Value, json};

use super::{one_object, portable, used};

fn check(schema: Value, expected: Value) {
    let made = portable(schema.clone(), &Contract::Deserialize);
    assert_eq!(made, expected, "{schema}");
    assert_eq!(portable(made.clone(), &Contract::Deserialize), made, "made portable again");
}

#[test]
fn what_combines_is_written_out() {
    let closed = |properties: Value, required: Value| {
        let mut schema = json!({"type": "object", "properties": properties, "additionalProperties": false});
        if required != json!([]) {
            schema["required"] = required;
        }
        schema
    };
    let text = json!({"type": "string"});
    let tag = |value: &str| json!({"type": "string", "enum": [value]});
    let variant = |name: &str, value: &str| json!({"type": "object", "properties": {name: {"type": "string", "const": value}}, "required": [name]});
    check(
        json!({"allOf": [{"type": "string"}], "description": "A name"}),
        json!({"type": "string", "description": "A name"}),
    );
    check(
        json!({"allOf": [
            {"type": "object", "properties": {"a": text}, "required": ["a"]},
            {"properties": {"b": text, "a": {"minLength": 1}}},
        ]}),
        closed(json!({"a": {"type": "string", "minLength": 1}, "b": text}), json!(["a"])),
    );
    // As two flattened enums are said.
    let pair = |(x, y)| closed(json!({"x": tag(x), "y": tag(y)}), json!(["x", "y"]));
    let pairs = [("1", "1"), ("1", "2"), ("2", "1"), ("2", "2")].map(pair);
    check(
        json!({"type": "object", "allOf": [
            {"oneOf": [variant("x", "1"), variant("x", "2")]},
            {"oneOf": [variant("y", "1"), variant("y", "2")]},
        ]}),
        json!({ "anyOf": pairs }),
    );
    check(json!({"anyOf": [{"type": "string"}, {"type": "string"}]}), text.clone());
    check(json!({"anyOf": [{"type": "string"}, true]}), json!({}));
    check(json!({"type": "string", "allOf": [{"type": "integer"}]}), json!({"not": {}}));
    check(json!({"anyOf": [text, {"oneOf": [{"type": "boolean"}, {"type": "null"}]}]}), {
        json!({"anyOf": [text, {"type": "boolean"}, {"type": "null"}]})
    });
    check(
        json!({"type": ["string", "number"], "pattern": "^[0-9]+$", "minimum": 0}),
        json!({"anyOf": [{"type": "string", "pattern": "^[0-9]+$"}, {"type": "number", "minimum": 0}]}),
    );
}

#[test]
fn what_cannot_be_written_out_is_left_open() {
    let choice = |name: &str| {
        let variants = (0..9).map(|index| json!({"required": [format!("{name}{index}")]}));
        json!({"oneOf": variants.collect::<Vec<_>>()})
    };
    let many = json!({"type": "object", "properties": {"a": {"type": "integer", "format": "uint8"}}, "allOf": [choice("x"), choice("y")]});
    let made = portable(many, &Contract::Deserialize);
    assert_eq!(made["allOf"].as_array().map(Vec::len), Some(2));
    assert_eq!(made["properties"]["a"], json!({"type": "integer", "minimum": 0, "maximum": 255}));
    assert!(made.get("additionalProperties").is_none(), "{made}");
}

#[test]
fn one_choice_is_written_out_however_long_it_is() {
    let values: Vec<_> = (0..300).map(|index| format!("v{index}")).collect();
    let variants: Vec<_> = values.iter().map(|value| json!({"const": value, "type": "string"})).collect();
    check(json!({ "oneOf": variants }), json!({"type": "string", "enum": values}));
}

#[test]
fn choices_without_a_type_are_left_as_they_are() {
    let choice = json!({"anyOf": [{"enum": [1, "a"]}, {"type": "boolean"}]});
    check(choice.clone(), choice);
    let refers = json!({"anyOf": [{"$ref": "#/$defs/A"}, {"type": "object"}]});
    assert_eq!(one_object(&refers), None);
}

#[test]
fn what_some_client_refuses_is_said_otherwise() {
    for (schema, expected) in [
        (json!(true), json!({})),
        (json!({"const": 5}), json!({"type": "integer", "minimum": 5, "maximum": 5})),
        (json!({"enum": [3, 1, 2]}), json!({"type": "integer", "minimum": 1, "maximum": 3})),
        (json!({"enum": [1, 3]}), json!({"type": "integer", "enum": [1, 3]})),
        (json!({"type": "integer", "enum": [1, 2, u64::MAX]}), json!({"type": "integer", "enum": [1, 2, u64::MAX]})),
        (
            json!({"type": "integer", "exclusiveMaximum": u64::MAX}),
            json!({"type": "integer", "exclusiveMaximum": u64::MAX}),
        ),
        (json!({"type": "integer", "exclusiveMinimum": 0.5}), json!({"type": "integer", "minimum": 1})),
        (json!({"type": "integer", "exclusiveMaximum": 3, "maximum": 9}), json!({"type": "integer", "maximum": 2})),
        (json!({"type": "number", "exclusiveMinimum": 0}), json!({"type": "number", "exclusiveMinimum": 0})),
        (json!({"type": "number", "format": "double"}), json!({"type": "number"})),
        (json!({"type": "string", "format": "date-time"}), json!({"type": "string", "format": "date-time"})),
        (
            json!({"type": "string", "contentEncoding": "base64", "description": "A picture"}),
            json!({"type": "string", "description": "A picture (base64)"}),
        ),
        (json!({"type": "array"}), json!({"type": "array", "items": {}})),
        (
            json!({"type": "object", "additionalProperties": {}}),
            json!({"type": "object", "additionalProperties": true}),
        ),
        (json!({"type": "string", "minimum": 5, "readOnly": true}), json!({"type": "string"})),
        (
            json!({"$ref": "#/$defs/A", "description": "One more", "readOnly": true}),
            json!({"$ref": "#/$defs/A", "description": "One more"}),
        ),
    ] {
        check(schema, expected);
    }
}

#[test]
fn what_is_returned_stays_open_and_takes_null() {
    let schema = json!({"type": "object", "properties": {"a": {"type": ["string", "null"]}}});
    let made = portable(schema, &Contract::Serialize);
    let either = json!({"anyOf": [{"type": "string"}, {"type": "null"}]});
    assert_eq!(made, json!({"type": "object", "properties": {"a": either}}));
}

#[test]
fn members_of_a_choice_are_those_of_one_object() {
    let object = |properties: Value, required: Value| json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false});
    let choice = json!({"anyOf": [
        object(json!({"same": {"type": "string"}, "other": {"type": "string"}}), json!(["same", "other"])),
        object(json!({"same": {"type": "string"}, "other": {"type": "boolean"}}), json!(["same"])),
    ]});
    let expected = json!({
        "type": "object",
        "description": "either other, same; or other, same",
        "properties": {"same": {"type": "string"}, "other": {"anyOf": [{"type": "string"}, {"type": "boolean"}]}},
        "required": ["same"],
        "additionalProperties": false,
    });
    assert_eq!(one_object(&choice), Some(expected));
    assert_eq!(one_object(&json!({"anyOf": [{"type": "string"}, {"type": "boolean"}]})), None);
    assert_eq!(one_object(&json!({"type": "object"})), None);
}

#[test]
fn only_definitions_that_are_used_are_kept() {
    let definitions = json!({"A": {"$ref": "#/$defs/B"}, "B": {"$ref": "#/$defs/A"}, "C": {}, "a/b": {}});
    let definitions: Map<String, Value> = definitions.as_object().cloned().unwrap();
    let names = |schema: Value| used([&schema], &definitions).keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(json!({"items": {"$ref": "#/$defs/A"}})), ["A", "B"]);
    assert_eq!(names(json!({"$ref": "#/$defs/a~1b"})), ["a/b"]);
    assert!(names(json!({})).is_empty());
}
