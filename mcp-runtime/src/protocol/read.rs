//! JSON text on its way in: checked once, as strictly as `serde_json` reads it, and from then on passed over by leaps.
//!
//! Objects are walked here; what they hold is read by `serde_json`.

use std::borrow::Cow;

use serde::{
    Deserialize, Deserializer,
    de::{
        DeserializeSeed, Error as _, MapAccess, Visitor,
        value::{BorrowedStrDeserializer, MapDeserializer, StringDeserializer},
    },
};
use serde_json::{Error, value::RawValue};

use super::write::{OWN, near, plain};

/// What a text is.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// An object, and nothing behind it.
    Object,
    /// It begins with a JSON value that is no object.
    OtherValue,
    /// No JSON.
    Invalid,
}

/// Checks a text, and shows the members of its object to `see` meanwhile, each by its name and its JSON text: what
/// follows may be no JSON.
pub(crate) fn check_members<'a>(text: &'a str, see: impl FnMut(&str, &'a str)) -> Verdict {
    let begin = blanks(text.as_bytes(), 0);
    if text.as_bytes().get(begin) != Some(&b'{') {
        return if check(text.as_bytes(), begin).is_some() { Verdict::OtherValue } else { Verdict::Invalid };
    }
    let mut members = Members::<false> { text, at: begin + 1, is_first: true };
    if members.each(see).is_ok() && blanks(text.as_bytes(), members.at) == text.len() {
        Verdict::Object
    } else {
        Verdict::Invalid
    }
}

/// JSON text that was checked before, without blanks around it, as `serde_json` keeps it.
pub(crate) fn raw(checked: &str) -> Option<&RawValue> {
    Deserialize::deserialize(Checked(checked)).ok()
}

/// JSON text that was just written, as `serde_json` keeps it.
pub(crate) fn written(text: String) -> Result<Box<RawValue>, Error> {
    struct Written(String);

    impl<'de> Deserializer<'de> for Written {
        type Error = Error;

        fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
            visitor.visit_string(self.0)
        }

        fn deserialize_newtype_struct<V: Visitor<'de>>(
            self,
            name: &'static str,
            visitor: V,
        ) -> Result<V::Value, Error> {
            let member = (BorrowedStrDeserializer::<Error>::new(name), StringDeserializer::new(self.0));
            visitor.visit_map(MapDeserializer::new(std::iter::once(member)))
        }

        serde::forward_to_deserialize_any! {
            bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
            seq tuple tuple_struct map struct enum identifier ignored_any
        }
    }

    Deserialize::deserialize(Written(text))
}

/// JSON text of an object that was checked before, without blanks around it. What it holds is [`Checked`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Object<'a>(pub(crate) &'a str);

/// JSON text that was checked before, without blanks around it, as `serde_json` reads it; but text without escapes is
/// taken as it stands, and what stays JSON text is not looked at.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Checked<'a>(pub(crate) &'a str);

/// The members of an object, in order; of a text that was checked before, or is to be checked meanwhile.
struct Members<'a, const CHECKED: bool> {
    text: &'a str,
    at: usize,
    is_first: bool,
}

impl<'a, const CHECKED: bool> Members<'a, CHECKED> {
    fn each(&mut self, mut see: impl FnMut(&str, &'a str)) -> Result<(), Error> {
        while let Some(name) = self.name()? {
            see(&name, self.value().ok_or_else(invalid)?);
        }
        Ok(())
    }

    /// The next name; none at the end.
    fn name(&mut self) -> Result<Option<Cow<'a, str>>, Error> {
        let Some((begin, is_plain)) = self.pass_name().ok_or_else(invalid)? else { return Ok(None) };
        if is_plain {
            return Ok(Some(Cow::Borrowed(&self.text[begin + 1..self.at - 1])));
        }
        serde_json::from_str(&self.text[begin..self.at]).map(|name| Some(Cow::Owned(name)))
    }

    /// Where the next name began, and whether it is without escapes; none at the end. An outer none: the text is no JSON.
    #[inline]
    fn pass_name(&mut self) -> Option<Option<(usize, bool)>> {
        let text = self.text.as_bytes();
        let mut at = blanks(text, self.at);
        let is_first = std::mem::take(&mut self.is_first);
        match text.get(at)? {
            b'}' => {
                self.at = at + 1;
                return Some(None);
            }
            b',' if !is_first => at = blanks(text, at + 1),
            _ if is_first => {}
            _ => return None,
        }
        if text.get(at) != Some(&b'"') {
            return None;
        }
        let is_plain;
        (self.at, is_plain) = if CHECKED { leap_text(text, at) } else { check_text(text, at) }?;
        Some(Some((at, is_plain)))
    }

