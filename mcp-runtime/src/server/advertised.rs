//! The bounds that the types of a tool's parameters have in their schemas, and `serde` has never heard of: kept at
//! registration, held against the values that `serde` took on a call.
//!
//! Nothing else of a schema is: where a value is of another kind than its schema says, `serde` knew better. But for a
//! list of a struct's fields: there no bound would be asked.

use std::collections::{BTreeSet, HashMap, HashSet};

use serde_json::{Map, Value, value::RawValue};

use super::{
    bounds::{broken, keeps},
    misfits::{MOST, Misfit, is_a},
    nearest::excerpt,
    patterns::Patterns,
    portable::{referred, used},
};

/// The schemas that have bounds, as they are sent.
#[derive(Debug)]
pub(crate) struct Advertised {
    /// By parameter.
    schemas: Vec<(&'static str, Value)>,
    definitions: Map<String, Value>,
}

impl Advertised {
    pub(super) fn new(schemas: Vec<(&'static str, Value)>, definitions: &Map<String, Value>) -> Self {
        let definitions = used(schemas.iter().map(|(_, schema)| schema), definitions);
        Self { schemas, definitions }
    }

    /// All patterns that texts, and the names of members, are held against.
    pub(super) fn patterns(&self) -> Vec<&str> {
        let mut found = Vec::new();
        let mut pending: Vec<_> = self.schemas.iter().map(|(_, schema)| schema).collect();
        pending.extend(self.definitions.values());
        while let Some(schema) = pending.pop() {
            for (keyword, value) in schema.as_object().into_iter().flatten() {
                match keyword.as_str() {
                    "pattern" => found.extend(value.as_str()),
                    "patternProperties" => {
                        found.extend(value.as_object().into_iter().flat_map(Map::keys).map(String::as_str));
                    }
                    _ => {}
                }
                below(keyword, value, &mut pending);
            }
        }
        found
    }

    /// Where a parameter's value, which its type took, breaks a bound.
    pub(super) fn broken(&self, parameter: &str, raw: &RawValue, patterns: &Patterns) -> Vec<Misfit> {
        let Some((_, schema)) = self.schemas.iter().find(|(name, _)| *name == parameter) else { return Vec::new() };
        let value = match serde_json::from_str(raw.get()) {
            Ok(value) => value,
            // A number that is none, where its type does not look: what cannot be read cannot be checked.
            Err(error) => {
                let text = error.to_string().split(" at line ").next().unwrap_or_default().to_owned();
                return vec![Misfit { below: String::new(), text }];
            }
        };
        let mut search =
            Search { definitions: &self.definitions, patterns, fits: HashMap::new(), told: HashSet::new() };
        let mut found = Vec::new();
        if !search.fit(schema, &value).keeps {
            search.tell(schema, &value, "", &mut found);
        }
        found
    }
}

/// Whether a schema has bounds that its type need not know.
pub(super) fn is_bounded(schema: &Value, definitions: &Map<String, Value>) -> bool {
    let (mut pending, mut seen) = (vec![schema], BTreeSet::new());
    while let Some(schema) = pending.pop() {
        for (keyword, value) in schema.as_object().into_iter().flatten() {
            if is_bound(keyword) && !is_implied(schema, keyword, value) {
                return true;
            }
            if keyword == "$ref"
                && let Some(name) = value.as_str().and_then(referred)
                && let Some((name, definition)) = definitions.get_key_value(&name)
                && seen.insert(name)
            {
                pending.push(definition);
            }
            below(keyword, value, &mut pending);
        }
    }
    false
}

fn is_bound(keyword: &str) -> bool {
    matches!(
        keyword,
        "minimum"
            | "maximum"
            | "exclusiveMinimum"
            | "exclusiveMaximum"
            | "multipleOf"
            | "minLength"
            | "maxLength"
            | "pattern"
            | "minItems"
            | "maxItems"
            | "uniqueItems"
    )
}

/// Whether a bound is no narrower than what `serde` reads there: an integer of so many bits, a tuple of so many places.
fn is_implied(schema: &Value, keyword: &str, bound: &Value) -> bool {
    let bits = || {
        let format = schema["format"].as_str()?;
        let (is_signed, bits) = match format.strip_prefix("uint") {
            Some(bits) => (false, bits),
            None => (true, format.strip_prefix("int")?),
        };
        // `uint` is a `usize`.
        Some((is_signed, if bits.is_empty() { 64 } else { bits.parse::<u8>().ok().filter(|bits| *bits > 0)? }))
    };
    match keyword {
        "minimum" => bits().is_some_and(|(is_signed, bits)| {
            let least = if is_signed { -power_of_two(bits - 1) } else { 0.0 };
            bound.as_f64().is_some_and(|bound| bound <= least)
        }),
        "maximum" => bits().is_some_and(|(is_signed, bits)| {
            let most = power_of_two(bits - u8::from(is_signed)) - 1.0;
            bound.as_f64().is_some_and(|bound| bound >= most)
        }),
        "minItems" | "maxItems" => {
            schema["prefixItems"].as_array().is_some_and(|places| bound.as_u64() == Some(places.len() as u64))
        }
        "uniqueItems" => *bound == Value::Bool(false),
        _ => false,
    }
}

fn power_of_two(exponent: u8) -> f64 {
    (0..exponent).fold(1.0, |power, _| power * 2.0)
}

/// Adds the schemas that a keyword holds.
fn below<'s>(keyword: &str, value: &'s Value, pending: &mut Vec<&'s Value>) {
    match keyword {
        "properties" | "patternProperties" => pending.extend(value.as_object().into_iter().flat_map(Map::values)),
        "anyOf" | "oneOf" | "allOf" | "prefixItems" => pending.extend(value.as_array().into_iter().flatten()),
        "items" | "additionalProperties" => pending.push(value),
        _ => {}
    }
}

/// How a value stands to a schema.
#[derive(Clone, Copy)]
struct Fit {
    /// It is what the schema describes, but for its bounds.
    is_meant: bool,
    /// It breaks no bound.
    keeps: bool,
}

impl Fit {
    const WHOLE: Self = Self { is_meant: true, keeps: true };
    const OTHER: Self = Self { is_meant: false, keeps: true };

