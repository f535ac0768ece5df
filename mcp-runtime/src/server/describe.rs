//! What functions say of themselves at registration: schemas, required names, what they need of the server.

use schemars::{
    JsonSchema, Schema, SchemaGenerator,
    generate::{Contract, SchemaSettings},
};
use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

use super::{
    advertised::{Advertised, is_bounded},
    completion::{Completing, Values},
    context::Requirement,
    definition::Parameter,
    outcome::IntoCallToolResult,
    patterns::Patterns,
    portable::{one_object, portable, tighten, used},
};
use crate::protocol::{PromptArgument, RawJson};

/// What a tool's parameters and return type say.
#[derive(Debug)]
pub struct ToolDescription {
    /// Of what is deserialized.
    arguments: SchemaGenerator,
    full: bool,
    /// In source order: name and schema.
    properties: Vec<(String, Value)>,
    required: Vec<String>,
    /// What members fit that a flattened type does not name; none where there are no such members.
    others: Option<Value>,
    /// What cannot be said but in words.
    remarks: Vec<String>,
    /// The schema of the structured content.
    output: Option<RawJson>,
    /// The names that each flattened parameter takes, `None` where it takes any.
    pub(crate) flattened: Vec<(&'static str, Option<Vec<String>>)>,
    pub(crate) patterns: Patterns,
    /// The schemas of the types that have bounds of their own, by parameter.
    bounded: Vec<(&'static str, Value)>,
    pub(crate) requirements: Vec<Requirement>,
    /// What makes the tool unfit to be served.
    pub(crate) faults: Vec<String>,
}

impl ToolDescription {
    pub(crate) fn new(full: bool) -> Self {
        Self {
            arguments: generator(full, Contract::Deserialize),
            full,
            properties: Vec::new(),
            required: Vec::new(),
            others: None,
            remarks: Vec::new(),
            output: None,
            flattened: Vec::new(),
            patterns: Patterns::default(),
            bounded: Vec::new(),
            requirements: Vec::new(),
            faults: Vec::new(),
        }
    }

    pub(crate) fn argument<T: JsonSchema>(&mut self, parameter: &'static Parameter, optional: bool) {
        self.add(parameter, SchemaGenerator::subschema_for::<T>, T::json_schema, optional);
    }

    /// An argument by its schema where that may be a reference to a definition, and by its schema in place.
    fn add(&mut self, parameter: &'static Parameter, schema: SchemaFn, in_place: SchemaFn, optional: bool) {
        if let Some(pattern) = parameter.pattern {
            self.patterns.add(pattern);
        }
        if !parameter.flatten {
            let schema = schema(&mut self.arguments);
            return self.property(parameter, schema, optional);
        }
        if optional {
            let name = parameter.name;
            let fault = format!("parameter `{name}` is flattened and cannot be an `Option`; make its fields optional");
            return self.faults.push(fault);
        }
        // A flattened type's own members are wanted, not a reference to them.
        let schema = in_place(&mut self.arguments);
        self.flatten(parameter, schema);
    }

    pub(crate) fn output<T: IntoCallToolResult>(&mut self) {
        let mut generator = generator(self.full, Contract::Serialize);
        let Some(mut schema) = T::output_schema(&mut generator).map(Value::from) else { return };
        if let Some(object) = schema.as_object_mut() {
            object.remove("$schema");
        }
        if !self.full {
            schema = portable(schema, generator.contract());
            schema = one_object(&schema).unwrap_or(schema);
        }
        self.output = Some(with_definitions(schema, &definitions(&generator, self.full)).into());
    }

    /// The names that the schema knows, for the refusal of others.
    pub(crate) fn names(&self) -> Option<Vec<String>> {
        self.others.is_none().then(|| self.properties.iter().map(|(name, _)| name.clone()).collect())
    }

    /// Takes the JSON Schema of the arguments: as it is sent, members in source order, and as a value.
    pub(crate) fn take_input_schema(&mut self) -> (RawJson, Value) {
        let others = self.others.take().unwrap_or(Value::Bool(false));
        let schemas = self.properties.iter().map(|(_, schema)| schema).chain([&others]);
        let schema = InputSchema {
            kind: "object",
            description: (!self.remarks.is_empty()).then(|| self.remarks.join("; ")),
            definitions: used(schemas, &definitions(&self.arguments, self.full)),
            properties: Properties(std::mem::take(&mut self.properties)),
            required: std::mem::take(&mut self.required),
            others,
        };
        // Its keys are strings and its numbers finite.
        (RawJson::new(&schema).unwrap_or_default(), schema.into())
    }

    /// Takes the bounds that the types have, and compiles their patterns; warns of those that are not known here.
    pub(crate) fn take_advertised(&mut self, tool: &str) -> Option<Box<Advertised>> {
        if self.bounded.is_empty() {
            return None;
        }
        let mut bounded = std::mem::take(&mut self.bounded);
        if !self.full {
            let contract = self.arguments.contract();
            bounded.iter_mut().for_each(|(_, schema)| *schema = portable(schema.take(), contract));
        }
        let advertised = Advertised::new(bounded, &definitions(&self.arguments, self.full));
        self.patterns.add_of_schemas(tool, advertised.patterns());
        Some(Box::new(advertised))
    }

    /// The JSON Schema of the structured content.
    pub(crate) fn take_output_schema(&mut self) -> Option<RawJson> {
        self.output.take()
    }

    fn property(&mut self, parameter: &'static Parameter, schema: Schema, optional: bool) {
        let mut schema = Value::from(schema);
        let is_plain = |name| schema.get(name).is_none_or(Value::is_string);
        if ["type", "enum", "anyOf"].into_iter().all(is_plain) {
            self.faults.extend(foreign_bounds(parameter, schema["type"].as_str()));
        } else {
            let mut without_null = schema.clone();
            drop_null(&mut without_null);
            self.faults.extend(foreign_bounds(parameter, without_null["type"].as_str()));
            if optional && !self.full {
                schema = without_null;
            }
        }
        self.note_bounds(parameter, &schema);
        match &mut schema {
            Value::Object(schema) => annotate(schema, parameter),
            // It takes anything, which can be said beside what the attribute says.
            Value::Bool(true) => {
                let mut said = Map::new();
                annotate(&mut said, parameter);
                schema = said.into();
            }
            _ => {}
        }
        if !self.full {
            schema = portable(schema, self.arguments.contract());
        }
        if self.properties.iter().any(|(name, _)| name == parameter.name) {
            self.faults.push(format!("two parameters are named `{}`", parameter.name));
        }
        if !optional && !parameter.has_default {
            self.required.push(parameter.name.to_owned());
        }
        self.properties.push((parameter.name.to_owned(), schema));
    }

    fn note_bounds(&mut self, parameter: &'static Parameter, schema: &Value) {
        if is_bounded(schema, self.arguments.definitions()) {
            self.bounded.push((parameter.name, schema.clone()));
        }
    }

    /// Takes over the members of a struct's schema as arguments of their own.
    fn flatten(&mut self, parameter: &'static Parameter, schema: Schema) {
        let mut schema = Value::from(schema);
        let is_choice = ["anyOf", "oneOf", "allOf"].iter().any(|keyword| schema.get(*keyword).is_some());
        self.note_bounds(parameter, &schema);
        // The object of all arguments is not schemars' own: what cannot stand there is not left alone either.
        if !self.full || is_choice {
            schema = portable(schema, self.arguments.contract());
        }
        if let Some(mut one) = one_object(&schema) {
            self.remarks.extend(one["description"].take().as_str().map(str::to_owned));
            schema = one;
        }
        // `true`, `{}` and maps take any member.
        let anything = schema == Value::Bool(true) || schema.as_object().is_some_and(Map::is_empty);
        let is_object = schema.get("type").is_some_and(|kind| kind == "object");
        if !anything && !is_object {
            let name = parameter.name;
            return self
                .faults
                .push(format!("parameter `{name}` is flattened, but its type is no struct with named fields"));
        }
        let others = match schema.get_mut("additionalProperties").map(Value::take) {
            Some(Value::Bool(false)) => None,
            Some(others) => Some(others),
            None if anything || schema.get("patternProperties").is_some() => Some(Value::Bool(true)),
            None => None,
        };
        let required = schema["required"].as_array().cloned().unwrap_or_default();
        let properties = match schema.get_mut("properties").map(Value::take) {
            Some(Value::Object(properties)) => properties,
            _ => Map::new(),
        };
        let names = others.is_none().then(|| properties.keys().cloned().collect());
        self.flattened.push((parameter.name, names));
        if let Some(others) = others {
            let both = if self.others.is_some() { Value::Bool(true) } else { others };
            self.others = Some(both);
        }
        for (name, schema) in properties {
            if self.properties.iter().any(|(taken, _)| *taken == name) {
                self.faults.push(format!("two parameters are named `{name}`"));
            }
            self.properties.push((name, schema));
        }
        self.required.extend(required.iter().filter_map(Value::as_str).map(str::to_owned));
    }
}

/// A tool's arguments as a JSON Schema.
#[derive(Serialize)]
struct InputSchema {
    #[serde(rename = "type")]
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    /// OpenAI wants it even where it is empty.
    properties: Properties,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    required: Vec<String>,
    #[serde(rename = "additionalProperties", skip_serializing_if = "is_true")]
    others: Value,
    #[serde(rename = "$defs", skip_serializing_if = "Map::is_empty")]
    definitions: Map<String, Value>,
}

/// In an order that a `Map` does not keep.
struct Properties(Vec<(String, Value)>);

impl Serialize for Properties {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, schema)| (name, schema)))
    }
}

