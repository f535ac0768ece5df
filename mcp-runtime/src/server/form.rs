//! Forms: from a Rust type to the flat object of primitives that a client can show, and from an answer back to the type.

use std::{any::type_name, fmt};

use schemars::{JsonSchema, generate::Contract};
use serde::{
    Deserializer,
    de::{
        DeserializeOwned, DeserializeSeed, Error as _, IntoDeserializer, MapAccess, SeqAccess, Visitor,
        value::Error as Stop,
    },
    forward_to_deserialize_any,
};
use serde_json::{Map, Number, Value, json};

use super::describe::{drop_null, generator};
use crate::protocol::{
    ElicitSchema,
    elicitation::{EnumOption, PrimitiveSchemaDefinition, StringFormat},
};

/// A type that a form can ask for: a struct of texts, numbers, `bool`s, enums without data, and `Vec`s of such enums.
///
/// It needs `serde::Deserialize` and `schemars::JsonSchema`, no more:
///
/// ```
/// use mcp_runtime::protocol::ElicitSchema;
///
/// #[derive(serde::Deserialize, schemars::JsonSchema)]
/// struct Booking {
///     /// Whom to write to
///     #[schemars(email)]
///     contact: String,
///     #[schemars(range(min = 1, max = 8))]
///     guests: u8,
///     #[serde(default)]
///     breakfast: bool,
///     bed: Option<Bed>,
/// }
///
/// #[derive(serde::Deserialize, schemars::JsonSchema)]
/// #[serde(rename_all = "lowercase")]
/// enum Bed {
///     /// One wide bed
///     Double,
///     /// Two beds
///     Twin,
/// }
///
/// let form = ElicitSchema::of::<Booking>()?;
/// assert_eq!(form.required, ["contact", "guests"]);
/// assert_eq!(
///     serde_json::to_value(&form).unwrap()["properties"]["bed"],
///     serde_json::json!({ "type": "string", "oneOf": [
///         { "const": "double", "title": "One wide bed" },
///         { "const": "twin", "title": "Two beds" },
///     ] })
/// );
/// # Ok::<(), mcp_runtime::FormError>(())
/// ```
///
/// Fields and values are shown in source order, under the text of their doc comments; `#[schemars(title = "…")]` gives a field or a
/// variant another title. An `Option` and a field with `#[serde(default)]` may be left empty. What is no such struct, a
/// field that is a struct or a map above all, is a [`FormError`] at the call.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be asked for in a form",
    label = "not a form",
    note = "derive `serde::Deserialize` and `schemars::JsonSchema` for `{Self}`, a struct of texts, numbers, `bool`s and enums without data"
)]
pub trait ElicitationForm: DeserializeOwned + JsonSchema + Send + 'static {}

impl<T: DeserializeOwned + JsonSchema + Send + 'static> ElicitationForm for T {}

/// Why something is no form: all that is wrong with it, for whoever writes the handler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormError {
    /// The type, or the form that was written by hand.
    what: String,
    problems: Vec<String>,
}

impl fmt::Display for FormError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} cannot be a form: {}", self.what, self.problems.join("; "))
    }
}

impl std::error::Error for FormError {}

impl ElicitSchema {
    /// The form of a type.
    ///
    /// # Errors
    /// When the type is no struct, or has fields that no form can have; see [`ElicitationForm`].
    pub fn of<T: ElicitationForm>() -> Result<Self, FormError> {
        let schema = Value::from(T::json_schema(&mut generator(false, Contract::Deserialize)));
        let mut form = from_schema(schema).map_err(|problems| FormError { what: named::<T>(), problems })?;
        let fields = order::<T>(None);
        arrange(&mut form.properties, fields, |(name, _)| name);
        arrange(&mut form.required, fields, |name| name);
        for (name, schema) in &mut form.properties {
            let options = match schema {
                PrimitiveSchemaDefinition::TitledSingleSelect(choice) => &mut choice.options,
                PrimitiveSchemaDefinition::TitledMultiSelect(choice) => &mut choice.options,
                _ => continue,
            };
            arrange(options, order::<T>(Some(name)), |option| &option.value);
        }
        Ok(form)
    }

    /// Refuses a form, written by hand, that no answer could fit.
    pub(crate) fn validate(&self) -> Result<(), FormError> {
        let problems = problems(self);
        if problems.is_empty() {
            return Ok(());
        }
        Err(FormError { what: "what was written by hand".to_owned(), problems })
    }