    fn and(&mut self, other: Self) {
        self.is_meant &= other.is_meant;
        self.keeps &= other.keeps;
    }
}

/// A definition and a value, by their addresses: both stay where they are during a search.
type Pair = (usize, usize);

struct Search<'a> {
    definitions: &'a Map<String, Value>,
    patterns: &'a Patterns,
    /// What was found out: each choice of a type that contains itself doubles the ways to come by. No step is counted
    /// here, or what is behind a great many values would not be checked.
    fits: HashMap<Pair, Fit>,
    told: HashSet<Pair>,
}

impl<'a> Search<'a> {
    fn fit(&mut self, schema: &Value, value: &Value) -> Fit {
        if *schema == Value::Bool(false) {
            return Fit::OTHER;
        }
        if is_list_of_fields(schema, value) {
            return Fit { is_meant: false, keeps: false };
        }
        if !is_of_kind(schema, value) {
            return Fit::OTHER;
        }
        let mut fit = Fit { is_meant: true, keeps: keeps(schema, value, Some(self.patterns)) };
        if let Some((definition, pair)) = self.definition(schema, value) {
            let known = self.fits.get(&pair).copied();
            fit.and(known.unwrap_or_else(|| {
                // One that comes back to itself without a step down says nothing.
                self.fits.insert(pair, Fit::WHOLE);
                let fit = self.fit(definition, value);
                self.fits.insert(pair, fit);
                fit
            }));
        }
        for part in listed(schema, "allOf") {
            fit.and(self.fit(part, value));
        }
        for keyword in ["anyOf", "oneOf"] {
            if schema.get(keyword).is_some() {
                fit.and(self.choice(schema, keyword, value).0);
            }
        }
        match value {
            Value::Object(members) => {
                fit.is_meant &= required(schema).all(|name| members.contains_key(name));
                for (name, value) in members {
                    let is_left_out = value.is_null() && !required(schema).any(|required| required == name);
                    for schema in self.of_member(schema, name) {
                        let member = self.fit(schema, value);
                        fit.and(if is_left_out { Fit::WHOLE } else { member });
                    }
                }
            }
            Value::Array(items) => {
                let items = items.iter().enumerate();
                items.for_each(|(index, value)| fit.and(self.fit(of_item(schema, index), value)));
            }
            _ => {}
        }
        fit
    }