    #[inline]
    fn value(&mut self) -> Option<&'a str> {
        let text = self.text.as_bytes();
        let begin = colon(text, self.at)?;
        self.at = if CHECKED { leap(text, begin) } else { check(text, begin) }?;
        Some(&self.text[begin..self.at])
    }
}

impl<'de> MapAccess<'de> for Members<'de, true> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Error> {
        match self.name()? {
            Some(Cow::Borrowed(name)) => seed.deserialize(BorrowedStrDeserializer::new(name)).map(Some),
            Some(Cow::Owned(name)) => seed.deserialize(StringDeserializer::new(name)).map(Some),
            None => Ok(None),
        }
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Error> {
        seed.deserialize(Checked(self.value().ok_or_else(invalid)?))
    }
}

fn invalid() -> Error {
    Error::custom("the text is not valid JSON")
}

impl<'de> Deserializer<'de> for Object<'de> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        if !self.0.starts_with('{') {
            return Checked(self.0).deserialize_any(visitor);
        }
        let mut members = Members::<true> { text: self.0, at: 1, is_first: true };
        let value = visitor.visit_map(&mut members)?;
        // Whoever wants fewer members than there are wants another object.
        if members.at == self.0.len() || members.name()?.is_none() { Ok(value) } else { Err(invalid()) }
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

/// Hands on what `serde_json` reads best itself.
macro_rules! by_serde_json {
    ($($method:ident($($argument:ident: $ty:ty),*)),* $(,)?) => { $(
        fn $method<V: Visitor<'de>>(self, $($argument: $ty,)* visitor: V) -> Result<V::Value, Error> {
            let mut deserializer = serde_json::Deserializer::from_str(self.0);
            let value = deserializer.$method($($argument,)* visitor)?;
            // Of a number it may have taken the digits only.
            deserializer.end().map(|()| value)
        }
    )* };
}

