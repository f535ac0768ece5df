//! Questions to the client's user: `elicitation/create`.

use std::fmt;

use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{Error as _, MapAccess, Visitor},
    ser::SerializeMap,
};
use serde_json::{Map, Number, Value};

/// The parameters of `elicitation/create`: a form, or a page to visit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum ElicitRequestParams {
    /// A page to visit.
    Url(ElicitRequestURLParams),
    /// A form.
    Form(ElicitRequestFormParams),
}

/// A form for the user. Never ask for a secret in one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ElicitRequestFormParams {
    /// `form`; versions that know forms only leave it out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<FormMode>,
    /// What is asked, for people.
    pub message: String,
    /// The fields.
    pub requested_schema: ElicitSchema,
}

/// A page that the user is asked to visit, where secrets may be asked for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ElicitRequestURLParams {
    /// `url`.
    pub mode: UrlMode,
    /// Why the user should, for people.
    pub message: String,
    /// The page.
    pub url: String,
    /// What the question is called; 2025-11-25 alone has it, and the framework fills it in there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub elicitation_id: Option<String>,
}

/// The word `form`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum FormMode {
    /// It.
    #[default]
    #[serde(rename = "form")]
    Form,
}

/// The word `url`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum UrlMode {
    /// It.
    #[default]
    #[serde(rename = "url")]
    Url,
}

impl ElicitRequestParams {
    /// A form.
    pub fn form(message: impl Into<String>, requested_schema: ElicitSchema) -> Self {
        Self::Form(ElicitRequestFormParams { mode: Some(FormMode::Form), message: message.into(), requested_schema })
    }

    /// A page to visit.
    pub fn url(message: impl Into<String>, url: impl Into<String>) -> Self {
        let (message, url) = (message.into(), url.into());
        Self::Url(ElicitRequestURLParams { mode: UrlMode::Url, message, url, elicitation_id: None })
    }
}

/// What the user did with a question, and what was filled in.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ElicitResult {
    /// What the user did.
    pub action: ElicitAction,
    /// The fields of a form that was accepted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<Map<String, Value>>,
}

impl ElicitResult {
    /// A form that was accepted, with its fields.
    pub fn accept(content: Value) -> Self {
        Self { action: ElicitAction::Accept, content: content.as_object().cloned() }
    }

    /// A question without an answer: declined, cancelled, or a page that the user agreed to visit.
    pub fn of(action: ElicitAction) -> Self {
        Self { action, content: None }
    }
}

/// What the user did with a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ElicitAction {
    /// Answered it.
    Accept,
    /// Said no.
    Decline,
    /// Left it.
    Cancel,
}

/// The fields of a form, in the order in which they are shown: a flat object of primitives, the `requestedSchema`.
///
/// A Rust type gives one by itself, see [`Context::elicit`](crate::Context::elicit); by hand it can say all that the
/// standard knows:
///
/// ```
/// use mcp_runtime::protocol::elicitation::{
///     ElicitSchema, LegacyTitledEnumSchema, NumberSchema, StringFormat, StringSchema, UntitledMultiSelectEnumSchema,
/// };
///
/// let form = ElicitSchema::new()
///     .required("email", StringSchema::new().format(StringFormat::Email))
///     .optional("age", NumberSchema::integer().minimum(18).default_value(30))
///     .optional("size", LegacyTitledEnumSchema::new([("s", "Small"), ("l", "Large")]))
///     .optional("days", UntitledMultiSelectEnumSchema::new(["sat", "sun"]).min_items(1));
/// assert_eq!(form.properties.len(), 4);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ElicitSchema {
    /// Name and schema of each field.
    pub properties: Vec<(String, PrimitiveSchemaDefinition)>,
    /// The fields that must be filled in.
    pub required: Vec<String>,
}