    /// The answer as a `T`: every field is checked against the form, and one that the form does not have is left out.
    ///
    /// # Errors
    /// What is wrong with the answer, without its words.
    pub(crate) fn read<T: DeserializeOwned>(&self, content: &Map<String, Value>) -> Result<T, String> {
        let mut fitting = Map::new();
        for (name, schema) in &self.properties {
            // Null is what some clients make of a field that was left empty.
            match content.get(name).filter(|value| !value.is_null()) {
                Some(value) => {
                    let value = fit(schema, value).map_err(|reason| format!("`{name}` {reason}"))?;
                    fitting.insert(name.clone(), value);
                }
                None if self.requires(name) => return Err(format!("`{name}` is missing")),
                None => {}
            }
        }
        serde_path_to_error::deserialize(Value::Object(fitting))
            .map_err(|error| format!("`{}` is not what was asked for", error.path()))
    }
}

fn named<T>() -> String {
    format!("`{}`", type_name::<T>())
}

/// The form that a JSON Schema says, as far as forms go.
fn from_schema(schema: Value) -> Result<ElicitSchema, Vec<String>> {
    const HARMLESS: [&str; 6] = ["$schema", "title", "description", "additionalProperties", "default", "examples"];
    let Value::Object(mut schema) = schema else {
        return Err(vec!["it takes any value; a form is a struct with named fields".to_owned()]);
    };
    if schema.remove("type") != Some("object".into()) {
        return Err(vec!["it is no struct with named fields".to_owned()]);
    }
    if schema.get("additionalProperties").is_some_and(|members| *members != Value::Bool(false)) {
        return Err(vec!["it is a map, and a form has a fixed set of fields".to_owned()]);
    }
    let properties = match schema.remove("properties") {
        Some(Value::Object(properties)) => properties,
        _ => Map::new(),
    };
    let required = schema.remove("required").unwrap_or_default();
    let mut form = ElicitSchema::new();
    let mut problems: Vec<String> = schema
        .keys()
        .filter(|keyword| !HARMLESS.contains(&keyword.as_str()))
        .map(|keyword| format!("a form cannot say `{keyword}`"))
        .collect();
    for (name, schema) in properties {
        match field(schema) {
            Ok(schema) => form.properties.push((name, schema)),
            Err(reason) => problems.push(format!("field `{name}` {reason}")),
        }
    }
    if !problems.is_empty() {
        return Err(problems);
    }
    let required = required.as_array().into_iter().flatten();
    form.required = required.filter_map(Value::as_str).map(str::to_owned).collect();
    Ok(form)
}

/// One field of a form, from its JSON Schema.
fn field(mut schema: Value) -> Result<PrimitiveSchemaDefinition, String> {
    drop_null(&mut schema);
    let Value::Object(mut schema) = schema else {
        return Err("takes any value".to_owned());
    };
    if schema.contains_key("$ref") {
        return Err("refers to another schema, and a form is flat".to_owned());
    }
    choose(&mut schema)?;
    if let Some(Value::Object(items)) = schema.get_mut("items") {
        drop_titles_of(items);
        choose(items)?;
        if let Some(options) = items.remove("oneOf") {
            items.remove("type");
            items.insert("anyOf".to_owned(), options);
        }
        if !items.contains_key("enum") && !items.contains_key("anyOf") {
            return Err("is a list of something else than an enum without data".to_owned());
        }
    }
    let kind = schema.get("type").and_then(Value::as_str).unwrap_or_default().to_owned();
    match kind.as_str() {
        "object" => return Err("is a struct or a map, and a form is flat: take its fields one by one".to_owned()),
        "string" | "integer" | "number" | "boolean" | "array" => {}
        _ => return Err("is none of text, number, `bool`, enum without data, `Vec` of such an enum".to_owned()),
    }
    tidy(&mut schema);
    serde_json::from_value(Value::Object(schema)).map_err(|error| {
        let said = error.to_string();
        match said.strip_prefix("unknown field `").and_then(|rest| rest.split('`').next()) {
            Some(keyword) => format!("has a `{keyword}`, which a form cannot say; check it in the handler"),
            None => format!("is no field of a form: {said}"),
        }
    })
}

/// Takes out what a form has no use for, and no client could heed.
fn tidy(schema: &mut Map<String, Value>) {
    schema.retain(|keyword, value| match keyword.as_str() {
        "examples" | "deprecated" | "readOnly" | "writeOnly" | "$comment" | "uniqueItems" => false,
        "default" => !value.is_null(),
        // Of numbers it is Rust's own; of texts a client refuses what the standard does not list.
        "format" => serde_json::from_value::<StringFormat>(value.take()).is_ok_and(|format| {
            *value = json!(format);
            true
        }),
        keyword => !keyword.starts_with("x-"),
    });
}

