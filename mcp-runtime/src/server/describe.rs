//! What functions say of themselves at registration: schemas, required names, what they need of the server.

use schemars::{JsonSchema, Schema, SchemaGenerator, generate::SchemaSettings};
use serde_json::{Map, Value, json};

use super::{
    completion::{Completing, Values},
    context::Requirement,
    definition::Parameter,
    outcome::IntoCallToolResult,
    patterns::Patterns,
};
use crate::protocol::{PromptArgument, RawJson};

/// What a tool's parameters and return type say.
#[derive(Debug)]
pub struct ToolDescription {
    generator: SchemaGenerator,
    full: bool,
    /// In source order: name and schema.
    properties: Vec<(String, Value)>,
    required: Vec<String>,
    /// A flattened type takes members that it does not name.
    open: bool,
    output: Option<Value>,
    /// The names that each flattened parameter takes, `None` where it takes any.
    pub(crate) flattened: Vec<(&'static str, Option<Vec<String>>)>,
    pub(crate) patterns: Patterns,
    pub(crate) requirements: Vec<Requirement>,
    /// What makes the tool unfit to be served.
    pub(crate) faults: Vec<String>,
}

impl ToolDescription {
    pub(crate) fn new(full: bool) -> Self {
        Self {
            generator: generator(full),
            full,
            properties: Vec::new(),
            required: Vec::new(),
            open: false,
            output: None,
            flattened: Vec::new(),
            patterns: Patterns::default(),
            requirements: Vec::new(),
            faults: Vec::new(),
        }
    }

    pub(crate) fn argument<T: JsonSchema>(&mut self, parameter: &'static Parameter, optional: bool) {
        // A flattened type's own members are wanted, not a reference to them.
        let by_reference = self.full && !parameter.flatten;
        let schema =
            if by_reference { self.generator.subschema_for::<T>() } else { T::json_schema(&mut self.generator) };
        if let Some(pattern) = parameter.pattern {
            self.faults.extend(self.patterns.add(pattern).err());
        }
        if parameter.flatten && optional {
            let name = parameter.name;
            self.faults
                .push(format!("parameter `{name}` is flattened and cannot be an `Option`; make its fields optional"));
        } else if parameter.flatten {
            self.flatten(parameter, schema);
        } else {
            self.property(parameter, schema, optional);
        }
    }

    pub(crate) fn output<T: IntoCallToolResult>(&mut self) {
        self.output = T::output_schema(&mut self.generator).map(Value::from);
    }

    /// The names that the schema knows, for the refusal of others.
    pub(crate) fn names(&self) -> Option<Vec<String>> {
        (!self.open).then(|| self.properties.iter().map(|(name, _)| name.clone()).collect())
    }