impl ElicitSchema {
    /// A form without fields.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a field that must be filled in.
    #[must_use]
    pub fn required(mut self, name: impl Into<String>, schema: impl Into<PrimitiveSchemaDefinition>) -> Self {
        let name = name.into();
        self.required.push(name.clone());
        self.optional(name, schema)
    }

    /// Adds a field that may be left empty.
    #[must_use]
    pub fn optional(mut self, name: impl Into<String>, schema: impl Into<PrimitiveSchemaDefinition>) -> Self {
        self.properties.push((name.into(), schema.into()));
        self
    }

    /// Whether a field takes several values: versions before 2025-11-25 cannot ask that.
    pub(crate) fn has_multi_select(&self) -> bool {
        use PrimitiveSchemaDefinition::{TitledMultiSelect, UntitledMultiSelect};
        self.properties.iter().any(|(_, schema)| matches!(schema, UntitledMultiSelect(_) | TitledMultiSelect(_)))
    }

    /// Whether the field must be filled in.
    pub fn requires(&self, name: &str) -> bool {
        self.required.iter().any(|required| required == name)
    }
}

/// The schema of one field.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum PrimitiveSchemaDefinition {
    /// Text.
    Text(StringSchema),
    /// A number.
    Number(NumberSchema),
    /// Yes or no.
    Boolean(BooleanSchema),
    /// One of several values.
    UntitledSingleSelect(UntitledSingleSelectEnumSchema),
    /// One of several values, each with a title.
    TitledSingleSelect(TitledSingleSelectEnumSchema),
    /// Some of several values.
    UntitledMultiSelect(UntitledMultiSelectEnumSchema),
    /// Some of several values, each with a title.
    TitledMultiSelect(TitledMultiSelectEnumSchema),
    /// One of several values, with titles beside: `enum` and `enumNames`.
    LegacyTitled(LegacyTitledEnumSchema),
}

/// Text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StringSchema {
    /// The field's name for people.
    pub title: Option<String>,
    /// What it is.
    pub description: Option<String>,
    /// Fewest characters.
    pub min_length: Option<u64>,
    /// Most characters.
    pub max_length: Option<u64>,
    /// What kind of text it is.
    pub format: Option<StringFormat>,
    /// What is filled in beforehand.
    pub default: Option<String>,
}

/// The kinds of text that a form can ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum StringFormat {
    /// An e-mail address.
    Email,
    /// A URI.
    Uri,
    /// A date, e.g. `2026-07-28`.
    Date,
    /// A date with time and zone, e.g. `2026-07-28T12:00:00Z`.
    DateTime,
}

/// A number.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NumberSchema {
    /// Whether it has no fraction.
    pub integer: bool,
    /// The field's name for people.
    pub title: Option<String>,
    /// What it is.
    pub description: Option<String>,
    /// The least.
    pub minimum: Option<Number>,
    /// The greatest.
    pub maximum: Option<Number>,
    /// What is filled in beforehand.
    pub default: Option<Number>,
}

/// Yes or no.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BooleanSchema {
    /// The field's name for people.
    pub title: Option<String>,
    /// What it is.
    pub description: Option<String>,
    /// What is filled in beforehand.
    pub default: Option<bool>,
}

/// One of several values.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct UntitledSingleSelectEnumSchema {
    /// The field's name for people.
    pub title: Option<String>,
    /// What it is.
    pub description: Option<String>,
    /// The values.
    pub values: Vec<String>,
    /// What is chosen beforehand.
    pub default: Option<String>,
}

/// One of several values, each with a title.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TitledSingleSelectEnumSchema {
    /// The field's name for people.
    pub title: Option<String>,
    /// What it is.
    pub description: Option<String>,
    /// The values.
    pub options: Vec<EnumOption>,
    /// What is chosen beforehand.
    pub default: Option<String>,
}

/// Some of several values.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct UntitledMultiSelectEnumSchema {
    /// The field's name for people.
    pub title: Option<String>,
    /// What it is.
    pub description: Option<String>,
    /// Fewest to choose.
    pub min_items: Option<u64>,
    /// Most to choose.
    pub max_items: Option<u64>,
    /// The values.
    pub values: Vec<String>,
    /// What is chosen beforehand.
    pub default: Option<Vec<String>>,
}

