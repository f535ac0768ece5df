//! Every place at which a value misses a schema, for a refusal that names all at once.

use std::cell::Cell;

use serde_json::{Map, Value, json};

use super::{
    bounds::{self, expected},
    lenient::mended,
    nearest::{excerpt, nearest},
    patterns::Patterns,
    portable::{one_object, referred},
};

/// A place below an argument, and what is wrong there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misfit {
    /// `.street`, `[2]`; empty for the argument itself.
    pub below: String,
    /// E.g. `expected an integer, got the string "x"`.
    pub text: String,
}

impl Misfit {
    /// What is wrong with the argument itself.
    pub(super) fn of_whole(text: String) -> Self {
        Self { below: String::new(), text }
    }
}

/// So many misfits of one argument are told.
pub(super) const MOST: usize = 16;

/// All misfits of a value: the schema is one of a type by itself, as clients see it. What the lenient step would mend is
/// none, unless it is switched off.
pub(super) fn misfits(schema: &Value, value: &Value, strict: bool, patterns: &Patterns) -> Vec<Misfit> {
    let definitions = schema.get("$defs").and_then(Value::as_object);
    let steps = Steps::default();
    let patterns = Some(patterns);
    let mut search = Search { definitions, strict, patterns, tells: true, steps: &steps, found: Vec::new() };
    search.look(schema, value, "");
    search.found
}

/// Whether a value fits a schema to the letter.
pub(super) fn fits(schema: &Value, definitions: Option<&Map<String, Value>>, value: &Value, steps: &Steps) -> bool {
    let mut search = Search { definitions, strict: true, patterns: None, tells: false, steps, found: Vec::new() };
    search.look(schema, value, "");
    search.found.is_empty() && steps.are_left()
}

/// How far a search goes: each choice of a type that contains itself doubles the ways there are.
#[derive(Debug)]
pub(super) struct Steps(Cell<usize>);

impl Default for Steps {
    fn default() -> Self {
        Self(Cell::new(20_000))
    }
}

impl Steps {
    /// Takes a step, if one is left.
    pub(super) fn take(&self) -> bool {
        let left = self.0.get();
        self.0.set(left.saturating_sub(1));
        left > 0
    }

    fn are_left(&self) -> bool {
        self.0.get() > 0
    }
}

struct Search<'a> {
    definitions: Option<&'a Map<String, Value>>,
    strict: bool,
    patterns: Option<&'a Patterns>,
    /// Whether anybody reads what is found, or only that something is.
    tells: bool,
    steps: &'a Steps,
    found: Vec<Misfit>,
}

