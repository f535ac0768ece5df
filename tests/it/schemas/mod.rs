//! Portable schemas: what a client is sent for each kind of Rust type, and that it says what `serde` does.

#![allow(clippy::unwrap_used, reason = "helpers of tests")]

mod near;
mod rules;
mod table;
mod types;
mod whole;

use jsonschema::{ValidationError, Validator, error::ValidationErrorKind};
use mcp_runtime::testing::TestClient;
use proptest::test_runner::{Config, TestCaseError, TestRunner};
use serde_json::{Value, json};

use table::{Row, rows};

/// Where a schema and `serde` differ by nature.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Difference {
    /// `5.0` is an integer to JSON Schema. The lenient step takes it; these tools are strict. For every type.
    IntegralFloat,
    /// Bounds beyond 53 bits are not said, since clients that keep numbers as floats could not hold them.
    BeyondItsBits,
    /// A text has a grammar that the schema says in words only, or not at all.
    Grammar,
    /// Zero is in the range of a signed integer that is not zero: no client's dialect has holes in ranges.
    Hole,
    /// The keys of a map are of a type that the schema does not say to the letter.
    Keys,
    /// Only one name of a member is said.
    Alias,
    /// Where an enum is flattened, `serde` takes the number of a variant for its name.
    TagByNumber,
    /// `serde` takes a list of its fields for a struct, leaves members alone that it does not know, takes null for what
    /// may be left out, and `{"Variant": null}` for a variant without data. The schema is the stricter one. For every
    /// type; the schema's own complaints must be these and no others.
    Lax,
}

/// Those of every type.
const ALWAYS: [Difference; 2] = [Difference::IntegralFloat, Difference::Lax];

impl Row {
    fn differs(&self, difference: Difference) -> bool {
        ALWAYS.contains(&difference) || self.differs.contains(&difference)
    }
}

#[tokio::test]
async fn each_type_has_its_schema() {
    let client = TestClient::connect(table::server()).await.unwrap();
    let tools = client.list_tools().await.unwrap();
    let rows = rows();
    assert!(rows.len() >= 40 && tools.len() == rows.len());
    for (row, tool) in rows.into_iter().zip(tools) {
        assert_eq!(tool.name, row.name);
        let mut schema = row.schema;
        let definitions = schema.as_object_mut().unwrap().remove("$defs");
        let mut expected = json!({"type": "object", "properties": {"value": schema}, "additionalProperties": false});
        if !row.ty.starts_with("Option<") {
            expected["required"] = json!(["value"]);
        }
        if let Some(definitions) = definitions {
            expected["$defs"] = definitions;
        }
        let listed: Value = tool.input_schema.parse().unwrap();
        assert_eq!(listed, expected, "{}: {listed:#}", row.name);
        rules::check(row.name, &listed);
    }
}

#[test]
fn what_serde_takes_the_schema_allows_and_what_it_refuses_the_schema_refuses() {
    let both = Both::new();
    for (row, validator) in &both.rows {
        for value in &row.takes {
            assert_eq!(both.ask(row, validator, value), (true, true), "{}: {value}", row.name);
        }
        for value in &row.refuses {
            assert_eq!(both.ask(row, validator, value), (false, false), "{}: {value}", row.name);
        }
    }
}

#[test]
fn near_what_fits_schema_and_serde_agree() {
    let both = Both::new();
    let mut failures = Vec::new();
    for (row, validator) in &both.rows {
        let mut runner = TestRunner::new(Config { cases: 64, failure_persistence: None, ..Config::default() });
        let values: Vec<_> = row.takes.iter().chain(&row.refuses).cloned().collect();
        let result = runner.run(&near::values(values), |value| match both.ask(row, validator, &value) {
            (schema, serde) if schema == serde => Ok(()),
            (true, _) if both.is_loose(row, &value) => Ok(()),
            (false, _) if is_strict(row, validator, &value) => Ok(()),
            (schema, _) => {
                let taker = if schema { "the schema" } else { "serde" };
                Err(TestCaseError::fail(format!("{}: only {taker} takes {value}", row.name)))
            }
        });
        failures.extend(result.err().map(|error| error.to_string()));
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// A server with all tools, and the validators of the schemas that it sends.
struct Both {
    runtime: tokio::runtime::Runtime,
    client: TestClient,
    rows: Vec<(Row, Validator)>,
}

impl Both {
    fn new() -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let (client, tools) = runtime.block_on(async {
            let client = TestClient::connect(table::server()).await.unwrap();
            let tools = client.list_tools().await.unwrap();
            (client, tools)
        });
        let validator = |schema: &Value| jsonschema::draft202012::new(schema).unwrap();
        let validators = tools.iter().map(|tool| validator(&tool.input_schema.parse().unwrap()));
        Self { rows: rows().into_iter().zip(validators).collect(), runtime, client }
    }

    /// Whether the schema allows a value, and whether the tool takes it.
    fn ask(&self, row: &Row, validator: &Validator, value: &Value) -> (bool, bool) {
        (validator.is_valid(&json!({"value": value})), self.takes(row, value))
    }

    fn takes(&self, row: &Row, value: &Value) -> bool {
        let result = self.runtime.block_on(self.client.call(row.name, json!({"value": value}))).unwrap();
        !result.is_error
    }

    /// Whether the schema may allow a value that `serde` refuses.
    fn is_loose(&self, row: &Row, value: &Value) -> bool {
        let whole = near::with_whole_numbers(value);
        // With an integer in its place it has to be taken.
        let is_integral = whole != *value && (self.takes(row, &whole) || near::is_beyond_64_bits(value));
        (row.differs(Difference::IntegralFloat) && is_integral)
            || (row.differs(Difference::BeyondItsBits) && near::is_beyond_64_bits(value))
            || (row.differs(Difference::Hole) && *value == 0)
            || row.differs(Difference::Grammar)
            || row.differs(Difference::Keys)
    }
}

/// Whether the schema may refuse a value that `serde` takes: all that it complains of must be what `serde` is lax about.
fn is_strict(row: &Row, validator: &Validator, value: &Value) -> bool {
    fn is_lax(row: &Row, error: &ValidationError<'_>) -> bool {
        let instance = error.instance();
        let is_tag = instance.is_u64() && row.differs(Difference::TagByNumber);
        let is_variant = instance.as_object().is_some_and(|it| it.len() == 1 && it.values().all(Value::is_null));
        match error.kind() {
            ValidationErrorKind::AdditionalProperties { .. } => true,
            ValidationErrorKind::Type { .. } if instance.is_null() || is_variant || is_tag => true,
            ValidationErrorKind::Type { kind } => instance.is_array() && format!("{kind:?}").contains("Object"),
            ValidationErrorKind::Enum { .. } => instance.is_null() || is_variant || is_tag,
            ValidationErrorKind::AnyOf { context } => {
                instance.is_null() || context.iter().any(|errors| errors.iter().all(|error| is_lax(row, error)))
            }
            _ => false,
        }
    }

    let is_lax = || validator.iter_errors(&json!({"value": value})).all(|error| is_lax(row, &error));
    row.differs(Difference::Alias) || (row.differs(Difference::Lax) && is_lax())
}
