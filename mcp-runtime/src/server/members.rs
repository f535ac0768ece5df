//! The `arguments` of a request, which are an object: its members, told apart in one walk over the raw JSON.

use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
    fmt,
};

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::{
    bounds,
    definition::Parameter,
    nearest::excerpt,
    problem::{Problem, twice, unknown},
};
use crate::protocol::{RpcError, jsonrpc::text_of, read::Object};

/// Finds each parameter's member in one pass; members that nobody knows, and members that come twice, are problems.
pub(super) fn split<'a>(
    arguments: &'a RawValue,
    parameters: &'static [Parameter],
    properties: Option<&[String]>,
    slots: &mut [Option<&'a RawValue>],
    problems: &mut Problems,
) {
    struct Split<'p, 's, 'a> {
        parameters: &'static [Parameter],
        properties: Option<&'p [String]>,
        slots: &'s mut [Option<&'a RawValue>],
        problems: &'s mut Problems,
    }

    impl<'de> Visitor<'de> for Split<'_, '_, 'de> {
        type Value = ();

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
            let flattens = self.parameters.iter().any(|parameter| parameter.flatten);
            let mut others = BTreeSet::new();
            while let Some(key) = map.next_key_seed(Key)? {
                let known = self.parameters.iter().position(|parameter| !parameter.flatten && parameter.name == &*key);
                match known {
                    Some(index) if self.slots[index].is_none() => self.slots[index] = Some(map.next_value()?),
                    Some(_) => {
                        map.next_value::<IgnoredAny>()?;
                        self.problems.push((key.into_owned(), twice()));
                    }
                    None => {
                        map.next_value::<IgnoredAny>()?;
                        if let Some(properties) = self.properties
                            && !properties.iter().any(|property| *property == key)
                        {
                            let unknown = unknown(&key, properties.iter().map(String::as_str), self.problems.len());
                            self.problems.push((excerpt(&key).to_owned(), unknown));
                        } else if flattens {
                            if others.contains(&key) {
                                self.problems.push((excerpt(&key).to_owned(), twice()));
                            }
                            others.insert(key);
                        }
                    }
                }
            }
            Ok(())
        }
    }

    let split = Split { parameters, properties, slots, problems };
    // The text was parsed as a whole before, and dispatch lets only objects come here.
    if let Err(error) = Object(arguments.get()).deserialize_map(split) {
        tracing::debug!(%error, "arguments that are no object");
    }
}

/// The members that belong to a flattened parameter, as an object: those that its type names, or else those that no
/// parameter claims.
pub(super) fn claimed(
    arguments: Option<&RawValue>,
    flattened: &Flattened,
    parameter: &Parameter,
    parameters: &[Parameter],
) -> Box<RawValue> {
    let members: BTreeMap<String, &RawValue> =
        arguments.and_then(|raw| serde_json::from_str(raw.get()).ok()).unwrap_or_default();
    let names = flattened.iter().find(|(name, _)| *name == parameter.name).and_then(|(_, names)| names.as_ref());
    let belongs = |name: &String| match names {
        Some(names) => names.contains(name),
        None => {
            let claimed = |parameter: &Parameter| !parameter.flatten && parameter.name == name;
            let of_another = flattened.iter().flat_map(|(_, names)| names).flatten().any(|other| other == name);
            !parameters.iter().any(claimed) && !of_another
        }
    };
    let mut own = members;
    own.retain(|name, _| belongs(name));
    serde_json::value::to_raw_value(&own).unwrap_or_default()
}

/// The arguments of a prompt: names and texts; what is no text, and what stands twice, is a problem.
///
/// # Errors
/// -32602 where they are no object.
pub(super) fn texts(arguments: Option<&RawValue>) -> Result<(Texts, Problems), RpcError> {
    struct Collect(Texts, Problems);

    impl<'de> Visitor<'de> for Collect {
        type Value = (Texts, Problems);

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<Self::Value, A::Error> {
            // A client chooses how many there are: a list would be walked once for each.
            let mut known = BTreeSet::new();
            while let Some(key) = map.next_key_seed(Key)? {
                let raw: &RawValue = map.next_value()?;
                if known.contains(&key) {
                    self.1.push((excerpt(&key).to_owned(), twice()));
                    continue;
                }
                match text_of(raw) {
                    Some(text) => self.0.push((key.clone().into_owned(), text.into_owned())),
                    None => {
                        let text = format!("expected a string, got {}", bounds::kind_of(raw.get()));
                        self.1.push((excerpt(&key).to_owned(), Problem::Unfit { below: String::new(), text }));
                    }
                }
                known.insert(key);
            }
            Ok((self.0, self.1))
        }
    }

    // An absent `arguments` and a null one are an empty object.
    let Some(arguments) = arguments.filter(|raw| raw.get() != "null") else { return Ok(Default::default()) };
    let collected = Object(arguments.get())
        .deserialize_map(Collect(Vec::new(), Vec::new()))
        .map_err(|_| RpcError::invalid_params("`params.arguments` must be an object"))?;
    Ok(collected)
}

/// Names and texts.
pub(super) type Texts = Vec<(String, String)>;

/// Names and what is wrong with them.
pub(super) type Problems = Vec<(String, Problem)>;

/// The names that each flattened parameter takes, `None` where it takes any.
pub(super) type Flattened = [(&'static str, Option<Vec<String>>)];

/// A member's name, borrowed where it has no escapes.
struct Key;

impl<'de> DeserializeSeed<'de> for Key {
    type Value = Cow<'de, str>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl<'de> Visitor<'de> for Key {
    type Value = Cow<'de, str>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a name")
    }

    fn visit_borrowed_str<E>(self, name: &'de str) -> Result<Self::Value, E> {
        Ok(name.into())
    }

    fn visit_str<E>(self, name: &str) -> Result<Self::Value, E> {
        Ok(name.to_owned().into())
    }
}
