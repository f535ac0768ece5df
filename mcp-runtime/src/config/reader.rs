//! Takes members out of an options object by name and type, and collects every mistake with its path.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::server::{error::Error, nearest::nearest};

/// A value and where it stands, e.g. `transport.options.port`.
pub(super) struct At<'v> {
    pub(super) path: String,
    pub(super) value: &'v Value,
}

/// An object whose members are being taken; the names that were asked for are the ones it may have.
pub(super) struct Object<'v> {
    path: String,
    members: &'v Map<String, Value>,
    known: Vec<&'static str>,
    /// Whether it may have any names.
    is_open: bool,
}

pub(super) struct Reader<'s> {
    source_name: &'s str,
    /// Whether `false` stands for `null`, which TOML cannot write.
    pub(super) lacks_null: bool,
    pub(super) errors: Vec<Error>,
    /// Which layer set an option last, so that a later complaint can name the layer.
    pub(super) sources: BTreeMap<String, String>,
}

/// No error, the error, or all of them.
pub(super) fn collected(mut errors: Vec<Error>) -> Result<(), Error> {
    match errors.len() {
        0 => Ok(()),
        1 => Err(errors.remove(0)),
        _ => Err(Error::Several(errors)),
    }
}

impl<'s> Reader<'s> {
    pub(super) fn new(source_name: &'s str) -> Self {
        Self { source_name, lacks_null: false, errors: Vec::new(), sources: BTreeMap::new() }
    }

    /// Reads member `name` into `slot`, which an absent or wrong member leaves as it is. What is wrong, `read` reports.
    pub(super) fn set<T>(
        &mut self,
        object: &mut Object<'_>,
        name: &'static str,
        read: impl FnOnce(&mut Self, &At<'_>) -> Option<T>,
        slot: &mut T,
    ) {
        if let Some(at) = object.take(name)
            && let Some(value) = read(self, &at)
        {
            *slot = value;
            self.sources.insert(at.path, self.source_name.to_owned());
        }
    }

    pub(super) fn object<'v>(&mut self, at: At<'v>) -> Option<Object<'v>> {
        match at.value {
            Value::Object(members) => Some(Object { path: at.path, members, known: Vec::new(), is_open: false }),
            _ => self.expected(&at, "an object"),
        }
    }

    /// Reports the members that nobody asked for. `elsewhere` knows the paths of names that belong to another object.
    pub(super) fn finish(&mut self, object: Object<'_>, elsewhere: impl Fn(&str) -> Option<&'static str>) {
        for name in object.members.keys() {
            if object.is_open || object.known.contains(&name.as_str()) {
                continue;
            }
            let near = nearest(name, object.known.iter().copied()).or_else(|| elsewhere(name));
            self.errors.push(Error::UnknownOption {
                path: object.path_of(name),
                nearest: near.map(str::to_owned),
                source_name: self.source_name.to_owned(),
            });
        }
    }

    pub(super) fn text(&mut self, at: &At<'_>) -> Option<String> {
        match at.value {
            Value::String(text) => Some(text.clone()),
            _ => self.expected(at, "a string"),
        }
    }

    pub(super) fn text_or_null(&mut self, at: &At<'_>) -> Option<Option<String>> {
        match at.value {
            _ if self.is_null(at) => Some(None),
            Value::String(text) => Some(Some(text.clone())),
            _ => self.expected(at, "a string or null"),
        }
    }

    pub(super) fn switch(&mut self, at: &At<'_>) -> Option<bool> {
        match at.value {
            Value::Bool(on) => Some(*on),
            _ => self.expected(at, "true or false"),
        }
    }

    pub(super) fn port(&mut self, at: &At<'_>) -> Option<u16> {
        match at.value.as_u64().and_then(|port| port.try_into().ok()) {
            Some(port) => Some(port),
            None => self.expected(at, "a port, 0 to 65535"),
        }
    }

    pub(super) fn texts(&mut self, at: &At<'_>) -> Option<Vec<String>> {
        let Value::Array(items) = at.value else {
            return self.expected(at, "a list of strings");
        };
        let before = self.errors.len();
        let mut texts = Vec::with_capacity(items.len());
        for (index, value) in items.iter().enumerate() {
            let path = format!("{}[{index}]", at.path);
            texts.extend(self.text(&At { path, value }));
        }
        (self.errors.len() == before).then_some(texts)
    }

    pub(super) fn is_null(&self, at: &At<'_>) -> bool {
        at.value.is_null() || (self.lacks_null && *at.value == Value::Bool(false))
    }

    /// Reports a value of the wrong type or outside of its range.
    pub(super) fn expected<T>(&mut self, at: &At<'_>, what: &str) -> Option<T> {
        let may_be_secret = ["transport.options.auth", "stateKeys"].iter().any(|path| at.path.starts_with(path));
        let got = if may_be_secret { kind(at.value).to_owned() } else { shown(at.value) };
        self.invalid(&at.path, format!("expected {what}, got {got}"));
        None
    }

    pub(super) fn invalid(&mut self, path: &str, reason: String) {
        let path = if path.is_empty() { "(all)" } else { path };
        self.errors.push(Error::InvalidOption {
            path: path.to_owned(),
            reason,
            source_name: self.source_name.to_owned(),
        });
    }

    pub(super) fn source_name(&self) -> String {
        self.source_name.to_owned()
    }
}

impl<'v> Object<'v> {
    pub(super) fn take(&mut self, name: &'static str) -> Option<At<'v>> {
        self.known.push(name);
        let value = self.members.get(name)?;
        Some(At { path: self.path_of(name), value })
    }

    /// Lets every member pass unread.
    pub(super) fn take_all(&mut self) {
        self.is_open = true;
    }

    pub(super) fn path_of(&self, name: &str) -> String {
        match self.path.as_str() {
            "" => name.to_owned(),
            path => format!("{path}.{name}"),
        }
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &'v str> {
        self.members.keys().map(String::as_str)
    }
}

/// `` `a`, `b` or `c` ``
pub(super) fn one_of<T>(words: &[(&str, T)]) -> String {
    let quoted: Vec<_> = words.iter().map(|(word, _)| format!("`{word}`")).collect();
    match quoted.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
        _ => quoted.concat(),
    }
}

/// A text as it stands in an error: short, on one line, and without what may be a password in a URL.
pub(super) fn shortened(text: &str) -> String {
    if text.contains('@') {
        return "a text that is not repeated here".into();
    }
    let mut shown: String = text.chars().take(60).flat_map(char::escape_debug).collect();
    if text.chars().nth(60).is_some() {
        shown.push('…');
    }
    format!("`{shown}`")
}

fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => format!("the string {}", shortened(text)),
        Value::Number(number) => format!("the number {number}"),
        Value::Bool(on) => format!("{on}"),
        _ => kind(value).into(),
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(text) if text.is_empty() => "an empty string",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