impl Search<'_> {
    fn look(&mut self, schema: &Value, value: &Value, below: &str) {
        if self.found.len() >= MOST || !self.steps.take() {
            return;
        }
        let name = schema["$ref"].as_str().and_then(referred);
        if let Some(definition) = name.and_then(|name| self.definitions?.get(&name)) {
            return self.look(definition, value, below);
        }
        if let Some(choices) = schema["anyOf"].as_array() {
            return self.choose(schema, choices, value, below);
        }
        if !is_of_type(schema, value, self.strict) {
            let mended = (!self.strict).then(|| mended(value)).flatten();
            return match mended.filter(|mended| is_of_type(schema, mended, self.strict)) {
                Some(mended) => self.look(schema, &mended, below),
                None => self.wrong(schema, value, below),
            };
        }
        if schema["enum"].as_array().is_some_and(|values| !values.contains(value)) {
            return self.wrong(schema, value, below);
        }
        bounds::broken(schema, value, self.patterns).into_iter().for_each(|text| self.add(below, text));
        match value {
            Value::Object(members) => self.members(schema, members, below),
            Value::Array(items) => self.items(schema, items, below),
            _ => {}
        }
    }

    fn wrong(&mut self, schema: &Value, value: &Value, below: &str) {
        let value = value.to_string();
        let got = bounds::kind_of(&value);
        let text = match expected(schema, &value) {
            Some(expected) => format!("expected {expected}, got {got}"),
            None => format!("does not fit, got {got}"),
        };
        self.add(below, text);
    }

    fn add(&mut self, below: &str, text: String) {
        if self.found.len() < MOST {
            self.found.push(Misfit { below: below.to_owned(), text });
        }
    }

    /// Tells what is wrong with the choice that was meant: the one of the value's kind with the least that is wrong.
    fn choose(&mut self, schema: &Value, choices: &[Value], value: &Value, below: &str) {
        let mut best: Option<(bool, Vec<Misfit>)> = None;
        for choice in choices {
            let mut search = Search { found: Vec::new(), ..*self };
            search.look(choice, value, below);
            if search.found.is_empty() {
                return;
            }
            let is_other = !is_of_type(choice, value, self.strict) || misses_tag(choice, value);
            let is_better = best
                .as_ref()
                .is_none_or(|(was_other, found)| (is_other, search.found.len()) < (*was_other, found.len()));
            if is_better {
                best = Some((is_other, search.found));
            }
        }
        // The texts that some choices list are not all that is taken, where others are objects.
        let is_one_of_texts = |found: &[Misfit]| {
            value.is_string() && found.iter().all(|it| it.below == below) && choices.iter().any(is_object)
        };
        match best {
            Some((false, found)) if !is_one_of_texts(&found) => {
                found.into_iter().for_each(|misfit| self.add(&misfit.below, misfit.text))
            }
            _ => self.none_of(schema, choices, value, below),
        }
    }

    /// Tells that none of the choices was meant: by the member that tells them apart, where there is one.
    fn none_of(&mut self, schema: &Value, choices: &[Value], value: &Value, below: &str) {
        if !self.tells {
            return self.add(below, String::new());
        }
        let objects: Vec<_> = choices.iter().filter(|choice| is_object(choice)).collect();
        let (Some(first), Some(members)) = (objects.first(), value.as_object()) else {
            return self.wrong(schema, value, below);
        };
        for (name, _) in tags(first) {
            let values: Option<Vec<_>> =
                objects.iter().map(|choice| tags(choice).find(|(tag, _)| *tag == name)?.1["enum"].get(0)).collect();
            if let Some(values) = values {
                let known = self.found.len();
                // What else is wrong in whichever of them was meant.
                if let Some(one) = one_object(&json!({ "anyOf": objects })) {
                    self.look(&one, value, below);
                }
                let tag = json!({ "type": "string", "enum": values });
                let below = format!("{below}.{name}");
                if self.found[known..].iter().any(|it| it.below == below) {
                    return;
                }
                return match members.get(name) {
                    Some(value) => self.wrong(&tag, value, &below),
                    None => {
                        let expected = expected(&tag, "").unwrap_or_default();
                        self.add(&below, format!("missing, expected {expected}"));
                    }
                };
            }
        }
        let names = objects.iter().filter_map(|choice| choice["required"][0].as_str());
        let names: Vec<_> = names.map(|name| format!("`{name}`")).collect();
        let got: Vec<_> = members.keys().take(MOST).map(|name| format!("`{}`", excerpt(name))).collect();
        let got = if got.is_empty() { "no members".to_owned() } else { got.join(", ") };
        self.add(below, format!("expected an object with one of {}, got {got}", names.join(", ")));
    }

    fn members(&mut self, schema: &Value, members: &Map<String, Value>, below: &str) {
        let at = |name: &str| format!("{below}.{}", excerpt(name));
        let known = schema["properties"].as_object();
        let known = |name: &str| known.and_then(|known| known.get(name));
        let required = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
        for name in required.filter(|name| !members.contains_key(*name)) {
            let text = match known(name).and_then(|schema| expected(schema, "")) {
                Some(expected) => format!("missing, expected {expected}"),
                None => "missing".to_owned(),
            };
            self.add(&at(name), text);
        }
        for (name, value) in members {
            if self.found.len() >= MOST {
                return;
            }
            let others = &schema["additionalProperties"];
            match known(name) {
                // Null is as good as nothing.
                Some(_) if value.is_null() && !requires(schema, name) => {}
                Some(schema) => self.look(schema, value, &at(name)),
                None if others.is_object() => self.look(others, value, &at(name)),
                None if *others == Value::Bool(false) && schema.get("patternProperties").is_none() => {
                    let names = schema["properties"].as_object().into_iter().flatten().map(|(name, _)| name.as_str());
                    let near = nearest(name, names).map(|near| format!(", did you mean `{near}`?"));
                    self.add(&at(name), format!("unknown member{}", near.unwrap_or_default()));
                }
                None => {}
            }
        }
    }

    fn items(&mut self, schema: &Value, items: &[Value], below: &str) {
        let places = schema["prefixItems"].as_array();
        for (index, value) in items.iter().enumerate() {
            if self.found.len() >= MOST {
                return;
            }
            let place = places.and_then(|places| places.get(index));
            self.look(place.unwrap_or(&schema["items"]), value, &format!("{below}[{index}]"));
        }
    }
}

fn is_object(schema: &Value) -> bool {
    schema["type"] == "object"
}

fn requires(schema: &Value, name: &str) -> bool {
    schema["required"].as_array().is_some_and(|names| names.iter().any(|required| required == name))
}

/// Whether a value has the members that tell a choice from others, and they say another.
fn misses_tag(choice: &Value, value: &Value) -> bool {
    tags(choice).any(|(name, schema)| value.get(name) != schema["enum"].get(0))
        || (value.as_object().is_some_and(|value| value.len() == 1)
            && choice["required"].as_array().is_some_and(|names| names.len() == 1)
            && choice["required"][0].as_str().is_none_or(|name| value.get(name).is_none()))
}

/// The members that have one value alone.
fn tags(choice: &Value) -> impl Iterator<Item = (&String, &Value)> {
    let members = choice["properties"].as_object().into_iter().flatten();
    members.filter(|(_, schema)| schema["enum"].as_array().is_some_and(|values| values.len() == 1))
}

pub(super) fn is_of_type(schema: &Value, value: &Value, strict: bool) -> bool {
    schema["type"].as_str().is_none_or(|kind| is_a(kind, value, strict))
}

/// Whether a value is of the type of that name; a whole number is an integer, unless that is strict.
pub(super) fn is_a(kind: &str, value: &Value, strict: bool) -> bool {
    match kind {
        "integer" => {
            let is_whole = value.as_f64().is_some_and(|number| number.fract() == 0.0);
            value.is_i64() || value.is_u64() || (is_whole && !strict)
        }
        "number" => value.is_number(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        "null" => value.is_null(),
        _ => true,
    }
}
