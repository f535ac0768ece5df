//! What in a schema some client refuses: where, which keyword, whom it breaks, and what helps.

use std::fmt;

use serde_json::{Map, Value};

/// What was found in the schemas of a server's tools.
#[derive(Debug, Default)]
pub(super) struct Obstacles {
    found: Vec<(String, Obstacle)>,
    /// How many more there are than are kept.
    more: usize,
}

/// Something that a client refuses, or does not understand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Obstacle {
    /// The keywords and names that lead there: `properties.tree.items`; empty at the top.
    pub(super) path: String,
    pub(super) keyword: String,
    pub(super) clients: &'static str,
    pub(super) remedy: &'static str,
}

/// So many are told at a start; of the others it is told how many they are.
const MOST: usize = 20;

impl Obstacles {
    /// Looks through the input schema of a tool.
    pub(super) fn survey(&mut self, tool: &str, schema: &Value) {
        for obstacle in survey(schema) {
            if self.found.len() < MOST {
                self.found.push((tool.to_owned(), obstacle));
            } else {
                self.more += 1;
            }
        }
    }

    /// Tells the operator.
    pub(super) fn warn(&self) {
        for (tool, Obstacle { path, keyword, clients, remedy }) in &self.found {
            tracing::warn!(%tool, at = %Place(path), %keyword, %clients, "not every client takes this schema: {remedy}");
        }
        if self.more > 0 {
            tracing::warn!(more = self.more, "further schemas have what not every client takes");
        }
    }
}

struct Place<'a>(&'a str);

impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_empty() { "the top" } else { self.0 })
    }
}

/// All that some client refuses in a tool's input schema.
pub(super) fn survey(schema: &Value) -> Vec<Obstacle> {
    let mut survey = Survey { found: Vec::new() };
    if let Some(object) = schema.as_object() {
        survey.top(object);
    }
    survey.schema(schema, Path::Top);
    survey.found
}

const CLAUDE: &str = "Claude";
const CLAUDE_AND_OPENAI: &str = "Claude, OpenAI";
const CLAUDE_AND_GEMINI: &str = "Claude (managed agents), Gemini";
const CURSOR: &str = "Cursor";
const GEMINI: &str = "Gemini";
const GEMINI_AND_CURSOR: &str = "Gemini, Cursor";
const GEMINI_AND_STRICT_OPENAI: &str = "Gemini, OpenAI (strict)";
const OPENAI: &str = "OpenAI";

struct Survey {
    found: Vec<Obstacle>,
}

/// Where in a schema: written out only where something is found.
#[derive(Clone, Copy)]
enum Path<'a> {
    Top,
    Keyword(&'a Path<'a>, &'a str),
    /// What has that name under a keyword.
    Name(&'a Path<'a>, &'a str, &'a str),
    /// What has that place in the list of a keyword.
    Place(&'a Path<'a>, &'a str, usize),
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Self::Keyword(above, keyword) | Self::Name(above, keyword, _) | Self::Place(above, keyword, _)) = self
        else {
            return Ok(());
        };
        if !matches!(above, Self::Top) {
            write!(f, "{above}.")?;
        }
        f.write_str(keyword)?;
        match self {
            Self::Name(.., name) => write!(f, ".{name}"),
            Self::Place(.., index) => write!(f, "[{index}]"),
            Self::Top | Self::Keyword(..) => Ok(()),
        }
    }
}

impl Survey {
    fn add(&mut self, path: Path<'_>, keyword: &str, clients: &'static str, remedy: &'static str) {
        self.found.push(Obstacle { path: path.to_string(), keyword: keyword.to_owned(), clients, remedy });
    }

    /// What is looked at in the object of the arguments alone.
    fn top(&mut self, schema: &Map<String, Value>) {
        for keyword in ["anyOf", "oneOf", "allOf", "not", "enum", "const"] {
            if schema.contains_key(keyword) {
                self.add(Path::Top, keyword, CLAUDE_AND_OPENAI, "say the choice within a property, not at the top");
            }
        }
        for (name, property) in members(schema, "properties") {
            let fits = (1..=64).contains(&name.len())
                && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-'));
            let path = Path::Name(&Path::Top, "properties", name);
            if !fits {
                self.add(path, "properties", CLAUDE, "name it by 1 to 64 of the characters a-z, A-Z, 0-9, _, . and -");
            }
            let choices = property.get("anyOf").and_then(Value::as_array);
            if choices.into_iter().flatten().any(|choice| choice["type"] == "integer") {
                self.add(path, "anyOf", CURSOR, "take `number` in place of `integer` in a choice, or no choice");
            }
        }
    }