    /// The JSON Schema of the arguments, members in source order.
    pub(crate) fn input_schema(&mut self) -> RawJson {
        let mut members = vec![r#""type":"object""#.to_owned()];
        if !self.properties.is_empty() {
            let properties: Vec<_> = self
                .properties
                .iter()
                .map(|(name, schema)| format!("{}:{schema}", Value::from(name.as_str())))
                .collect();
            members.push(format!(r#""properties":{{{}}}"#, properties.join(",")));
        }
        if !self.required.is_empty() {
            members.push(format!(r#""required":{}"#, Value::from(self.required.clone())));
        }
        if !self.open {
            members.push(r#""additionalProperties":false"#.to_owned());
        }
        let used = self.properties.iter().any(|(_, schema)| refers(schema));
        let definitions = self.generator.definitions();
        if used && !definitions.is_empty() {
            let mut definitions = Value::Object(definitions.clone());
            self.tidy(&mut definitions);
            members.push(format!(r#""$defs":{definitions}"#));
        }
        let text = format!("{{{}}}", members.join(","));
        RawJson::from(serde_json::value::RawValue::from_string(text).unwrap_or_default())
    }

    /// The JSON Schema of the structured content.
    pub(crate) fn output_schema(&mut self) -> Option<RawJson> {
        let mut schema = self.output.take()?;
        if let Some(object) = schema.as_object_mut() {
            object.remove("$schema");
        }
        let definitions = self.generator.definitions();
        if refers(&schema)
            && !definitions.is_empty()
            && let Some(object) = schema.as_object_mut()
        {
            object.insert("$defs".to_owned(), Value::Object(definitions.clone()));
        }
        self.tidy(&mut schema);
        Some(schema.into())
    }

    fn property(&mut self, parameter: &'static Parameter, schema: Schema, optional: bool) {
        let mut schema = Value::from(schema);
        if optional {
            drop_null(&mut schema);
        }
        self.tidy(&mut schema);
        if !schema.is_object() {
            schema = json!({});
        }
        self.faults.extend(foreign_bounds(parameter, schema["type"].as_str()));
        if let Some(object) = schema.as_object_mut() {
            annotate(object, parameter);
        }
        if self.properties.iter().any(|(name, _)| name == parameter.name) {
            self.faults.push(format!("two parameters are named `{}`", parameter.name));
        }
        if !optional && !parameter.has_default {
            self.required.push(parameter.name.to_owned());
        }
        self.properties.push((parameter.name.to_owned(), schema));
    }

    /// Takes over the members of a struct's schema as arguments of their own.
    fn flatten(&mut self, parameter: &'static Parameter, schema: Schema) {
        let mut schema = Value::from(schema);
        self.tidy(&mut schema);
        // `true`, `{}` and maps take any member.
        let anything = schema == Value::Bool(true) || schema.as_object().is_some_and(Map::is_empty);
        let is_object = schema.get("type").is_some_and(|kind| kind == "object");
        let properties = match schema.get_mut("properties").map(Value::take) {
            Some(Value::Object(properties)) => properties,
            _ if anything || is_object => {
                self.flattened.push((parameter.name, None));
                self.open |= anything || schema.get("additionalProperties").is_some();
                return;
            }
            _ => {
                let name = parameter.name;
                let fault = format!("parameter `{name}` is flattened, but its type is no struct with named fields");
                self.faults.push(fault);
                return;
            }
        };
        let required = schema["required"].as_array().cloned().unwrap_or_default();
        let takes_any = schema.get("additionalProperties").is_some_and(|members| *members != Value::Bool(false));
        self.open |= takes_any;
        let names = (!takes_any).then(|| properties.keys().cloned().collect());
        self.flattened.push((parameter.name, names));
        for (name, schema) in properties {
            if self.properties.iter().any(|(taken, _)| *taken == name) {
                self.faults.push(format!("two parameters are named `{name}`"));
            }
            self.properties.push((name, schema));
        }
        self.required.extend(required.iter().filter_map(Value::as_str).map(str::to_owned));
    }

    /// Takes out what clients stumble over: integer formats that only Rust knows.
    fn tidy(&self, schema: &mut Value) {
        if !self.full {
            tidy(schema);
        }
    }
}

/// What a resource's parameters say.
#[derive(Debug, Default)]
pub(crate) struct ResourceDescription {
    pub(crate) requirements: Vec<Requirement>,
    /// What completes the variables.
    pub(crate) completing: Completions,
}

impl ResourceDescription {
    pub(crate) fn variable(&mut self, parameter: &'static Parameter) {
        self.completing.add(parameter);
    }
}

/// What a prompt's parameters say.
#[derive(Debug, Default)]
pub struct PromptDescription {
    pub(crate) arguments: Vec<PromptArgument>,
    pub(crate) requirements: Vec<Requirement>,
    /// What completes the arguments.
    pub(crate) completing: Completions,
}

impl PromptDescription {
    pub(crate) fn argument(&mut self, parameter: &'static Parameter, required: bool) {
        self.arguments.push(PromptArgument {
            name: parameter.name.to_owned(),
            title: None,
            description: parameter.description.map(str::to_owned),
            required: Some(required && !parameter.has_default),
        });
        self.completing.add(parameter);
    }
}

/// What completes each argument that something completes.
#[derive(Debug, Default)]
pub(crate) struct Completions(pub(crate) Vec<(&'static str, Completing)>);

impl Completions {
    fn add(&mut self, parameter: &'static Parameter) {
        self.0.extend(parameter.complete.map(|complete| (parameter.name, Completing::ByFunction(complete))));
    }

    /// A function that is said to complete the argument knows better.
    pub(crate) fn suggest(&mut self, name: &'static str, values: Values) {
        let is_known = self.0.iter().any(|(known, _)| *known == name);
        let values = if is_known { Vec::new() } else { values() };
        if !values.is_empty() {
            self.0.push((name, Completing::Closed(values)));
        }
    }
}

/// The schema of one type by itself, tidied: for messages that say what was expected.
pub(crate) fn schema_of<T: JsonSchema>() -> Value {
    let mut schema = Value::from(T::json_schema(&mut generator(false)));
    drop_null(&mut schema);
    tidy(&mut schema);
    schema
}

pub(super) fn generator(full: bool) -> SchemaGenerator {
    let mut settings = SchemaSettings::draft2020_12();
    settings.meta_schema = None;
    settings.inline_subschemas = !full;
    settings.into_generator()
}

/// `Option<T>` is a `T` that may be left out: null is still taken, but not advertised.
pub(super) fn drop_null(schema: &mut Value) {
    let Some(object) = schema.as_object_mut() else {
        return;
    };
    if let Some(Value::Array(types)) = object.get_mut("type") {
        types.retain(|kind| kind != "null");
        if types.len() == 1 {
            let only = types.remove(0);
            object.insert("type".to_owned(), only);
        }
    }
    if let Some(Value::Array(values)) = object.get_mut("enum") {
        values.retain(|value| !value.is_null());
    }
    if let Some(Value::Array(choices)) = object.get_mut("anyOf") {
        choices.retain(|choice| choice.get("type").is_none_or(|kind| kind != "null"));
        if choices.len() == 1
            && let Value::Object(only) = choices.remove(0)
        {
            object.remove("anyOf");
            for (key, value) in only {
                object.entry(key).or_insert(value);
            }
        }
    }
}

fn tidy(schema: &mut Value) {
    const OF_RUST: [&str; 14] = [
        "int8", "int16", "int32", "int64", "int128", "int", "uint8", "uint16", "uint32", "uint64", "uint128", "uint",
        "float", "double",
    ];
    match schema {
        Value::Object(object) => {
            if object.get("format").and_then(Value::as_str).is_some_and(|format| OF_RUST.contains(&format)) {
                object.remove("format");
            }
            for value in object.values_mut() {
                tidy(value);
            }
        }
        Value::Array(values) => values.iter_mut().for_each(tidy),
        _ => {}
    }
}

/// Bounds of what values of the type do not have: they would be sent to clients and never hold.
fn foreign_bounds(parameter: &Parameter, kind: Option<&str>) -> Vec<String> {
    let Some(kind) = kind else { return Vec::new() };
    let of_numbers =
        parameter.minimum.or(parameter.maximum).or(parameter.exclusive_minimum).or(parameter.exclusive_maximum);
    let of_texts = parameter.min_length.or(parameter.max_length).is_some() || parameter.pattern.is_some();
    let of_lists = parameter.min_items.or(parameter.max_items).is_some();
    [
        (of_numbers.is_some() && !matches!(kind, "integer" | "number"), "a bound of numbers"),
        (of_texts && kind != "string", "a bound of texts"),
        (of_lists && kind != "array", "a bound of lists"),
    ]
    .into_iter()
    .filter(|(is_foreign, _)| *is_foreign)
    .map(|(_, bound)| format!("parameter `{}` has {bound}, and its values are of the type {kind}", parameter.name))
    .collect()
}

fn refers(schema: &Value) -> bool {
    match schema {
        Value::Object(object) => object.contains_key("$ref") || object.values().any(refers),
        Value::Array(values) => values.iter().any(refers),
        _ => false,
    }
}

/// Writes what the parameter's attribute says into its schema.
fn annotate(schema: &mut Map<String, Value>, parameter: &Parameter) {
    let mut set = |key: &str, value: Option<Value>| {
        if let Some(value) = value {
            schema.insert(key.to_owned(), value);
        }
    };
    set("description", parameter.description.map(Value::from));
    set("default", parameter.default_json.and_then(|text| serde_json::from_str(text).ok()));
    set("minimum", parameter.minimum.map(figure));
    set("maximum", parameter.maximum.map(figure));
    set("exclusiveMinimum", parameter.exclusive_minimum.map(figure));
    set("exclusiveMaximum", parameter.exclusive_maximum.map(figure));
    set("minLength", parameter.min_length.map(Value::from));
    set("maxLength", parameter.max_length.map(Value::from));
    set("pattern", parameter.pattern.map(Value::from));
    set("minItems", parameter.min_items.map(Value::from));
    set("maxItems", parameter.max_items.map(Value::from));
    set("format", parameter.format.map(Value::from));
    set("x-mcp-header", parameter.header.map(Value::from));
}

/// A bound as JSON, without `.0` where it is an integer.
#[allow(clippy::cast_possible_truncation)]
pub(crate) fn figure(value: f64) -> Value {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if value.fract() == 0.0 && value.abs() <= EXACT { Value::from(value as i64) } else { Value::from(value) }
}
