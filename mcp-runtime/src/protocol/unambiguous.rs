//! JSON in which no object has a member twice: elsewhere the second would silently take the place of the first.

use std::fmt;

use serde::{
    Deserialize, Deserializer,
    de::{Error as _, MapAccess, SeqAccess, Visitor},
};
use serde_json::{Map, Value};

/// A value, all of whose objects have each member once.
pub(crate) struct Unambiguous(pub(crate) Value);

impl<'de> Deserialize<'de> for Unambiguous {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Unambiguously).map(Self)
    }
}

struct Unambiguously;

impl<'de> Visitor<'de> for Unambiguously {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        Ok(text.into())
    }

    fn visit_string<E>(self, text: String) -> Result<Value, E> {
        Ok(text.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut values = Vec::new();
        while let Some(Unambiguous(value)) = items.next_element()? {
            values.push(value);
        }
        Ok(values.into())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        /// What serde_json gives out numbers under, where another crate of the build has it keep their digits.
        const NUMBER: &str = "$serde_json::private::Number";
        let mut members = Map::new();
        while let Some(name) = map.next_key::<String>()? {
            if name == NUMBER && members.is_empty() {
                let digits: String = map.next_value()?;
                return serde_json::from_str(&digits).map(Value::Number).map_err(A::Error::custom);
            }
            if members.contains_key(&name) {
                return Err(A::Error::custom(format!("`{name}` stands twice")));
            }
            let Unambiguous(value) = map.next_value()?;
            members.insert(name, value);
        }
        Ok(members.into())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn members_stand_once_and_numbers_are_numbers() {
        let check = |text: &str, expected: Option<Value>| {
            let read = serde_json::from_str(text).ok().map(|Unambiguous(value)| value);
            assert_eq!(read, expected, "{text}");
        };
        check(r#"{"a":[{"b":1.5},null,true,-1,"x"]}"#, Some(json!({"a": [{"b": 1.5}, null, true, -1, "x"]})));
        check(r#"{"a":1,"a":1}"#, None);
        check(r#"{"a":{"b":1,"c":2,"b":3}}"#, None);
        // As numbers come where a crate of the build has serde_json keep their digits.
        check(r#"{"a":{"$serde_json::private::Number":"1.5"}}"#, Some(json!({"a": 1.5})));
    }
}