/// Some of several values, each with a title.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TitledMultiSelectEnumSchema {
    /// The field's name for people.
    pub title: Option<String>,
    /// What it is.
    pub description: Option<String>,
    /// Fewest to choose.
    pub min_items: Option<u64>,
    /// Most to choose.
    pub max_items: Option<u64>,
    /// The values.
    pub options: Vec<EnumOption>,
    /// What is chosen beforehand.
    pub default: Option<Vec<String>>,
}

/// One of several values, with titles beside: the only form with titles in 2025-06-18.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LegacyTitledEnumSchema {
    /// The field's name for people.
    pub title: Option<String>,
    /// What it is.
    pub description: Option<String>,
    /// The values, each with its title: `enum` and `enumNames`.
    pub options: Vec<EnumOption>,
    /// What is chosen beforehand.
    pub default: Option<String>,
}

/// A value with its name for people.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EnumOption {
    /// The value.
    #[serde(rename = "const")]
    pub value: String,
    /// Its name for people.
    pub title: String,
}

impl<V: Into<String>, T: Into<String>> From<(V, T)> for EnumOption {
    fn from((value, title): (V, T)) -> Self {
        Self { value: value.into(), title: title.into() }
    }
}

/// What all fields have, and how each becomes a schema.
macro_rules! fields {
    ($($schema:ident => $variant:ident),*) => { $(
        impl $schema {
            /// The same with a name for people.
            #[must_use]
            pub fn title(mut self, title: impl Into<String>) -> Self {
                self.title = Some(title.into());
                self
            }

            /// The same with a sentence on what it is.
            #[must_use]
            pub fn description(mut self, description: impl Into<String>) -> Self {
                self.description = Some(description.into());
                self
            }
        }

        impl From<$schema> for PrimitiveSchemaDefinition {
            fn from(schema: $schema) -> Self {
                Self::$variant(schema)
            }
        }
    )* };
}
fields!(
    StringSchema => Text,
    NumberSchema => Number,
    BooleanSchema => Boolean,
    UntitledSingleSelectEnumSchema => UntitledSingleSelect,
    TitledSingleSelectEnumSchema => TitledSingleSelect,
    UntitledMultiSelectEnumSchema => UntitledMultiSelect,
    TitledMultiSelectEnumSchema => TitledMultiSelect,
    LegacyTitledEnumSchema => LegacyTitled
);

impl StringSchema {
    /// Any text.
    pub fn new() -> Self {
        Self::default()
    }

    /// The same of at least so many characters.
    #[must_use]
    pub fn min_length(mut self, characters: u64) -> Self {
        self.min_length = Some(characters);
        self
    }

    /// The same of at most so many characters.
    #[must_use]
    pub fn max_length(mut self, characters: u64) -> Self {
        self.max_length = Some(characters);
        self
    }

    /// The same of that kind.
    #[must_use]
    pub fn format(mut self, format: StringFormat) -> Self {
        self.format = Some(format);
        self
    }

    /// The same with a text filled in beforehand.
    #[must_use]
    pub fn default_value(mut self, text: impl Into<String>) -> Self {
        self.default = Some(text.into());
        self
    }
}

impl NumberSchema {
    /// Any number.
    pub fn number() -> Self {
        Self::default()
    }

    /// Any number without a fraction.
    pub fn integer() -> Self {
        Self { integer: true, ..Self::default() }
    }

    /// The same of at least this.
    #[must_use]
    pub fn minimum(mut self, least: impl Into<Figure>) -> Self {
        self.minimum = least.into().0;
        self
    }

    /// The same of at most this.
    #[must_use]
    pub fn maximum(mut self, most: impl Into<Figure>) -> Self {
        self.maximum = most.into().0;
        self
    }