impl<'de> Deserializer<'de> for Checked<'de> {
    type Error = Error;

    by_serde_json! {
        deserialize_any(), deserialize_bool(), deserialize_i8(), deserialize_i16(), deserialize_i32(),
        deserialize_i64(), deserialize_i128(), deserialize_u8(), deserialize_u16(), deserialize_u32(),
        deserialize_u64(), deserialize_u128(), deserialize_f32(), deserialize_f64(), deserialize_char(),
        deserialize_bytes(), deserialize_byte_buf(), deserialize_unit(), deserialize_seq(), deserialize_map(),
        deserialize_identifier(), deserialize_unit_struct(name: &'static str), deserialize_tuple(length: usize),
        deserialize_tuple_struct(name: &'static str, length: usize),
        deserialize_struct(name: &'static str, fields: &'static [&'static str]),
        deserialize_enum(name: &'static str, variants: &'static [&'static str]),
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match inner(self.0) {
            Some(text) => visitor.visit_borrowed_str(text),
            None => serde_json::Deserializer::from_str(self.0).deserialize_str(visitor),
        }
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_str(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        if self.0 == "null" { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, name: &'static str, visitor: V) -> Result<V::Value, Error> {
        if !name.starts_with(OWN) {
            return visitor.visit_newtype_struct(self);
        }
        // JSON text: `serde_json` takes it as the one member of that name, and does not read it again.
        let member = (BorrowedStrDeserializer::<Error>::new(name), BorrowedStrDeserializer::<Error>::new(self.0));
        visitor.visit_map(MapDeserializer::new(std::iter::once(member)))
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_unit()
    }
}

/// What stands in a checked string; none where there are escapes, or it is no string.
pub(super) fn inner(text: &str) -> Option<&str> {
    let inner = text.strip_prefix('"')?.strip_suffix('"')?;
    let has_escapes = match inner.len() {
        // A library's search is dear to begin.
        0..=16 => inner.bytes().any(|byte| byte == b'\\'),
        _ => memchr::memchr(b'\\', inner.as_bytes()).is_some(),
    };
    (!has_escapes).then_some(inner)
}

#[inline]
fn blanks(json: &[u8], mut at: usize) -> usize {
    while let Some(b' ' | b'\n' | b'\t' | b'\r') = json.get(at) {
        at += 1;
    }
    at
}

/// Passes over the colon and the blanks around it.
#[inline]
fn colon(json: &[u8], at: usize) -> Option<usize> {
    let at = blanks(json, at);
    (json.get(at) == Some(&b':')).then(|| blanks(json, at + 1))
}

/// The end of the value that begins at a place of checked text.
#[inline]
fn leap(json: &[u8], at: usize) -> Option<usize> {
    match json.get(at)? {
        b'"' => leap_text(json, at).map(|(end, _)| end),
        b'{' | b'[' => leap_nested(json, at),
        _ => {
            let is_end = |byte: &u8| matches!(byte, b',' | b'}' | b']' | b' ' | b'\n' | b'\t' | b'\r');
            Some(json[at..].iter().position(is_end).map_or(json.len(), |length| at + length))
        }
    }
}

fn leap_nested(json: &[u8], mut at: usize) -> Option<usize> {
    let mut depth = 0usize;
    loop {
        match json.get(at)? {
            b'"' => {
                (at, _) = leap_text(json, at)?;
                continue;
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.checked_sub(1)?,
            _ => {}
        }
        at += 1;
        if depth == 0 {
            return Some(at);
        }
    }
}

/// The end of the string that begins at a place of checked text, and whether it is without escapes.
#[inline]
fn leap_text(json: &[u8], begin: usize) -> Option<(usize, bool)> {
    let at = begin + 1;
    match near(json.get(at..)?) {
        Some(length) if json[at + length] == b'"' => Some((at + length + 1, true)),
        _ => leap_long_text(json, at),
    }
}

fn leap_long_text(json: &[u8], mut at: usize) -> Option<(usize, bool)> {
    let mut is_plain = true;
    loop {
        at += memchr::memchr2(b'"', b'\\', json.get(at..)?)?;
        if json[at] == b'"' {
            return Some((at + 1, is_plain));
        }
        is_plain = false;
        at += 2;
    }
}

/// The end of the value that begins at a place; none where there is no JSON value.
#[inline]
fn check(json: &[u8], at: usize) -> Option<usize> {
    match json.get(at)? {
        b'{' | b'[' => check_nested(json, at),
        _ => check_scalar(json, at),
    }
}

#[inline]
fn check_scalar(json: &[u8], at: usize) -> Option<usize> {
    match json.get(at)? {
        b'"' => check_text(json, at).map(|(end, _)| end),
        b'-' | b'0'..=b'9' => check_number(json, at),
        b't' => check_word(json, at, b"true"),
        b'f' => check_word(json, at, b"false"),
        b'n' => check_word(json, at, b"null"),
        _ => None,
    }
}

fn check_nested(json: &[u8], mut at: usize) -> Option<usize> {
    let mut open = Open::default();
    loop {
        let byte = *json.get(at)?;
        at = match byte {
            b'{' | b'[' => {
                at = blanks(json, at + 1);
                let is_object = byte == b'{';
                if *json.get(at)? != closing(is_object) {
                    open.push(is_object);
                    at = if is_object { check_name(json, at)? } else { at };
                    continue;
                }
                at + 1
            }
            _ => check_scalar(json, at)?,
        };
        loop {
            let Some(is_object) = open.last() else { return Some(at) };
            at = blanks(json, at);
            match *json.get(at)? {
                b',' => {
                    at = blanks(json, at + 1);
                    at = if is_object { check_name(json, at)? } else { at };
                    break;
                }
                byte if byte == closing(is_object) => {
                    open.pop();
                    at += 1;
                }
                _ => return None,
            }
        }
    }
}

fn closing(is_object: bool) -> u8 {
    if is_object { b'}' } else { b']' }
}

/// Whether what is open is an object or an array, the innermost last.
#[derive(Default)]
struct Open {
    depth: usize,
    /// A bit each; those of sixty-four further out, where there are such.
    bits: u64,
    outer: Vec<u64>,
}

impl Open {
    fn push(&mut self, is_object: bool) {
        if self.depth > 0 && self.depth.is_multiple_of(64) {
            self.outer.push(self.bits);
        }
        self.bits = self.bits << 1 | u64::from(is_object);
        self.depth += 1;
    }

    fn last(&self) -> Option<bool> {
        (self.depth > 0).then_some(self.bits & 1 == 1)
    }

    fn pop(&mut self) {
        self.bits >>= 1;
        self.depth -= 1;
        if self.depth.is_multiple_of(64) {
            self.bits = self.outer.pop().unwrap_or_default();
        }
    }
}

/// Where the value of the member that begins at a place begins.
fn check_name(json: &[u8], at: usize) -> Option<usize> {
    if json.get(at) != Some(&b'"') {
        return None;
    }
    let (end, _) = check_text(json, at)?;
    colon(json, end)
}

/// The end of the string that begins at a place, and whether it is without escapes.
#[inline]
fn check_text(json: &[u8], begin: usize) -> Option<(usize, bool)> {
    let at = begin + 1;
    match near(json.get(at..)?) {
        Some(length) if json[at + length] == b'"' => Some((at + length + 1, true)),
        _ => check_long_text(json, at),
    }
}

fn check_long_text(json: &[u8], mut at: usize) -> Option<(usize, bool)> {
    let mut is_plain = true;
    loop {
        at += plain(json.get(at..)?);
        match json.get(at)? {
            b'"' => return Some((at + 1, is_plain)),
            b'\\' => match json.get(at + 1)? {
                b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => at += 2,
                // Which character it is, and whether there is one, is asked when the text is read.
                b'u' if json.get(at + 2..at + 6)?.iter().all(u8::is_ascii_hexdigit) => at += 6,
                _ => return None,
            },
            _ => return None,
        }
        is_plain = false;
    }
}

fn check_number(json: &[u8], mut at: usize) -> Option<usize> {
    let digits = |from: usize| {
        let count = json[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        (count > 0).then_some(from + count)
    };
    if json[at] == b'-' {
        at += 1;
    }
    at = if json.get(at) == Some(&b'0') { at + 1 } else { digits(at)? };
    if json.get(at) == Some(&b'.') {
        at = digits(at + 1)?;
    }
    if let Some(b'e' | b'E') = json.get(at) {
        at += 1;
        if let Some(b'+' | b'-') = json.get(at) {
            at += 1;
        }
        at = digits(at)?;
    }
    Some(at)
}

fn check_word(json: &[u8], at: usize, word: &[u8]) -> Option<usize> {
    json[at..].starts_with(word).then_some(at + word.len())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::{prelude::*, sample::Index};
    use serde::Deserialize;
    use serde_json::{Value, value::RawValue};

    use super::{Checked, Object, Verdict, check, check_members, leap};

    /// Whether our verdict on a text is that of `serde_json`, and the same is found in it.
    #[track_caller]
    fn check_text(text: &str) {
        let theirs = serde_json::from_str::<&RawValue>(text);
        let begin = super::blanks(text.as_bytes(), 0);
        let end = check(text.as_bytes(), begin).filter(|end| super::blanks(text.as_bytes(), *end) == text.len());
        assert_eq!(end.map(|end| &text[begin..end]), theirs.as_ref().ok().map(|raw| raw.get()), "{text:?}");
        let Ok(raw) = theirs else { return };
        assert_eq!(leap(raw.get().as_bytes(), 0), Some(raw.get().len()), "{text:?}");
        assert_eq!(
            read::<Value>(|| Value::deserialize(Checked(raw.get()))),
            read(|| serde_json::from_str(text)),
            "{text:?}"
        );
        assert_eq!(
            read(|| BTreeMap::<String, &RawValue>::deserialize(Object(raw.get())).map(texts)),
            read(|| serde_json::from_str::<BTreeMap<String, &RawValue>>(text).map(texts)),
            "{text:?}"
        );
        assert_eq!(read(|| i128::deserialize(Checked(raw.get()))), read(|| serde_json::from_str(text)), "{text:?}");
        assert_eq!(read(|| f32::deserialize(Checked(raw.get()))), read(|| serde_json::from_str(text)), "{text:?}");
        assert_eq!(read(|| String::deserialize(Checked(raw.get()))), read(|| serde_json::from_str(text)), "{text:?}");
        assert_eq!(
            read(|| Some::deserialize(Checked(raw.get()))),
            read(|| serde_json::from_str::<Some>(text)),
            "{text:?}"
        );
        assert_eq!(super::raw(raw.get()).map(RawValue::get), Some(raw.get()), "{text:?}");
        if text.trim_start().starts_with('{') {
            let mut members = BTreeMap::new();
            let verdict = check_members(text, |name, value| drop(members.insert(name.to_owned(), value.to_owned())));
            assert_eq!(
                (verdict == Verdict::Object).then_some(members),
                read(|| serde_json::from_str::<BTreeMap<String, &RawValue>>(text).map(texts)),
                "{text:?}"
            );
            assert_eq!(
                read(|| Some::deserialize(Object(raw.get()))),
                read(|| serde_json::from_str::<Some>(text)),
                "{text:?}"
            );
            assert_eq!(read(|| Value::deserialize(Object(raw.get()))), read(|| serde_json::from_str(text)), "{text:?}");
        }
    }

    fn read<T>(read: impl Fn() -> Result<T, serde_json::Error>) -> Option<T> {
        read().ok()
    }

    fn texts(members: BTreeMap<String, &RawValue>) -> BTreeMap<String, String> {
        members.into_iter().map(|(name, raw)| (name, raw.get().to_owned())).collect()
    }

    /// A few members, of several kinds.
    #[derive(Debug, PartialEq, Deserialize)]
    struct Some {
        a: Option<Value>,
        b: Option<Box<Some>>,
        #[serde(default)]
        c: Vec<u8>,
        #[serde(default)]
        d: Option<Choice>,
        #[serde(default)]
        e: (Wrapped, Option<i128>),
    }

    #[derive(Debug, PartialEq, Deserialize)]
    enum Choice {
        Unit,
        Struct { a: u8 },
    }

    #[derive(Debug, Default, PartialEq, Deserialize)]
    struct Wrapped(f32);

    #[test]
    fn our_verdict_on_a_text_is_that_of_serde_json() {
        for text in [
            "",
            " ",
            "null",
            "nul",
            "nullx",
            " true ",
            "false,",
            "tru\u{e9}",
            "0",
            "00",
            "01",
            "-",
            "-0",
            "-01",
            "1.",
            ".1",
            "1.5e",
            "1e+",
            "1E-09",
            "1e5.",
            "--1",
            "+1",
            "NaN",
            "1x",
            "\"",
            "\"\\",
            "\"\\\"",
            "\"\\u00e9\"",
            "\"\\u00E\"",
            "\"\\uD800\"",
            "\"\\uD83D\\uDE00\"",
            "\"\\x\"",
            "\"\\/\"",
            "\"\t\"",
            "\"\u{7f}\u{2028}\"",
            "[",
            "]",
            "[]",
            "[ ]",
            "[,]",
            "[1,]",
            "[1 2]",
            "[1,2]",
            "[1}",
            "{",
            "}",
            "{}",
            "{ }",
            "{,}",
            "{\"a\"}",
            "{\"a\":}",
            "{\"a\" : 1 , }",
            "{\"a\":1,\"a\":2}",
            "{a:1}",
            "{1:1}",
            "{\"\\u0061\":1}",
            "{\"\\uDC00\":1}",
            "{\"a\":1]",
            "{\"a\":[{\"b\":[]}]}",
            "/**/1",
            "\u{feff}1",
            "1\u{b}",
            "1\u{a0}",
            "{\"a\":null,\"b\":{},\"c\":[1],\"d\":{\"Struct\":{\"a\":1}},\"e\":[0.1,5]}",
            "{\"d\":\"Unit\",\"b\":null}",
            "[1,null,[2]]",
            "{}{}",
            "{\"c\":\"text\"}",
            "{\"$serde_json::private::RawValue\":\"[1]\"}",
            "{\"$serde_json::private::RawValue\":\"[1]\",\"a\":1}",
        ] {
            check_text(text);
        }
        for length in 0..100 {
            let plain = "é".repeat(length);
            for end in ["\"", "\\\"", "\u{1}\"", "\\u12x4\"", "\\", "\\n\"", ""] {
                check_text(&format!("\"{plain}{end}"));
                check_text(&format!("{{\"{plain}{end}:1}}"));
            }
        }
    }

    #[test]
    fn no_depth_is_too_deep_to_be_passed_over() {
        for depth in [1, 63, 64, 65, 127, 128, 129, 1000, 100_000] {
            let nested = |open: &str, close: &str| format!("{}1{}", open.repeat(depth), close.repeat(depth));
            for text in [nested("[", "]"), nested("{\"a\":", "}"), nested("[{\"a\":", "}]"), nested("[[{\"a\":", "}]]")]
            {
                assert_eq!(check(text.as_bytes(), 0), Some(text.len()), "{depth}");
                assert_eq!(leap(text.as_bytes(), 0), Some(text.len()), "{depth}");
                assert_eq!(check(&text.as_bytes()[..text.len() - 1], 0), None, "{depth}");
                let wrong = text.replacen(['}', ']'], ")", 1);
                assert_eq!(check(wrong.as_bytes(), 0), None, "{depth}");
            }
            assert_eq!(check(nested("[", "}").as_bytes(), 0), None, "{depth}");
            assert_eq!(check(nested("[{\"a\":", "]}").as_bytes(), 0), None, "{depth}");
        }
    }

    /// JSON values as texts, blanks and escapes among them.
    fn json() -> impl Strategy<Value = String> {
        let leaf = prop_oneof![
            Just("null".to_owned()),
            any::<bool>().prop_map(|value| value.to_string()),
            any::<i64>().prop_map(|value| value.to_string()),
            any::<f64>().prop_map(|value| serde_json::to_string(&value).unwrap()),
            "-?(0|[1-9][0-9]{0,25})(\\.[0-9]{1,5})?([eE][+-]?[0-9]{1,3})?",
            "\"([a-z é😀]{0,40}|\\\\[\"\\\\/bfnrt]|\\\\u[0-9a-fA-F]{4}){0,4}\"",
        ];
        leaf.prop_recursive(5, 40, 6, |value| {
            let blank = "[ \n\r\t]{0,2}";
            let member = (blank, "\"([a-e]|é|\\\\u00[0-9a-f]{2}|\\\\n)\"", blank, value.clone(), blank);
            let member = member.prop_map(|(a, name, b, value, c)| format!("{a}{name}{b}:{c}{value}{b}"));
            let item = (blank, value, blank).prop_map(|(a, value, b)| format!("{a}{value}{b}"));
            prop_oneof![
                prop::collection::vec(item, 0..6).prop_map(|items| format!("[{}]", items.join(","))),
                prop::collection::vec(member, 0..6).prop_map(|members| format!("{{{}}}", members.join(","))),
            ]
        })
    }

    proptest! {
        #[test]
        fn any_json_is_found_valid_and_the_same(text in json()) {
            check_text(&text);
        }

        #[test]
        fn any_broken_json_is_judged_as_serde_json_judges_it(
            text in json(),
            breaks in prop::collection::vec((any::<Index>(), 0..3, "[\\x00-\\x7f]|[\\[\\]{}\",:\\\\0-9eE.u+-]"), 1..4)
        ) {
            let mut text: Vec<char> = text.chars().collect();
            for (place, how, character) in breaks {
                let at = place.index(text.len() + 1);
                match how {
                    0 => text.truncate(at),
                    1 => text.splice(at..at, character.chars()).for_each(drop),
                    _ => text.splice(at..(at + 1).min(text.len()), character.chars()).for_each(drop),
                }
            }
            check_text(&text.into_iter().collect::<String>());
        }

        #[test]
        fn any_text_is_judged_as_serde_json_judges_it(text in "[\\[\\]{}\",:\\\\0-9a-fnrtlsu .é+-]{0,30}") {
            check_text(&text);
        }
    }

    #[test]
    fn an_object_is_told_from_other_values_and_from_what_is_no_json() {
        for (text, expected) in [
            (" {\"a\": [1, {}]}\n", Verdict::Object),
            ("{}", Verdict::Object),
            ("{} x", Verdict::Invalid),
            ("{\"a\":1,}", Verdict::Invalid),
            ("{\"\\uD800\":1}", Verdict::Invalid),
            ("{\"a\":01}", Verdict::Invalid),
            ("{", Verdict::Invalid),
            ("[1]", Verdict::OtherValue),
            ("\"a\"", Verdict::OtherValue),
            ("x", Verdict::Invalid),
            ("", Verdict::Invalid),
        ] {
            assert_eq!(check_members(text, |_, _| {}), expected, "{text}");
        }
    }
}
