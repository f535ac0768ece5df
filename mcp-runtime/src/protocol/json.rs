//! A JSON value kept as its text: written as it is, read when somebody asks.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::DeserializeOwned};
use serde_json::value::RawValue;

use super::{read::written, write::text};

/// A JSON value as text, so that it is neither built nor cloned on its way to the wire.
#[derive(Clone, Debug, Default)]
pub struct RawJson(Box<RawValue>);

impl RawJson {
    /// The JSON text of `value`.
    ///
    /// # Errors
    /// When `value` cannot be JSON: a float that is not finite, a map whose keys are no strings, or a `Serialize` that
    /// fails. The error names the place.
    pub fn new<T: Serialize + ?Sized>(value: &T) -> Result<Self, serde_json::Error> {
        text(value).and_then(written).map(Self)
    }

    /// The text.
    pub fn get(&self) -> &str {
        self.0.get()
    }

    /// The value as a `T`.
    ///
    /// # Errors
    /// When the text is no `T`.
    pub fn parse<T: DeserializeOwned>(&self) -> Result<T, serde_json::Error> {
        serde_json::from_str(self.0.get())
    }

    /// The text, as serde_json knows it.
    pub(crate) fn as_raw(&self) -> &RawValue {
        &self.0
    }

    /// Whether the value is an object.
    pub fn is_object(&self) -> bool {
        self.0.get().trim_start().starts_with('{')
    }
}

impl From<serde_json::Value> for RawJson {
    fn from(value: serde_json::Value) -> Self {
        // Writing a `Value` cannot fail: its keys are strings and its numbers finite.
        Self::new(&value).unwrap_or_default()
    }
}

impl From<&RawValue> for RawJson {
    fn from(value: &RawValue) -> Self {
        Self(value.to_owned())
    }
}

impl From<Box<RawValue>> for RawJson {
    fn from(value: Box<RawValue>) -> Self {
        Self(value)
    }
}

/// Two texts are equal when their values are.
impl PartialEq for RawJson {
    fn eq(&self, other: &Self) -> bool {
        self.get() == other.get()
            || match (self.parse::<serde_json::Value>(), other.parse::<serde_json::Value>()) {
                (Ok(a), Ok(b)) => a == b,
                _ => false,
            }
    }
}

impl Serialize for RawJson {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for RawJson {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // Through a value: an internally tagged enum hands its members on from a buffer, where no text is left.
        serde_json::Value::deserialize(deserializer).map(Self::from)
    }
}