    /// The same with a number filled in beforehand.
    #[must_use]
    pub fn default_value(mut self, number: impl Into<Figure>) -> Self {
        self.default = number.into().0;
        self
    }
}

/// A number as JSON can say it: any integer, or a finite float.
#[derive(Clone, Debug)]
pub struct Figure(Option<Number>);

impl From<f64> for Figure {
    fn from(number: f64) -> Self {
        Self(Number::from_f64(number))
    }
}

macro_rules! figures {
    ($($ty:ty),*) => { $(
        impl From<$ty> for Figure {
            fn from(number: $ty) -> Self {
                Self(Some(number.into()))
            }
        }
    )* };
}
figures!(i8, i16, i32, i64, u8, u16, u32, u64);

impl BooleanSchema {
    /// A field for yes or no.
    pub fn new() -> Self {
        Self::default()
    }

    /// The same, answered beforehand.
    #[must_use]
    pub fn default_value(mut self, yes: bool) -> Self {
        self.default = Some(yes);
        self
    }
}

/// The fields that choose among values.
macro_rules! choices {
    (one of: $($one:ident . $one_values:ident),*; some of: $($some:ident . $some_values:ident),*) => {
        $(
            choices!(@new $one . $one_values);

            impl $one {
                /// The same with a value chosen beforehand.
                #[must_use]
                pub fn default_value(mut self, value: impl Into<String>) -> Self {
                    self.default = Some(value.into());
                    self
                }
            }
        )*
        $(
            choices!(@new $some . $some_values);

            impl $some {
                /// The same with values chosen beforehand.
                #[must_use]
                pub fn default_value<V: Into<String>>(mut self, values: impl IntoIterator<Item = V>) -> Self {
                    self.default = Some(values.into_iter().map(Into::into).collect());
                    self
                }

                /// The same with at least so many to choose.
                #[must_use]
                pub fn min_items(mut self, values: u64) -> Self {
                    self.min_items = Some(values);
                    self
                }

                /// The same with at most so many to choose.
                #[must_use]
                pub fn max_items(mut self, values: u64) -> Self {
                    self.max_items = Some(values);
                    self
                }
            }
        )*
    };
    (@new $schema:ident . values) => {
        impl $schema {
            /// A choice of these values.
            pub fn new<V: Into<String>>(values: impl IntoIterator<Item = V>) -> Self {
                Self { values: values.into_iter().map(Into::into).collect(), ..Self::default() }
            }
        }
    };
    (@new $schema:ident . options) => {
        impl $schema {
            /// A choice of these values, each with its title.
            pub fn new<O: Into<EnumOption>>(options: impl IntoIterator<Item = O>) -> Self {
                Self { options: options.into_iter().map(Into::into).collect(), ..Self::default() }
            }
        }
    };
}
choices!(
    one of:
        UntitledSingleSelectEnumSchema.values,
        TitledSingleSelectEnumSchema.options,
        LegacyTitledEnumSchema.options;
    some of:
        UntitledMultiSelectEnumSchema.values,
        TitledMultiSelectEnumSchema.options
);

/// A field's schema as it stands on the wire: all members that any kind of field has.
#[derive(Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Wire {
    #[serde(rename = "type")]
    kind: Kind,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    min_length: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    max_length: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    format: Option<StringFormat>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    minimum: Option<Number>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    maximum: Option<Number>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    min_items: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    max_items: Option<u64>,
    #[serde(default, rename = "enum", skip_serializing_if = "Option::is_none")]
    values: Option<Vec<String>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    enum_names: Option<Vec<String>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    one_of: Option<Vec<EnumOption>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    items: Option<Items>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    default: Option<Value>,
}

#[derive(Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Kind {
    #[default]
    String,
    Number,
    Integer,
    Boolean,
    Array,
}

/// What a field holds several of.
#[derive(Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Items {
    #[serde(default, rename = "type", skip_serializing_if = "Option::is_none")]
    kind: Option<Kind>,
    #[serde(default, rename = "enum", skip_serializing_if = "Option::is_none")]
    values: Option<Vec<String>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    any_of: Option<Vec<EnumOption>>,
}