/// The doc comment of an enum describes the type, not the list of which it is the item.
fn drop_titles_of(items: &mut Map<String, Value>) {
    for keyword in ["title", "description", "default"] {
        items.remove(keyword);
    }
}

/// Writes a choice among texts as `enum`, or as `oneOf` where one of the texts has a title.
fn choose(schema: &mut Map<String, Value>) -> Result<(), String> {
    if let Some(value) = schema.remove("const") {
        schema.insert("enum".to_owned(), json!([value]));
    }
    for keyword in ["oneOf", "anyOf"] {
        let Some(choices) = schema.remove(keyword) else { continue };
        let options = options(&choices).ok_or("is an enum with data, or a choice among values that are no texts")?;
        let is_titled = options.iter().any(|(_, title)| title.is_some());
        schema.insert("type".to_owned(), "string".into());
        if is_titled {
            let titled = |(value, title): (String, Option<String>)| EnumOption {
                title: title.unwrap_or_else(|| value.clone()),
                value,
            };
            schema.insert("oneOf".to_owned(), json!(options.into_iter().map(titled).collect::<Vec<_>>()));
        } else {
            schema.insert("enum".to_owned(), options.into_iter().map(|(value, _)| value).collect());
        }
    }
    let are_texts = |values: &Value| values.as_array().is_some_and(|values| values.iter().all(Value::is_string));
    if schema.get("enum").is_some_and(|values| !are_texts(values)) {
        return Err("is a choice among values that are no texts".to_owned());
    }
    Ok(())
}

/// The texts of a `oneOf`, each with its title; its description where it has none.
fn options(choices: &Value) -> Option<Vec<(String, Option<String>)>> {
    let mut options = Vec::new();
    for choice in choices.as_array()? {
        let text = |keyword: &str| choice.get(keyword).and_then(Value::as_str).map(str::to_owned);
        match (text("const"), choice.get("enum")) {
            (Some(value), _) => options.push((value, text("title").or_else(|| text("description")))),
            (None, Some(Value::Array(values))) => {
                for value in values {
                    options.push((value.as_str()?.to_owned(), None));
                }
            }
            _ => return None,
        }
    }
    Some(options)
}

/// Brings what is named into that order; what it does not name comes after it, as it was.
fn arrange<T>(items: &mut [T], order: &[&str], name: impl Fn(&T) -> &str) {
    let mut rest = items;
    for wanted in order {
        if let Some(at) = rest.iter().position(|item| name(item) == *wanted) {
            rest[..=at].rotate_right(1);
            rest = &mut rest[1..];
        }
    }
}

/// The names of a struct's fields in source order, or those of the variants of one of its fields, as its `Deserialize`
/// says them: a schema loses the order. None of a type that is flattened.
fn order<T: DeserializeOwned>(field: Option<&str>) -> &'static [&'static str] {
    let mut names: &[&str] = &[];
    // It always ends in an error: there is nothing to read.
    drop(T::deserialize(Probe { field, names: &mut names }));
    names
}

/// A deserializer that has nothing to read, and takes down what it is asked for.
struct Probe<'a> {
    /// The field whose variants are wanted, rather than the fields.
    field: Option<&'a str>,
    names: &'a mut &'static [&'static str],
}