    fn schema(&mut self, schema: &Value, path: Path<'_>) {
        let Some(schema) = schema.as_object() else {
            if schema.is_boolean() {
                self.add(path, "type", GEMINI, "say of which type the value is");
            }
            return;
        };
        for (keyword, value) in schema {
            self.keyword(keyword, value, path);
        }
        self.kind(schema, path);
        for (keyword, value) in schema {
            self.below(keyword, value, path);
        }
    }

    /// The schemas that a keyword holds.
    fn below(&mut self, keyword: &str, value: &Value, path: Path<'_>) {
        match (keyword, value) {
            ("properties" | "patternProperties" | "$defs" | "dependentSchemas", Value::Object(members)) => {
                for (name, schema) in members {
                    let path = Path::Name(&path, keyword, name);
                    if keyword == "$defs" {
                        const REMEDY: &str = "nest to a fixed depth, or take a flat list whose items name their parent";
                        self.add(path, "$ref", CLAUDE_AND_GEMINI, REMEDY);
                    }
                    self.schema(schema, path);
                }
            }
            ("anyOf" | "oneOf" | "allOf" | "prefixItems", Value::Array(schemas)) => {
                for (index, schema) in schemas.iter().enumerate() {
                    self.schema(schema, Path::Place(&path, keyword, index));
                }
            }
            ("items" | "additionalProperties", Value::Object(_)) => {
                self.schema(value, Path::Keyword(&path, keyword));
            }
            _ => {}
        }
    }

    /// A keyword that is refused wherever it stands.
    fn keyword(&mut self, keyword: &str, value: &Value, path: Path<'_>) {
        let (clients, remedy) = match keyword {
            "oneOf" => (GEMINI_AND_STRICT_OPENAI, "say `anyOf`"),
            "allOf" => (GEMINI_AND_STRICT_OPENAI, "say it in one schema"),
            "prefixItems" => (GEMINI_AND_STRICT_OPENAI, "take a struct with named fields in place of the tuple"),
            "patternProperties" | "propertyNames" => {
                (GEMINI_AND_STRICT_OPENAI, "take a list of structs, the key one of their fields, in place of the map")
            }
            "additionalProperties" if !matches!(value, Value::Bool(false)) => {
                (GEMINI_AND_STRICT_OPENAI, "take a list of structs, the key one of their fields, in place of the map")
            }
            "exclusiveMinimum" | "exclusiveMaximum" => (GEMINI, "take a bound that may be reached"),
            "multipleOf" | "uniqueItems" => (GEMINI, "say it in the description, and check it in the handler"),
            "const" => (GEMINI, "say `enum` with one value"),
            "enum" if value.as_array().is_none_or(|values| !values.iter().all(Value::is_string)) => {
                (GEMINI, "list texts, or say the bounds of a number")
            }
            "not"
            | "if"
            | "then"
            | "else"
            | "contains"
            | "minContains"
            | "maxContains"
            | "dependentRequired"
            | "dependentSchemas"
            | "unevaluatedItems"
            | "unevaluatedProperties"
            | "contentSchema" => (GEMINI_AND_STRICT_OPENAI, "say it in the description, and check it in the handler"),
            _ => return,
        };
        self.add(path, keyword, clients, remedy);
    }

    /// What depends on the type.
    fn kind(&mut self, schema: &Map<String, Value>, path: Path<'_>) {
        let says_more =
            || ["anyOf", "oneOf", "allOf", "$ref", "enum", "const"].iter().any(|it| schema.contains_key(*it));
        match schema.get("type") {
            None if !says_more() => self.add(path, "type", GEMINI, "say of which type the value is"),
            Some(Value::Array(_)) => self.add(path, "type", GEMINI_AND_CURSOR, "say one type, or `anyOf`"),
            Some(kind) if kind == "array" && !schema.contains_key("items") => {
                self.add(path, "items", OPENAI, "say what the items are");
            }
            Some(kind) if kind == "string" && schema.get("format").is_some_and(|format| format != "date-time") => {
                self.add(path, "format", GEMINI, "say it in the description");
            }
            _ => {}
        }
    }
}

fn members<'a>(schema: &'a Map<String, Value>, keyword: &str) -> impl Iterator<Item = (&'a String, &'a Value)> {
    schema.get(keyword).and_then(Value::as_object).into_iter().flatten()
}
