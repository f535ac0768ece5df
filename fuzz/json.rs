//! JSON text of ours against `serde_json`: both take and refuse the same, find the same in it, and write the same.

#![no_main]

use std::{borrow::Cow, collections::BTreeMap, fmt};

use libfuzzer_sys::fuzz_target;
use mcp_runtime::fuzzing;
use serde::{
    Deserialize, Deserializer, Serialize,
    de::{DeserializeOwned, IgnoredAny, MapAccess, Visitor},
};
use serde_json::{Value, value::RawValue};

fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    check_members(text);
    check_members(&format!("{{{text}}}"));
    check_members(&format!("{{\"a\" :{text}}}"));
    let Ok(raw) = serde_json::from_str::<&RawValue>(text) else { return };
    check_value(raw.get());
});

/// Whether the same members are found in a text, or it is no object to both.
fn check_members(text: &str) {
    let theirs = serde_json::from_str::<Members<'_>>(text).ok();
    let ours = fuzzing::members(text);
    let begin = text.trim_start_matches([' ', '\n', '\r', '\t']);
    if !begin.starts_with('{') {
        // What follows a value is not looked at, since it is refused all the same.
        let is_value = serde_json::from_str::<IgnoredAny>(text).is_ok();
        assert!(ours.is_err_and(|begins_with_value| begins_with_value || !is_value), "{text:?}");
        return;
    }
    assert_eq!(ours.ok(), theirs.map(|members| members.0), "{text:?}");
}

/// Whether JSON text is read, and what was read is written, as `serde_json` does.
fn check_value(text: &str) {
    assert_eq!(fuzzing::raw(text).map(RawValue::get), Some(text));
    is_read_alike::<bool>(text);
    is_read_alike::<(i8, u8)>(text);
    is_read_alike::<i64>(text);
    is_read_alike::<u64>(text);
    is_read_alike::<i128>(text);
    is_read_alike::<u128>(text);
    is_read_alike::<f32>(text);
    is_read_alike::<f64>(text);
    is_read_alike::<char>(text);
    is_read_alike::<String>(text);
    is_read_alike::<()>(text);
    is_read_alike::<Unit>(text);
    is_read_alike::<Wrapped>(text);
    is_read_alike::<Pair>(text);
    is_read_alike::<[u8; 2]>(text);
    is_read_alike::<Vec<Option<String>>>(text);
    is_read_alike::<Option<Value>>(text);
    is_read_alike::<Choice>(text);
    is_read_alike::<Tagged>(text);
    is_read_alike::<Beside>(text);
    is_read_alike::<Untagged>(text);
    is_object_alike::<Some>(text);
    is_object_alike::<Flat>(text);
    is_read_alike::<BTreeMap<i16, Value>>(text);
    is_object_alike::<BTreeMap<String, Choice>>(text);
    is_object_alike::<BTreeMap<char, Box<RawValue>>>(text);
    is_object_alike::<Value>(text);
    assert_eq!(fuzzing::checked::<&str>(text).ok(), serde_json::from_str::<&str>(text).ok(), "{text:?}");
    is_written_alike(text);
}

/// Whether a value of that type is in the text to both or to neither, the same, and written the same.
fn is_read_alike<T: DeserializeOwned + Serialize>(text: &str) {
    let theirs = serde_json::from_str::<T>(text).ok();
    let shown = |value: &Option<T>| value.as_ref().map(|value| serde_json::to_string(value).ok());
    let ours = fuzzing::checked::<T>(text).ok();
    assert_eq!(shown(&ours), shown(&theirs), "{} in {text:?}", std::any::type_name::<T>());
    if let Some(value) = &theirs {
        is_written_alike(value);
    }
}

/// The same of a struct or a map by text, and an object: what arguments and parameters are taken apart by.
fn is_object_alike<T: DeserializeOwned + Serialize>(text: &str) {
    is_read_alike::<T>(text);
    let theirs = serde_json::from_str::<T>(text).ok();
    // It counts the depth from its members on.
    if text.starts_with('{') && (theirs.is_some() || !is_deep(text)) {
        let shown = |value: Option<T>| value.map(|value| serde_json::to_string(&value).ok());
        let ours = shown(fuzzing::object(text).ok());
        assert_eq!(ours, shown(theirs), "{} in the object {text:?}", std::any::type_name::<T>());
    }
}

fn is_written_alike<T: Serialize + ?Sized>(value: &T) {
    let theirs = serde_json::to_vec(value).ok().map(|mut json| {
        // Only JSON text that was kept as it came has any.
        json.iter_mut().filter(|byte| matches!(byte, b'\n' | b'\r')).for_each(|byte| *byte = b' ');
        json
    });
    let ours = match fuzzing::written(value) {
        // A float of 32 bits that was read from a larger one is infinite, and null to `serde_json`.
        Err(error) if error.to_string().ends_with("inf is no number of JSON") => return,
        ours => ours.ok(),
    };
    assert_eq!(ours.as_deref().map(String::from_utf8_lossy), theirs.as_deref().map(String::from_utf8_lossy));
}

/// Whether it may be deeper than `serde_json` goes.
fn is_deep(text: &str) -> bool {
    text.bytes().filter(|byte| matches!(byte, b'[' | b'{')).count() >= 127
}

/// The members of an object in order, the doubled ones too.
struct Members<'a>(Vec<(String, &'a str)>);

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Object;

        impl<'de> Visitor<'de> for Object {
            type Value = Members<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members<'de>, A::Error> {
                let mut members = Vec::new();
                while let Option::Some((name, value)) = map.next_entry::<Cow<'_, str>, &RawValue>()? {
                    members.push((name.into_owned(), value.get()));
                }
                Ok(Members(members))
            }
        }

        deserializer.deserialize_map(Object)
    }
}

#[derive(Deserialize, Serialize)]
struct Unit;

#[derive(Deserialize, Serialize)]
struct Wrapped(f32);

#[derive(Deserialize, Serialize)]
struct Pair(Option<i32>, String);

#[derive(Deserialize, Serialize)]
enum Choice {
    A,
    B(i64),
    C(u8, Box<Choice>),
    D { a: Option<Value> },
}

#[derive(Deserialize, Serialize)]
#[serde(tag = "a")]
enum Tagged {
    A,
    B { b: Option<i128>, c: Vec<f64> },
}

#[derive(Deserialize, Serialize)]
#[serde(tag = "a", content = "b")]
enum Beside {
    A,
    B(char),
    C { c: Box<RawValue> },
}

#[derive(Deserialize, Serialize)]
#[serde(untagged)]
enum Untagged {
    A(u8),
    B(f64),
    C(Vec<Untagged>),
    D { a: Box<Untagged> },
    E(String),
    F(Option<bool>),
}

#[derive(Deserialize, Serialize)]
struct Some {
    a: Option<Value>,
    b: Option<Box<Some>>,
    #[serde(default)]
    c: Vec<u8>,
    #[serde(default)]
    d: Option<Choice>,
    #[serde(default, alias = "f")]
    e: (Option<Wrapped>, Option<i128>),
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Closed {
    b: Option<Box<RawValue>>,
    c: Option<()>,
}

#[derive(Deserialize, Serialize)]
struct Flat {
    a: Option<Closed>,
    #[serde(flatten)]
    others: BTreeMap<String, Value>,
}