fn is_true(value: &Value) -> bool {
    matches!(value, Value::Bool(true))
}

impl From<InputSchema> for Value {
    fn from(schema: InputSchema) -> Self {
        let InputSchema { kind, description, properties, required, others, definitions } = schema;
        let mut named = Map::new();
        named.extend(properties.0);
        let members = [
            ("type", Some(kind.into())),
            ("description", description.map(Self::from)),
            ("properties", Some(named.into())),
            ("required", (!required.is_empty()).then(|| required.into_iter().map(Self::String).collect())),
            ("additionalProperties", (!is_true(&others)).then_some(others)),
            ("$defs", (!definitions.is_empty()).then(|| definitions.into())),
        ];
        let mut schema = Map::new();
        schema.extend(members.into_iter().filter_map(|(name, member)| Some((name.to_owned(), member?))));
        schema.into()
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

/// The schema of one type by itself, as clients see it: for messages that say what was expected.
pub(crate) fn schema_of<T: JsonSchema>() -> Value {
    as_clients_see(SchemaGenerator::subschema_for::<T>)
}

/// The schema of one type.
type SchemaFn = fn(&mut SchemaGenerator) -> Schema;

fn as_clients_see(schema: SchemaFn) -> Value {
    let mut generator = generator(false, Contract::Deserialize);
    let mut schema = Value::from(schema(&mut generator));
    drop_null(&mut schema);
    with_definitions(portable(schema, generator.contract()), &definitions(&generator, false))
}

pub(super) fn generator(full: bool, contract: Contract) -> SchemaGenerator {
    let mut settings = SchemaSettings::draft2020_12();
    settings.meta_schema = None;
    settings.inline_subschemas = !full;
    settings.contract = contract;
    settings.into_generator()
}

/// What the generator took down of types that contain themselves, or of all types where it inlines none.
fn definitions(generator: &SchemaGenerator, full: bool) -> Map<String, Value> {
    let mut definitions = generator.definitions().clone();
    if !full {
        definitions.values_mut().for_each(|schema| *schema = portable(schema.take(), generator.contract()));
    }
    definitions
}

/// The schema with those of the definitions that it needs.
fn with_definitions(mut schema: Value, definitions: &Map<String, Value>) -> Value {
    let definitions = used([&schema], definitions);
    if !definitions.is_empty()
        && let Some(schema) = schema.as_object_mut()
    {
        schema.insert("$defs".to_owned(), definitions.into());
    }
    schema
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

/// Writes what the parameter's attribute says into its schema.
fn annotate(schema: &mut Map<String, Value>, parameter: &Parameter) {
    let mut set = |key: &str, value: Option<Value>| {
        if let Some(value) = value {
            schema.insert(key.to_owned(), value);
        }
    };
    set("description", parameter.description.map(Value::from));
    set("default", parameter.default_json.and_then(|text| serde_json::from_str(text).ok()));
    set("minLength", parameter.min_length.map(Value::from));
    set("maxLength", parameter.max_length.map(Value::from));
    set("pattern", parameter.pattern.map(Value::from));
    set("minItems", parameter.min_items.map(Value::from));
    set("maxItems", parameter.max_items.map(Value::from));
    set("format", parameter.format.map(Value::from));
    set("x-mcp-header", parameter.header.map(Value::from));
    let bounds = [
        ("minimum", parameter.minimum),
        ("maximum", parameter.maximum),
        ("exclusiveMinimum", parameter.exclusive_minimum),
        ("exclusiveMaximum", parameter.exclusive_maximum),
    ];
    for (keyword, bound) in bounds {
        if let Some(Value::Number(bound)) = bound.map(figure) {
            tighten(schema, keyword, bound);
        }
    }
}

/// A bound as JSON, without `.0` where it is an integer.
#[allow(clippy::cast_possible_truncation, clippy::cast_precision_loss, clippy::float_cmp)]
pub(crate) fn figure(value: f64) -> Value {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    let whole = value as i64;
    if whole as f64 == value && value.abs() <= EXACT { Value::from(whole) } else { Value::from(value) }
}