    /// How a value stands to a choice, with the one that was meant. It is any that it fits; where it fits none to the
    /// letter, an alias say, the only one of its kind.
    fn choice<'s>(&mut self, schema: &'s Value, keyword: &str, value: &Value) -> (Fit, Option<&'s Value>) {
        let mut broken = None;
        let mut of_its_kind = Vec::new();
        let mut by_fields = None;
        for choice in listed(schema, keyword) {
            let fit = self.fit(choice, value);
            if is_list_of_fields(self.definition(choice, value).map_or(choice, |(definition, _)| definition), value) {
                by_fields = by_fields.or(Some((fit, Some(choice))));
                continue;
            }
            match fit {
                Fit { is_meant: true, keeps: true } => return (fit, Some(choice)),
                Fit { is_meant: true, keeps: false } if broken.is_none() => broken = Some((fit, Some(choice))),
                _ if self.is_nearly(choice, value) => of_its_kind.push((fit, Some(choice))),
                _ => {}
            }
        }
        broken.unwrap_or_else(|| match of_its_kind[..] {
            [only] => only,
            _ => by_fields.unwrap_or((Fit::OTHER, None)),
        })
    }

    /// Whether a value is of a choice's kind and says no other by the member that tells choices apart.
    fn is_nearly(&self, choice: &Value, value: &Value) -> bool {
        let choice = self.definition(choice, value).map_or(choice, |(definition, _)| definition);
        let says_another = |(name, member): (&String, &Value)| {
            is_tag(member) && value.get(name).is_none_or(|value| !is_of_kind(member, value))
        };
        // `{"Variant": …}`
        let mut required = required(choice);
        let only = required.next().filter(|_| required.next().is_none());
        let names_another = only.is_some_and(|name| {
            value.as_object().is_some_and(|members| members.len() == 1 && !members.contains_key(name))
        });
        let mut members = choice["properties"].as_object().into_iter().flatten();
        is_of_kind(choice, value) && !names_another && !members.any(says_another)
    }

    /// Tells each bound that is broken.
    fn tell(&mut self, schema: &Value, value: &Value, at: &str, found: &mut Vec<Misfit>) {
        if found.len() < MOST && is_list_of_fields(schema, value) {
            found.push(Misfit { below: at.to_owned(), text: "expected an object, got an array".to_owned() });
        }
        if found.len() >= MOST || !is_of_kind(schema, value) {
            return;
        }
        for text in broken(schema, value, Some(self.patterns)) {
            let misfit = Misfit { below: at.to_owned(), text };
            if found.len() < MOST && !found.contains(&misfit) {
                found.push(misfit);
            }
        }
        if let Some((definition, pair)) = self.definition(schema, value)
            && !self.fit(schema, value).keeps
            && self.told.insert(pair)
        {
            self.tell(definition, value, at, found);
        }
        for part in listed(schema, "allOf") {
            self.tell(part, value, at, found);
        }
        for keyword in ["anyOf", "oneOf"] {
            if let (Fit { keeps: false, .. }, Some(choice)) = self.choice(schema, keyword, value) {
                self.tell(choice, value, at, found);
            }
        }
        match value {
            Value::Object(members) => {
                for (name, value) in members {
                    for schema in self.of_member(schema, name) {
                        self.tell(schema, value, &format!("{at}.{}", excerpt(name)), found);
                    }
                }
            }
            Value::Array(items) => {
                for (index, value) in items.iter().enumerate() {
                    self.tell(of_item(schema, index), value, &format!("{at}[{index}]"), found);
                }
            }
            _ => {}
        }
    }

    fn definition(&self, schema: &Value, value: &Value) -> Option<(&'a Value, Pair)> {
        let definition = self.definitions.get(&schema["$ref"].as_str().and_then(referred)?)?;
        Some((definition, (std::ptr::from_ref(definition).addr(), std::ptr::from_ref(value).addr())))
    }

    /// What a member is held against: what is said of its name, or else what is said of all others.
    fn of_member<'s>(&self, schema: &'s Value, name: &str) -> Vec<&'s Value> {
        let named = schema["properties"].get(name);
        let by_pattern = schema["patternProperties"].as_object().into_iter().flatten();
        let by_pattern = by_pattern.filter(|(pattern, _)| self.patterns.is_match(pattern, name));
        let mut found: Vec<_> = named.into_iter().chain(by_pattern.map(|(_, schema)| schema)).collect();
        if found.is_empty() {
            found.extend(schema.get("additionalProperties").filter(|others| others.is_object()));
        }
        found
    }
}

fn of_item(schema: &Value, index: usize) -> &Value {
    schema["prefixItems"].get(index).unwrap_or(&schema["items"])
}

fn listed<'s>(schema: &'s Value, keyword: &str) -> impl Iterator<Item = &'s Value> {
    schema[keyword].as_array().into_iter().flatten()
}

fn required(schema: &Value) -> impl Iterator<Item = &str> {
    listed(schema, "required").filter_map(Value::as_str)
}

/// Whether a value has a type that the schema names, and is among the values that it lists.
fn is_of_kind(schema: &Value, value: &Value) -> bool {
    let is_of_type = match &schema["type"] {
        Value::String(kind) => is_a(kind, value, false),
        Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).any(|kind| is_a(kind, value, false)),
        _ => true,
    };
    is_of_type
        && schema["enum"].as_array().is_none_or(|values| values.contains(value))
        && schema.get("const").is_none_or(|only| only == value)
}

/// Whether a value is a struct by the list of its fields, which `serde` takes: what is said of their names would not hold.
fn is_list_of_fields(schema: &Value, value: &Value) -> bool {
    value.is_array() && schema["type"] == "object" && schema.get("properties").is_some()
}

/// Whether a member has one value alone.
fn is_tag(schema: &Value) -> bool {
    schema.get("const").is_some() || schema["enum"].as_array().is_some_and(|values| values.len() == 1)
}