impl<'de> Deserializer<'de> for Probe<'_> {
    type Error = Stop;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Stop> {
        Err(Stop::custom("only names were asked for"))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Stop> {
        if self.field.is_some() {
            return visitor.visit_map(self);
        }
        *self.names = fields;
        self.deserialize_any(visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Stop> {
        *self.names = variants;
        self.deserialize_any(visitor)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, Stop> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Stop> {
        visitor.visit_some(self)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Stop> {
        visitor.visit_seq(OneItem(Some(self)))
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct tuple
        tuple_struct map identifier ignored_any
    }
}

/// A struct of the one field.
impl<'de> MapAccess<'de> for Probe<'_> {
    type Error = Stop;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Stop> {
        self.field.take().map(|field| seed.deserialize(field.into_deserializer())).transpose()
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Stop> {
        seed.deserialize(Probe { field: None, names: self.names })
    }
}

/// A list of one item.
struct OneItem<'a>(Option<Probe<'a>>);

impl<'de> SeqAccess<'de> for OneItem<'_> {
    type Error = Stop;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Stop> {
        self.0.take().map(|item| seed.deserialize(item)).transpose()
    }
}

/// What is wrong with a form that was written by hand.
fn problems(form: &ElicitSchema) -> Vec<String> {
    use PrimitiveSchemaDefinition as Schema;
    let mut problems = Vec::new();
    for (index, (name, schema)) in form.properties.iter().enumerate() {
        if form.properties[..index].iter().any(|(earlier, _)| earlier == name) {
            problems.push(format!("two fields are named `{name}`"));
        }
        let is_empty = match schema {
            Schema::UntitledSingleSelect(choice) => choice.values.is_empty(),
            Schema::UntitledMultiSelect(choice) => choice.values.is_empty(),
            Schema::TitledSingleSelect(choice) => choice.options.is_empty(),
            Schema::TitledMultiSelect(choice) => choice.options.is_empty(),
            Schema::LegacyTitled(choice) => choice.options.is_empty(),
            Schema::Text(_) | Schema::Number(_) | Schema::Boolean(_) => false,
        };
        if is_empty {
            problems.push(format!("field `{name}` is a choice among nothing"));
        } else if let Some(default) = default_of(schema)
            && let Err(reason) = fit(schema, &default)
        {
            problems.push(format!("the default of field `{name}` {reason}"));
        }
    }
    for name in &form.required {
        if form.properties.iter().all(|(known, _)| known != name) {
            problems.push(format!("it requires `{name}`, which is none of its fields"));
        }
    }
    problems
}

fn default_of(schema: &PrimitiveSchemaDefinition) -> Option<Value> {
    use PrimitiveSchemaDefinition as Schema;
    match schema {
        Schema::Text(text) => text.default.clone().map(Value::from),
        Schema::Number(number) => number.default.clone().map(Value::from),
        Schema::Boolean(answer) => answer.default.map(Value::from),
        Schema::UntitledSingleSelect(choice) => choice.default.clone().map(Value::from),
        Schema::TitledSingleSelect(choice) => choice.default.clone().map(Value::from),
        Schema::LegacyTitled(choice) => choice.default.clone().map(Value::from),
        Schema::UntitledMultiSelect(choice) => choice.default.clone().map(Value::from),
        Schema::TitledMultiSelect(choice) => choice.default.clone().map(Value::from),
    }
}

/// A field's value as the schema means it: an integer is one, however it was written.
fn fit(schema: &PrimitiveSchemaDefinition, value: &Value) -> Result<Value, String> {
    use PrimitiveSchemaDefinition as Schema;
    match schema {
        Schema::Text(schema) => {
            let text = value.as_str().ok_or("must be a text")?;
            within(text.chars().count(), schema.min_length, schema.max_length, "characters")?;
            match schema.format {
                Some(format) if !is_of(format, text) => Err(format!("must be {}", in_words(format))),
                _ => Ok(value.clone()),
            }
        }
        Schema::Number(schema) => {
            let number = value.as_number().ok_or("must be a number")?;
            let number = if schema.integer { integer(number).ok_or("must be a whole number")? } else { number.clone() };
            match (&schema.minimum, &schema.maximum) {
                (Some(least), _) if is_less(&number, least) => Err(format!("must be at least {least}")),
                (_, Some(most)) if is_less(most, &number) => Err(format!("must be at most {most}")),
                _ => Ok(Value::Number(number)),
            }
        }
        Schema::Boolean(_) => value.as_bool().map(Value::from).ok_or_else(|| "must be true or false".to_owned()),
        Schema::UntitledSingleSelect(choice) => one_of(value, &choice.values),
        Schema::TitledSingleSelect(choice) => one_of(value, &values(&choice.options)),
        Schema::LegacyTitled(choice) => one_of(value, &values(&choice.options)),
        Schema::UntitledMultiSelect(choice) => some_of(value, &choice.values, choice.min_items, choice.max_items),
        Schema::TitledMultiSelect(choice) => {
            some_of(value, &values(&choice.options), choice.min_items, choice.max_items)
        }
    }
}

fn values(options: &[EnumOption]) -> Vec<&str> {
    options.iter().map(|option| option.value.as_str()).collect()
}

fn one_of(value: &Value, values: &[impl AsRef<str>]) -> Result<Value, String> {
    let chosen = value.as_str().filter(|chosen| values.iter().any(|known| known.as_ref() == *chosen));
    chosen.map(Value::from).ok_or_else(|| "must be one of the values to choose from".to_owned())
}

fn some_of(
    value: &Value,
    values: &[impl AsRef<str>],
    min_items: Option<u64>,
    max_items: Option<u64>,
) -> Result<Value, String> {
    let chosen = value.as_array().ok_or("must be a list")?;
    within(chosen.len(), min_items, max_items, "values")?;
    chosen.iter().map(|value| one_of(value, values)).collect()
}

fn within(count: usize, least: Option<u64>, most: Option<u64>, of: &str) -> Result<(), String> {
    match (least, most) {
        (Some(least), _) if (count as u64) < least => Err(format!("must have at least {least} {of}")),
        (_, Some(most)) if count as u64 > most => Err(format!("must have at most {most} {of}")),
        _ => Ok(()),
    }
}

/// A number without a fraction: `30`, and also `30.0`, which some languages write.
#[allow(clippy::cast_possible_truncation)]
fn integer(number: &Number) -> Option<Number> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if number.is_i64() || number.is_u64() {
        return Some(number.clone());
    }
    let float = number.as_f64()?;
    (float.fract() == 0.0 && float.abs() <= EXACT).then(|| Number::from(float as i64))
}

fn is_less(a: &Number, b: &Number) -> bool {
    match (a.as_i128(), b.as_i128()) {
        (Some(a), Some(b)) => a < b,
        _ => a.as_f64() < b.as_f64(),
    }
}

fn in_words(format: StringFormat) -> &'static str {
    match format {
        StringFormat::Email => "an e-mail address",
        StringFormat::Uri => "a URI",
        StringFormat::Date => "a date as in 2026-07-28",
        StringFormat::DateTime => "a date and time as in 2026-07-28T12:00:00Z",
    }
}

