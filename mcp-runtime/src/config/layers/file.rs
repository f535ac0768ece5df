//! Parses a configuration file, as JSON or TOML by its ending.

use std::path::Path;

use serde_json::Value;

use super::unreadable;
use crate::{protocol::unambiguous::Unambiguous, server::error::Error};

/// A file's options object.
pub(super) struct ConfigFile {
    pub(super) layer: Value,
    pub(super) source_name: String,
    /// TOML has no null; there `false` stands for it.
    pub(super) lacks_null: bool,
}

pub(super) fn parse(path: &str, text: &str, named_by: &str) -> Result<ConfigFile, Error> {
    let ending = Path::new(path).extension();
    let is_toml = ending.is_some_and(|ending| ending.eq_ignore_ascii_case("toml"));
    let layer = if is_toml {
        toml::from_str(text).map(with_times_as_texts).map_err(|error| toml_reason(&error, text))
    } else {
        // TOML refuses a repeated name by itself; in JSON a second `auth` would silently replace the first.
        serde_json::from_str(text)
            .map(|Unambiguous(layer)| layer)
            .map_err(|error| format!("cannot be taken as JSON: {error}"))
    };
    Ok(ConfigFile {
        layer: layer.map_err(|reason| unreadable(path, named_by, &reason))?,
        source_name: format!("the file {path}"),
        lacks_null: is_toml,
    })
}

/// TOML has times of its own, which come as objects with one member of this name.
fn with_times_as_texts(value: Value) -> Value {
    const TIME: &str = "$__toml_private_datetime";
    match value {
        Value::Object(mut members) => match members.remove(TIME) {
            Some(time) => time,
            None => members.into_iter().map(|(name, value)| (name, with_times_as_texts(value))).collect(),
        },
        Value::Array(values) => values.into_iter().map(with_times_as_texts).collect(),
        other => other,
    }
}

/// The parser's own text repeats the line, which may hold a secret.
fn toml_reason(error: &toml::de::Error, text: &str) -> String {
    let before = error.span().and_then(|span| text.get(..span.start));
    let line = before.map_or(1, |before| before.matches('\n').count() + 1);
    format!("is not TOML: {} at line {line}", error.message())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::parse;

    #[test]
    fn times_of_toml_are_texts() {
        let text = "at = 2030-01-01T00:00:00Z\nkeys = [{ expiresAt = 2030-01-01 }, { id = 'a' }]\n";
        let Ok(file) = parse("keys.toml", text, "--config") else { panic!("no file") };
        let keys = json!([{"expiresAt": "2030-01-01"}, {"id": "a"}]);
        assert_eq!(file.layer, json!({"at": "2030-01-01T00:00:00Z", "keys": keys}));
    }
}
