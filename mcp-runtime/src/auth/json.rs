//! What of JSON and base64url tokens need: strict, and told apart to the letter.

use std::{borrow::Cow, collections::BTreeMap, fmt};

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use serde::{
    Deserialize, Deserializer,
    de::{DeserializeOwned, Error as _, MapAccess, Visitor},
};
use serde_json::value::RawValue;

/// Decodes base64url without padding, as tokens have it; `None` for any other spelling.
pub(super) fn base64url(text: &str) -> Option<Vec<u8>> {
    URL_SAFE_NO_PAD.decode(text).ok()
}

/// The members of an object, none of them twice.
pub(super) struct Members<'j>(BTreeMap<Cow<'j, str>, &'j RawValue>);

impl<'j> Members<'j> {
    /// Takes an object apart; `None` if the text is anything else.
    pub(super) fn parse(text: &'j str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// A member's value; an error if it is of another type. `null` is of none.
    pub(super) fn get<T: DeserializeOwned>(&self, name: &str) -> Result<Option<T>, WrongType> {
        match self.0.get(name) {
            None => Ok(None),
            Some(text) => serde_json::from_str::<Option<T>>(text.get()).ok().flatten().map(Some).ok_or(WrongType),
        }
    }
}

/// A member is there, but not as what it should be.
#[derive(Debug)]
pub(super) struct WrongType;

impl<'de: 'j, 'j> Deserialize<'de> for Members<'j> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Object;

        impl<'de> Visitor<'de> for Object {
            type Value = Members<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members<'de>, A::Error> {
                let mut members = BTreeMap::new();
                while let Some(Name(name)) = map.next_key()? {
                    if members.insert(name, map.next_value()?).is_some() {
                        return Err(A::Error::custom("a member stands twice"));
                    }
                }
                Ok(Members(members))
            }
        }

        deserializer.deserialize_map(Object)
    }
}

#[derive(Deserialize)]
struct Name<'n>(#[serde(borrow)] Cow<'n, str>);

/// A string, or a list of strings.
#[derive(Deserialize)]
#[serde(untagged)]
pub(super) enum Words {
    One(String),
    Many(Vec<String>),
}

impl Words {
    pub(super) fn contains(&self, word: &str) -> bool {
        match self {
            Self::One(own) => own == word,
            Self::Many(own) => own.iter().any(|own| own == word),
        }
    }

    /// Each word; a string is taken apart at its blanks.
    pub(super) fn into_vec(self) -> Vec<String> {
        match self {
            Self::One(words) => words.split(' ').filter(|word| !word.is_empty()).map(str::to_owned).collect(),
            Self::Many(words) => words,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64url_is_strict() {
        for (text, bytes) in [("", Some(&b""[..])), ("AQ", Some(b"\x01")), ("__-_", Some(b"\xff\xff\xbf"))] {
            assert_eq!(base64url(text).as_deref(), bytes, "{text}");
        }
        // Padding, the other alphabet, blanks, trailing bits, a lone character.
        for text in ["AQ==", "AQ=", "//+/", "A Q", "AQ\n", "AR", "A", "é"] {
            assert_eq!(base64url(text), None, "{text}");
        }
    }

    #[test]
    fn an_object_has_each_member_once() {
        for text in ["{}", r#"{"a":1,"b":{"a":1,"a":2}}"#] {
            assert!(Members::parse(text).is_some(), "{text}");
        }
        let twice = r#"{"a":1,"\u0061":2}"#;
        for text in ["", "[]", "null", "1", "\"a\"", "{} {}", "{}x", r#"{"a":1,"a":1}"#, twice, "{a:1}", "{\"a\":}"] {
            assert!(Members::parse(text).is_none(), "{text}");
        }
        let members = Members::parse(r#"{"n":null,"s":"x","f":1.5,"l":["a"]}"#).unwrap();
        assert!(members.has("n") && !members.has("m"));
        assert!(members.get::<String>("n").is_err());
        assert!(members.get::<f64>("s").is_err());
        assert_eq!(members.get::<f64>("f").unwrap(), Some(1.5));
        assert!(members.get::<f64>("m").unwrap().is_none());
        assert!(members.get::<Words>("l").unwrap().is_some_and(|words| words.contains("a")));
    }
}