/// Whether a text looks like what the format says; whether there is such an address is another matter.
fn is_of(format: StringFormat, text: &str) -> bool {
    match format {
        StringFormat::Email => {
            let parts = text.rsplit_once('@');
            let plain = |part: &str| !part.is_empty() && !part.contains(|c: char| c.is_whitespace() || c.is_control());
            parts.is_some_and(|(name, host)| plain(name) && plain(host))
        }
        StringFormat::Uri => text.split_once(':').is_some_and(|(scheme, rest)| {
            let in_scheme = |c: char| c.is_ascii_alphanumeric() || "+-.".contains(c);
            let fits = scheme.starts_with(|c: char| c.is_ascii_alphabetic()) && scheme.chars().all(in_scheme);
            fits && !rest.is_empty() && !rest.contains(|c: char| c.is_whitespace() || c.is_control())
        }),
        StringFormat::Date => is_date(text),
        StringFormat::DateTime => {
            let split = text.find(['T', 't']).map(|index| (&text[..index], &text[index + 1..]));
            split.is_some_and(|(date, time)| is_date(date) && is_time(time))
        }
    }
}

fn is_date(text: &str) -> bool {
    let Some([year, month, day]) = numbers(text, '-', [4, 2, 2]) else { return false };
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        4 | 6 | 9 | 11 => 30,
        2 if is_leap => 29,
        2 => 28,
        1..=12 => 31,
        _ => 0,
    };
    (1..=days).contains(&day)
}

/// `hh:mm:ss`, perhaps a fraction, and a zone.
fn is_time(text: &str) -> bool {
    let Some(zone) = text.find(['Z', 'z', '+', '-']) else { return false };
    let (time, zone) = text.split_at(zone);
    let (clock, fraction) = time.split_once('.').unwrap_or((time, "0"));
    let has_zone = zone.eq_ignore_ascii_case("z")
        || numbers(&zone[1..], ':', [2, 2]).is_some_and(|[hours, minutes]| hours < 24 && minutes < 60);
    let has_fraction = !fraction.is_empty() && fraction.bytes().all(|byte| byte.is_ascii_digit());
    // 60 is a leap second.
    let is_clock = |[hours, minutes, seconds]: [u32; 3]| hours < 24 && minutes < 60 && seconds <= 60;
    has_zone && has_fraction && numbers(clock, ':', [2, 2, 2]).is_some_and(is_clock)
}

/// The numbers of a text, each of so many digits, set apart by `separator`.
fn numbers<const N: usize>(text: &str, separator: char, digits: [usize; N]) -> Option<[u32; N]> {
    let mut parts = text.split(separator);
    let mut numbers = [0; N];
    for (number, digits) in numbers.iter_mut().zip(digits) {
        let part = parts.next()?;
        let fits = part.len() == digits && part.bytes().all(|byte| byte.is_ascii_digit());
        *number = fits.then(|| part.parse().ok()).flatten()?;
    }
    parts.next().is_none().then_some(numbers)
}

#[cfg(test)]
mod tests;