impl From<PrimitiveSchemaDefinition> for Wire {
    fn from(schema: PrimitiveSchemaDefinition) -> Self {
        use PrimitiveSchemaDefinition as Schema;
        match schema {
            Schema::Text(StringSchema { title, description, min_length, max_length, format, default }) => {
                let default = default.map(Value::from);
                Self { title, description, min_length, max_length, format, default, ..Self::default() }
            }
            Schema::Number(NumberSchema { integer, title, description, minimum, maximum, default }) => {
                let kind = if integer { Kind::Integer } else { Kind::Number };
                let default = default.map(Value::from);
                Self { kind, title, description, minimum, maximum, default, ..Self::default() }
            }
            Schema::Boolean(BooleanSchema { title, description, default }) => {
                let default = default.map(Value::from);
                Self { kind: Kind::Boolean, title, description, default, ..Self::default() }
            }
            Schema::UntitledSingleSelect(UntitledSingleSelectEnumSchema { title, description, values, default }) => {
                let default = default.map(Value::from);
                Self { title, description, values: Some(values), default, ..Self::default() }
            }
            Schema::TitledSingleSelect(TitledSingleSelectEnumSchema { title, description, options, default }) => {
                let default = default.map(Value::from);
                Self { title, description, one_of: Some(options), default, ..Self::default() }
            }
            Schema::LegacyTitled(LegacyTitledEnumSchema { title, description, options, default }) => {
                let default = default.map(Value::from);
                let (values, names) = options.into_iter().map(|option| (option.value, option.title)).unzip();
                Self { title, description, values: Some(values), enum_names: Some(names), default, ..Self::default() }
            }
            Schema::UntitledMultiSelect(schema) => {
                let UntitledMultiSelectEnumSchema { title, description, min_items, max_items, values, default } =
                    schema;
                let items = Some(Items { kind: Some(Kind::String), values: Some(values), any_of: None });
                let (kind, default) = (Kind::Array, default.map(Value::from));
                Self { kind, title, description, min_items, max_items, items, default, ..Self::default() }
            }
            Schema::TitledMultiSelect(schema) => {
                let TitledMultiSelectEnumSchema { title, description, min_items, max_items, options, default } = schema;
                let items = Some(Items { any_of: Some(options), ..Items::default() });
                let (kind, default) = (Kind::Array, default.map(Value::from));
                Self { kind, title, description, min_items, max_items, items, default, ..Self::default() }
            }
        }
    }
}

impl TryFrom<Wire> for PrimitiveSchemaDefinition {
    type Error = &'static str;

