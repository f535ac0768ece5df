//! Parses a configuration file, as JSON or TOML by its ending.

use std::{collections::HashSet, fmt, path::Path};

use serde::{
    Deserialize, Deserializer,
    de::{Error as _, MapAccess, SeqAccess, Visitor},
};
use serde_json::Value;

use super::unreadable;
use crate::server::error::Error;

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
        toml::from_str(text).map_err(|error| toml_reason(&error, text))
    } else {
        // TOML refuses a repeated name by itself; in JSON a second `auth` would silently replace the first.
        serde_json::from_str::<UniqueNames>(text)
            .and_then(|UniqueNames| serde_json::from_str(text))
            .map_err(|error| format!("cannot be taken as JSON: {error}"))
    };
    Ok(ConfigFile {
        layer: layer.map_err(|reason| unreadable(path, named_by, &reason))?,
        source_name: format!("the file {path}"),
        lacks_null: is_toml,
    })
}

/// The parser's own text repeats the line, which may hold a secret.
fn toml_reason(error: &toml::de::Error, text: &str) -> String {
    let before = error.span().and_then(|span| text.get(..span.start));
    let line = before.map_or(1, |before| before.matches('\n').count() + 1);
    format!("is not TOML: {} at line {line}", error.message())
}

/// Reads any JSON and keeps nothing, but refuses an object that has a name twice.
struct UniqueNames;

impl<'de> Deserialize<'de> for UniqueNames {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Self)
    }
}

impl<'de> Visitor<'de> for UniqueNames {
    type Value = Self;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Self, A::Error> {
        let mut names = HashSet::new();
        while let Some(name) = members.next_key::<String>()? {
            if names.contains(&name) {
                return Err(A::Error::custom(format!("`{name}` stands twice")));
            }
            names.insert(name);
            members.next_value::<Self>()?;
        }
        Ok(self)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self, A::Error> {
        while items.next_element::<Self>()?.is_some() {}
        Ok(self)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_str<E>(self, _: &str) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_unit<E>(self) -> Result<Self, E> {
        Ok(self)
    }
}
