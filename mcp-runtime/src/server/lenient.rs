//! What was meant by a value of the wrong kind: `"5"` for 5, `"null"` for nothing, `5.0` for 5.

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, value::RawValue};
use serde_path_to_error::{Path, Segment};

use super::{
    describe::schema_of,
    misfits::{Steps, fits, is_of_type},
    portable::referred,
};
use crate::protocol::unambiguous::Unambiguous;

/// After a strict failure, at any depth: what was meant, with the JSON that was understood. What was taken as text is
/// never touched.
pub(super) fn lenient<T: DeserializeOwned + JsonSchema>(raw: &RawValue) -> Option<(T, Box<RawValue>)> {
    let mut decoded = None;
    let mut decode = |value: &Value| match serde_path_to_error::deserialize::<_, T>(value) {
        Ok(value) => {
            decoded = Some(value);
            Ok(())
        }
        Err(error) => Err(error.path().clone()),
    };
    let understood = understood(raw, &mut decode, schema_of::<T>)?;
    Some((decoded?, understood))
}

/// Decodes a value, or says where in it that failed. What is done about it is the same for all types.
type Decode<'a> = dyn FnMut(&Value) -> Result<(), Path> + 'a;

fn understood(raw: &RawValue, decode: &mut Decode<'_>, schema: fn() -> Value) -> Option<Box<RawValue>> {
    // Of a member that stands twice it would not be told which of the two was meant.
    let Unambiguous(value) = serde_json::from_str(raw.get()).ok()?;
    let value = where_it_failed(value.clone(), decode).or_else(|| {
        // Within an enum that is told by a member, and beside what is flattened, `serde` does not say where.
        let value = meant_by(&schema(), value);
        decode(&value).ok().map(|()| value)
    })?;
    serde_json::value::to_raw_value(&value).ok()
}

/// The value with all mended that a schema of a type by itself has of another kind.
pub(super) fn meant_by(schema: &Value, value: Value) -> Value {
    meant(schema, schema.get("$defs").and_then(Value::as_object), value, &Steps::default())
}

/// Mends the values at which decoding fails, one after the other.
fn where_it_failed(mut value: Value, decode: &mut Decode<'_>) -> Option<Value> {
    /// So many values of one argument are mended, no more.
    const MOST: usize = 32;
    for _ in 0..MOST {
        let path = match decode(&value) {
            Ok(()) => return Some(value),
            Err(path) => path,
        };
        let mut wrong = &mut value;
        for segment in &path {
            wrong = match segment {
                Segment::Seq { index } => wrong.get_mut(*index)?,
                Segment::Map { key } => wrong.get_mut(key.as_str())?,
                // `{"Variant": …}`; where the variant is said by a member, there is nothing of that name.
                Segment::Enum { variant } => wrong.get_mut(variant.as_str())?,
                Segment::Unknown => return None,
            };
        }
        *wrong = mended(wrong)?;
    }
    None
}

/// The value with all that the schema of its type has of another kind mended.
fn meant(schema: &Value, definitions: Option<&Map<String, Value>>, value: Value, steps: &Steps) -> Value {
    if !steps.take() {
        return value;
    }
    let name = schema["$ref"].as_str().and_then(referred);
    if let Some(definition) = name.and_then(|name| definitions?.get(&name)) {
        return meant(definition, definitions, value, steps);
    }
    if let Some(choices) = schema["anyOf"].as_array() {
        if choices.iter().any(|choice| fits(choice, definitions, &value, steps)) {
            return value;
        }
        let mut mended = choices.iter().map(|choice| (choice, meant(choice, definitions, value.clone(), steps)));
        let fitting = mended.find(|(choice, value)| fits(choice, definitions, value, steps));
        return fitting.map_or(value, |(_, value)| value);
    }
    let value = match mended(&value) {
        Some(mended) if !is_of_type(schema, &value, true) && is_of_type(schema, &mended, false) => mended,
        _ => value,
    };
    match value {
        Value::Object(mut members) => {
            let schema_of = |name: &str| schema["properties"].get(name).unwrap_or(&schema["additionalProperties"]);
            for (name, value) in &mut members {
                *value = meant(schema_of(name), definitions, value.take(), steps);
            }
            members.into()
        }
        Value::Array(items) => {
            let schema_of = |index: usize| schema["prefixItems"].get(index).unwrap_or(&schema["items"]);
            let items = items.into_iter().enumerate();
            items.map(|(index, value)| meant(schema_of(index), definitions, value, steps)).collect()
        }
        // `"5.0"`
        Value::Number(number) if !is_of_type(schema, &Value::Number(number.clone()), true) => {
            mended(&Value::Number(number.clone())).unwrap_or(Value::Number(number))
        }
        value => value,
    }
}

/// The value that was meant by one of the wrong kind.
pub(super) fn mended(wrong: &Value) -> Option<Value> {
    /// Beyond it a float does not tell one integer from the next.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    match wrong {
        Value::String(text) => serde_json::from_str(text.trim()).ok().filter(|value: &Value| !value.is_string()),
        Value::Number(number) if number.is_f64() => {
            let number = number.as_f64().filter(|number| number.fract() == 0.0 && number.abs() <= EXACT)?;
            #[allow(clippy::cast_possible_truncation, reason = "it is an integer within i64")]
            Some(Value::from(number as i64))
        }
        _ => None,
    }
}