    /// The field of that schema; what a field of its kind does not have is refused.
    fn try_from(wire: Wire) -> Result<Self, Self::Error> {
        const BAD_DEFAULT: &str = "`default` is of another type than the field";
        fn text(value: Value) -> Result<String, &'static str> {
            if let Value::String(text) = value { Ok(text) } else { Err(BAD_DEFAULT) }
        }
        let Wire { kind, title, description, min_length, max_length, format, .. } = wire;
        let Wire { minimum, maximum, min_items, max_items, values, enum_names, one_of, items, default, .. } = wire;
        let of_text = min_length.or(max_length).is_some() || format.is_some();
        let of_number = minimum.is_some() || maximum.is_some();
        let of_list = min_items.or(max_items).is_some() || items.is_some();
        let of_choice = values.is_some() || enum_names.is_some() || one_of.is_some();
        let foreign = match kind {
            Kind::String => of_number || of_list || (of_text && of_choice),
            Kind::Number | Kind::Integer => of_text || of_list || of_choice,
            Kind::Boolean => of_text || of_number || of_list || of_choice,
            Kind::Array => of_text || of_number || of_choice,
        };
        if foreign {
            return Err("it has keywords of another type of field");
        }
        Ok(match (kind, values, enum_names, one_of) {
            (Kind::Number | Kind::Integer, ..) => {
                let default = match default {
                    None => None,
                    Some(Value::Number(number)) => Some(number),
                    Some(_) => return Err(BAD_DEFAULT),
                };
                let integer = kind == Kind::Integer;
                NumberSchema { integer, title, description, minimum, maximum, default }.into()
            }
            (Kind::Boolean, ..) => {
                let default = default.map(|value| value.as_bool().ok_or(BAD_DEFAULT)).transpose()?;
                BooleanSchema { title, description, default }.into()
            }
            (Kind::Array, ..) => {
                let default = match default {
                    None => None,
                    Some(Value::Array(values)) => Some(values.into_iter().map(text).collect::<Result<_, _>>()?),
                    Some(_) => return Err(BAD_DEFAULT),
                };
                match items.unwrap_or_default() {
                    Items { values: Some(values), any_of: None, kind: Some(Kind::String) } => {
                        UntitledMultiSelectEnumSchema { title, description, min_items, max_items, values, default }
                            .into()
                    }
                    Items { values: None, any_of: Some(options), kind: None | Some(Kind::String) } => {
                        TitledMultiSelectEnumSchema { title, description, min_items, max_items, options, default }
                            .into()
                    }
                    _ => return Err("a list is a choice among texts: `items` with `enum` or `anyOf`"),
                }
            }
            (Kind::String, None, None, None) => {
                let default = default.map(text).transpose()?;
                StringSchema { title, description, min_length, max_length, format, default }.into()
            }
            (Kind::String, Some(values), None, None) => {
                let default = default.map(text).transpose()?;
                UntitledSingleSelectEnumSchema { title, description, values, default }.into()
            }
            (Kind::String, None, None, Some(options)) => {
                let default = default.map(text).transpose()?;
                TitledSingleSelectEnumSchema { title, description, options, default }.into()
            }
            (Kind::String, Some(values), Some(names), None) => {
                if values.len() != names.len() {
                    return Err("`enum` and `enumNames` differ in length");
                }
                let default = default.map(text).transpose()?;
                let options = values.into_iter().zip(names).map(EnumOption::from).collect();
                LegacyTitledEnumSchema { title, description, options, default }.into()
            }
            (Kind::String, ..) => return Err("a choice is `enum`, `enum` with `enumNames`, or `oneOf`"),
        })
    }
}

impl Serialize for PrimitiveSchemaDefinition {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Wire::from(self.clone()).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for PrimitiveSchemaDefinition {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Wire::deserialize(deserializer)?.try_into().map_err(D::Error::custom)
    }
}

impl Serialize for ElicitSchema {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        struct Properties<'a>(&'a [(String, PrimitiveSchemaDefinition)]);
        impl Serialize for Properties<'_> {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_map(self.0.iter().map(|(name, schema)| (name, schema)))
            }
        }
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("type", "object")?;
        map.serialize_entry("properties", &Properties(&self.properties))?;
        if !self.required.is_empty() {
            map.serialize_entry("required", &self.required)?;
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for ElicitSchema {
    // By hand, so that fields keep the order in which they stand.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Root {
            #[serde(rename = "type")]
            _kind: Object,
            #[serde(default)]
            properties: Properties,
            #[serde(default)]
            required: Vec<String>,
            #[serde(default, rename = "$schema")]
            _schema: Option<String>,
        }
        #[derive(Deserialize)]
        enum Object {
            #[serde(rename = "object")]
            Object,
        }
        let root = Root::deserialize(deserializer)?;
        let properties = root.properties.0;
        if let Some(name) = root.required.iter().find(|name| properties.iter().all(|(known, _)| known != *name)) {
            return Err(D::Error::custom(format!("the form requires `{name}`, which is none of its fields")));
        }
        Ok(Self { properties, required: root.required })
    }
}

#[derive(Default)]
struct Properties(Vec<(String, PrimitiveSchemaDefinition)>);

impl<'de> Deserialize<'de> for Properties {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InOrder;
        impl<'de> Visitor<'de> for InOrder {
            type Value = Properties;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object of fields")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Properties, A::Error> {
                let mut properties: Vec<(String, PrimitiveSchemaDefinition)> = Vec::new();
                while let Some((name, schema)) = members.next_entry()? {
                    if properties.iter().any(|(known, _)| *known == name) {
                        return Err(A::Error::custom(format!("the field `{name}` stands twice")));
                    }
                    properties.push((name, schema));
                }
                Ok(Properties(properties))
            }
        }
        deserializer.deserialize_map(InOrder)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every kind of field, as the standard writes it.
    const FIELDS: [&str; 10] = [
        r#"{"type":"string","title":"T","description":"D","minLength":1,"maxLength":9,"format":"date-time","default":"x"}"#,
        r#"{"type":"string"}"#,
        r#"{"type":"number","minimum":0.5,"maximum":9,"default":1.5}"#,
        r#"{"type":"integer","minimum":-1,"maximum":18446744073709551615,"default":30}"#,
        r#"{"type":"boolean","description":"D","default":false}"#,
        r#"{"type":"string","enum":["a","b"],"default":"a"}"#,
        r#"{"type":"string","enum":["a","b"],"enumNames":["A","B"]}"#,
        r#"{"type":"string","oneOf":[{"const":"a","title":"A"}],"default":"a"}"#,
        r#"{"type":"array","minItems":1,"maxItems":2,"items":{"type":"string","enum":["a","b"]},"default":["a"]}"#,
        r#"{"type":"array","items":{"anyOf":[{"const":"a","title":"A"}]},"default":[]}"#,
    ];

    #[test]
    fn every_kind_of_field_keeps_all_that_it_says() {
        for text in FIELDS {
            let field: PrimitiveSchemaDefinition = serde_json::from_str(text).unwrap_or_else(|e| panic!("{text}: {e}"));
            assert_eq!(serde_json::to_string(&field).unwrap(), text);
        }
    }

    #[test]
    fn what_is_no_field_is_refused() {
        let check = |text: &str, reason: &str| {
            let error = serde_json::from_str::<PrimitiveSchemaDefinition>(text).unwrap_err().to_string();
            assert!(error.contains(reason), "{text}: {error}");
        };
        check(r#"{"type":"object"}"#, "unknown variant `object`");
        check(r#"{"type":"string","pattern":"x"}"#, "unknown field `pattern`");
        check(r#"{"type":"string","minimum":1}"#, "keywords of another type");
        check(r#"{"type":"string","enum":["a"],"minLength":1}"#, "keywords of another type");
        check(r#"{"type":"boolean","enum":["a"]}"#, "keywords of another type");
        check(r#"{"type":"integer","default":"x"}"#, "`default` is of another type");
        check(r#"{"type":"array","default":[1],"items":{"type":"string","enum":[]}}"#, "`default` is of another type");
        check(r#"{"type":"array","items":{"type":"string"}}"#, "a list is a choice");
        check(r#"{"type":"array"}"#, "a list is a choice");
        check(r#"{"type":"string","enum":["a"],"enumNames":["A","B"]}"#, "differ in length");
        check(r#"{"type":"string","enumNames":["A"]}"#, "a choice is");
        check(r#"{"type":"string","oneOf":[{"const":1,"title":"x"}]}"#, "expected a string");
    }

    #[test]
    fn a_form_keeps_the_order_of_its_fields() {
        let text = r#"{"type":"object","properties":{"z":{"type":"string"},"a":{"type":"boolean"}},"required":["z"]}"#;
        let form: ElicitSchema = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::to_string(&form).unwrap(), text);
        assert_eq!(form, ElicitSchema::new().required("z", StringSchema::new()).optional("a", BooleanSchema::new()));
        let check = |text: &str, reason: &str| {
            let error = serde_json::from_str::<ElicitSchema>(text).unwrap_err().to_string();
            assert!(error.contains(reason), "{text}: {error}");
        };
        check(r#"{"type":"object","required":["x"]}"#, "requires `x`");
        check(r#"{"type":"array"}"#, "unknown variant `array`");
        check(r#"{"type":"object","properties":{"a":{"type":"string"},"a":{"type":"string"}}}"#, "stands twice");
        check(r#"{"type":"object","allOf":[]}"#, "unknown field `allOf`");
    }

    #[test]
    fn questions_are_told_apart_by_their_mode() {
        let check = |text: &str, expected: ElicitRequestParams| {
            assert_eq!(serde_json::from_str::<ElicitRequestParams>(text).unwrap(), expected, "{text}");
        };
        let form = || ElicitRequestParams::form("M", ElicitSchema::new());
        check(r#"{"mode":"form","message":"M","requestedSchema":{"type":"object","properties":{}}}"#, form());
        check(r#"{"mode":"url","message":"M","url":"https://x"}"#, ElicitRequestParams::url("M", "https://x"));
        let written = serde_json::to_string(&form()).unwrap();
        assert_eq!(written, r#"{"mode":"form","message":"M","requestedSchema":{"type":"object","properties":{}}}"#);
        let written = serde_json::to_string(&ElicitRequestParams::url("M", "u")).unwrap();
        assert_eq!(written, r#"{"mode":"url","message":"M","url":"u"}"#);
    }

    #[test]
    fn an_older_version_gets_the_forms_it_knows() {
        use crate::protocol::{ProtocolVersion, adapt::Lower};
        let check = |version: &str, params: &ElicitRequestParams, expected: &str| {
            let mut params = params.clone();
            params.lower(ProtocolVersion::parse(version).unwrap());
            assert_eq!(serde_json::to_string(&params).unwrap(), expected, "{version}");
        };
        let of = |field: &str| {
            let field: PrimitiveSchemaDefinition = serde_json::from_str(field).unwrap();
            ElicitRequestParams::form("M", ElicitSchema::new().required("f", field))
        };
        let written = |mode: &str, field: &str| {
            format!(
                r#"{{{mode}"message":"M","requestedSchema":{{"type":"object","properties":{{"f":{field}}},"required":["f"]}}}}"#
            )
        };
        let older = [
            r#"{"type":"string","title":"T","description":"D","minLength":1,"maxLength":9,"format":"date-time"}"#,
            r#"{"type":"string"}"#,
            r#"{"type":"number","minimum":0.5,"maximum":9}"#,
            r#"{"type":"integer","minimum":-1,"maximum":18446744073709551615}"#,
            r#"{"type":"boolean","description":"D","default":false}"#,
            r#"{"type":"string","enum":["a","b"]}"#,
            r#"{"type":"string","enum":["a","b"],"enumNames":["A","B"]}"#,
            r#"{"type":"string","enum":["a"],"enumNames":["A"]}"#,
        ];
        for (newest, older) in FIELDS.iter().zip(older) {
            check("2025-06-18", &of(newest), &written("", older));
            check("2025-11-25", &of(newest), &written(r#""mode":"form","#, newest));
        }
        // Of several values there was no choice: such a form is refused before.
        for (index, field) in FIELDS.iter().enumerate() {
            let ElicitRequestParams::Form(form) = of(field) else { panic!("a form") };
            assert_eq!(form.requested_schema.has_multi_select(), index >= 8, "{field}");
        }
        let mut url = ElicitRequestParams::url("M", "u");
        check("2025-11-25", &url, r#"{"mode":"url","message":"M","url":"u"}"#);
        let ElicitRequestParams::Url(params) = &mut url else { panic!("a page") };
        params.elicitation_id = Some("1".to_owned());
        check("2025-11-25", &url, r#"{"mode":"url","message":"M","url":"u","elicitationId":"1"}"#);
    }
}
