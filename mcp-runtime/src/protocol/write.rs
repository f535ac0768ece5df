//! From a value to JSON text for the wire, as `serde_json` writes it; but long text is searched in blocks for what must
//! be escaped, what comes as JSON text already loses its line breaks on the way, and NaN and infinities are refused.

use std::fmt::{self, Display, Write as _};

use serde::{
    Serialize, Serializer,
    ser::{
        Impossible, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple,
        SerializeTupleStruct, SerializeTupleVariant,
    },
};
use serde_json::Error;

use super::jsonrpc::flatten;

/// Appends `value` to `out`, in one line.
///
/// # Errors
/// When `value` cannot be JSON, with the place in it; what was written of it until then stands in `out`.
pub(crate) fn write<T: Serialize + ?Sized>(out: &mut Vec<u8>, value: &T) -> Result<(), Error> {
    let start = out.len();
    value.serialize(Writer(out)).map_err(|error| placed(&error, &out[start..]))
}

/// The JSON text of `value`, in one line.
///
/// # Errors
/// When `value` cannot be JSON, with the place in it.
pub(crate) fn text<T: Serialize + ?Sized>(value: &T) -> Result<String, Error> {
    let mut out = Vec::with_capacity(128);
    write(&mut out, value)?;
    String::from_utf8(out).map_err(serde::ser::Error::custom)
}

/// An error with the place of what could not be written: it is where the text ends that was.
#[cold]
fn placed(error: &Error, written: &[u8]) -> Error {
    let place = end_of(written);
    if place.is_empty() {
        serde::ser::Error::custom(error)
    } else {
        serde::ser::Error::custom(format_args!("`{place}`: {error}"))
    }
}

/// Where JSON text ends that breaks off: `.points[2].x`; empty at its root.
fn end_of(written: &[u8]) -> String {
    enum Step {
        Item(usize),
        /// Where its name stands; none while there is none.
        Member(Option<(usize, usize)>),
    }

    let (mut steps, mut at) = (Vec::new(), 0);
    while let Some(byte) = written.get(at) {
        at += 1;
        match (byte, steps.last_mut()) {
            (b'[', _) => steps.push(Step::Item(0)),
            (b'{', _) => steps.push(Step::Member(None)),
            (b']' | b'}', _) => drop(steps.pop()),
            (b',', Some(Step::Item(index))) => *index += 1,
            (b',', Some(Step::Member(name))) => *name = None,
            (b'"', last) => {
                let begin = at;
                while let Some(byte) = written.get(at).filter(|byte| **byte != b'"') {
                    at += if *byte == b'\\' { 2 } else { 1 };
                }
                if let Some(Step::Member(name @ None)) = last {
                    *name = Some((begin, at.min(written.len())));
                }
                at += 1;
            }
            _ => {}
        }
    }
    let mut place = String::new();
    for step in steps {
        match step {
            Step::Item(index) => place.push_str(&format!("[{index}]")),
            Step::Member(Some((begin, end))) => {
                place.push('.');
                place.push_str(&String::from_utf8_lossy(&written[begin..end]));
            }
            Step::Member(None) => {}
        }
    }
    place
}

/// Appends `text` to `out` as a JSON string.
fn write_text(out: &mut Vec<u8>, text: &str) {
    out.reserve(text.len() + 2);
    out.push(b'"');
    write_escaped(out, text);
    out.push(b'"');
}

/// Appends what stands between the quotes of a JSON string.
fn write_escaped(out: &mut Vec<u8>, text: &str) {
    let mut rest = text.as_bytes();
    loop {
        let (before, escaped) = rest.split_at(plain(rest));
        out.extend_from_slice(before);
        let Some((byte, behind)) = escaped.split_first() else { return };
        write_escape(out, *byte);
        rest = behind;
    }
}

/// How many bytes stand in a JSON string as they are, until one must be escaped, or is the end.
pub(super) fn plain(text: &[u8]) -> usize {
    /// As many bytes as a compiler looks at together.
    const BLOCK: usize = 32;
    const WORD: usize = 8;

    let mut at = 0;
    loop {
        // Most texts are short, and most runs of a text with escapes.
        while let Some(word) = text[at..].first_chunk::<WORD>() {
            if let Some(first) = first_escaped(*word) {
                return at + first;
            }
            at += WORD;
            if at >= BLOCK {
                break;
            }
        }
        while let Some(block) = text[at..].first_chunk::<BLOCK>()
            && !block.iter().fold(false, |found, byte| found | is_escaped(*byte))
        {
            at += BLOCK;
        }
        if text.len() - at < WORD {
            return at + text[at..].iter().take_while(|byte| !is_escaped(**byte)).count();
        }
    }
}

/// The same for short text: none where neither the first sixteen bytes nor the end tells.
#[inline]
pub(super) fn near(text: &[u8]) -> Option<usize> {
    first_escaped(*text.first_chunk()?)
        .or_else(|| first_escaped(*text.get(8..)?.first_chunk()?).map(|behind| 8 + behind))
}

/// Where among eight bytes the first is that must be escaped, by one look at all of them.
#[inline]
fn first_escaped(word: [u8; 8]) -> Option<usize> {
    const EACH: u64 = u64::from_le_bytes([1; 8]);

    let word = u64::from_le_bytes(word);
    let is_zero = |word: u64| word.wrapping_sub(EACH);
    let control = word.wrapping_sub(EACH * 0x20);
    let quote = is_zero(word ^ (EACH * u64::from(b'"')));
    let backslash = is_zero(word ^ (EACH * u64::from(b'\\')));
    // The highest bit of a byte is set where it went below zero; a byte beyond ASCII is none of these. What is
    // borrowed may set the bits of bytes behind the first, and of none before it.
    let found = (control | quote | backslash) & !word & (EACH << 7);
    (found != 0).then(|| found.trailing_zeros() as usize / 8)
}

fn is_escaped(byte: u8) -> bool {
    (byte < 0x20) | (byte == b'"') | (byte == b'\\')
}

fn write_escape(out: &mut Vec<u8>, byte: u8) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let letter = match byte {
        b'"' | b'\\' => byte,
        b'\n' => b'n',
        b'\r' => b'r',
        b'\t' => b't',
        0x08 => b'b',
        0x0c => b'f',
        _ => {
            let [high, low] = [byte >> 4, byte & 15].map(|digit| DIGITS[usize::from(digit)]);
            return out.extend_from_slice(&[b'\\', b'u', b'0', b'0', high, low]);
        }
    };
    out.extend_from_slice(&[b'\\', letter]);
}

struct Writer<'a>(&'a mut Vec<u8>);

/// An array or an object that was begun.
struct Members<'a> {
    out: &'a mut Vec<u8>,
    is_first: bool,
    /// What ends it, and what it stands in.
    end: &'static str,
    /// Its name, where it is no struct but a value that `serde_json` knows by that name.
    own: Option<&'static str>,
}

/// What the names of `serde_json`'s own values begin with.
pub(super) const OWN: &str = "$serde_json::";

impl<'a> Writer<'a> {
    fn begin(self, begin: &str, end: &'static str) -> Members<'a> {
        self.0.extend_from_slice(begin.as_bytes());
        Members { out: self.0, is_first: true, end, own: None }
    }

    /// Begins what stands in an object under the name of a variant.
    fn begin_variant(self, variant: &str, begin: &str, end: &'static str) -> Members<'a> {
        self.0.push(b'{');
        write_text(self.0, variant);
        self.0.push(b':');
        self.begin(begin, end)
    }
}

impl Members<'_> {
    fn next(&mut self) {
        if !std::mem::take(&mut self.is_first) {
            self.out.push(b',');
        }
    }

    fn value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        self.next();
        value.serialize(Writer(self.out))
    }

    fn member<T: Serialize + ?Sized>(&mut self, name: &str, value: &T) -> Result<(), Error> {
        self.next();
        write_text(self.out, name);
        self.out.push(b':');
        value.serialize(Writer(self.out))
    }

    fn close(self) -> Result<(), Error> {
        self.out.extend_from_slice(self.end.as_bytes());
        Ok(())
    }
}

/// Hands on what `serde_json` writes best itself.
macro_rules! by_serde_json {
    ($($method:ident: $ty:ty),*) => { $(
        fn $method(self, value: $ty) -> Result<(), Error> {
            serde_json::to_writer(self.0, &value)
        }
    )* };
}

impl<'a> Serializer for Writer<'a> {
    type Ok = ();
    type Error = Error;
    type SerializeSeq = Members<'a>;
    type SerializeTuple = Members<'a>;
    type SerializeTupleStruct = Members<'a>;
    type SerializeTupleVariant = Members<'a>;
    type SerializeMap = Members<'a>;
    type SerializeStruct = Members<'a>;
    type SerializeStructVariant = Members<'a>;

    by_serde_json! {
        serialize_bool: bool, serialize_i8: i8, serialize_i16: i16, serialize_i32: i32, serialize_i64: i64,
        serialize_i128: i128, serialize_u8: u8, serialize_u16: u16, serialize_u32: u32, serialize_u64: u64,
        serialize_u128: u128, serialize_char: char, serialize_bytes: &[u8]
    }

    fn serialize_f32(self, number: f32) -> Result<(), Error> {
        if number.is_finite() { serde_json::to_writer(self.0, &number) } else { Err(no_number(number.into())) }
    }

    fn serialize_f64(self, number: f64) -> Result<(), Error> {
        if number.is_finite() { serde_json::to_writer(self.0, &number) } else { Err(no_number(number)) }
    }

    fn serialize_str(self, text: &str) -> Result<(), Error> {
        write_text(self.0, text);
        Ok(())
    }

    fn collect_str<T: Display + ?Sized>(self, value: &T) -> Result<(), Error> {
        self.0.push(b'"');
        write!(Escaped(self.0), "{value}").map_err(|_| serde::ser::Error::custom("a value has no text"))?;
        self.0.push(b'"');
        Ok(())
    }

    fn serialize_unit(self) -> Result<(), Error> {
        self.0.extend_from_slice(b"null");
        Ok(())
    }

    fn serialize_none(self) -> Result<(), Error> {
        self.serialize_unit()
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), Error> {
        value.serialize(self)
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<(), Error> {
        self.serialize_unit()
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Result<(), Error> {
        self.serialize_str(variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, value: &T) -> Result<(), Error> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<(), Error> {
        let mut members = self.begin("{", "}");
        members.member(variant, value)?;
        members.close()
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Members<'a>, Error> {
        Ok(self.begin("[", "]"))
    }

    fn serialize_tuple(self, _: usize) -> Result<Members<'a>, Error> {
        Ok(self.begin("[", "]"))
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Members<'a>, Error> {
        Ok(self.begin("[", "]"))
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Members<'a>, Error> {
        Ok(self.begin_variant(variant, "[", "]}"))
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Members<'a>, Error> {
        Ok(self.begin("{", "}"))
    }

    fn serialize_struct(self, name: &'static str, _: usize) -> Result<Members<'a>, Error> {
        if name.starts_with(OWN) {
            return Ok(Members { own: Some(name), ..self.begin("", "") });
        }
        Ok(self.begin("{", "}"))
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Members<'a>, Error> {
        Ok(self.begin_variant(variant, "{", "}}"))
    }
}

/// JSON has no word for it, and the null that `serde_json` writes is none of the numbers that a schema promises.
#[cold]
fn no_number(number: f64) -> Error {
    serde::ser::Error::custom(format_args!("{number} is no number of JSON"))
}

/// Text that is escaped as it comes.
struct Escaped<'a>(&'a mut Vec<u8>);

impl fmt::Write for Escaped<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        write_escaped(self.0, text);
        Ok(())
    }
}

/// A value that `serde_json` knows by its name, such as JSON text: its one field.
struct Own<'v, T: ?Sized> {
    name: &'static str,
    field: &'static str,
    value: &'v T,
}

impl<T: Serialize + ?Sized> Serialize for Own<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut own = serializer.serialize_struct(self.name, 1)?;
        own.serialize_field(self.field, self.value)?;
        own.end()
    }
}

impl SerializeStruct for Members<'_> {
    type Ok = ();
    type Error = Error;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, field: &'static str, value: &T) -> Result<(), Error> {
        let Some(name) = self.own else { return self.member(field, value) };
        let from = self.out.len();
        serde_json::to_writer(&mut *self.out, &Own { name, field, value })?;
        flatten(self.out, from);
        Ok(())
    }

    fn end(self) -> Result<(), Error> {
        self.close()
    }
}

impl SerializeMap for Members<'_> {
    type Ok = ();
    type Error = Error;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Error> {
        self.next();
        key.serialize(Name(self.out))
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        self.out.push(b':');
        value.serialize(Writer(self.out))
    }

    fn end(self) -> Result<(), Error> {
        self.close()
    }
}

/// What takes the name of a map's member: text is written here. What else may be a name, and how, is left to
/// `serde_json`.
struct Name<'a>(&'a mut Vec<u8>);

impl Name<'_> {
    fn by_serde_json<T: Serialize + ?Sized>(self, name: &T) -> Result<(), Error> {
        let begin = self.0.len();
        serde_json::Serializer::new(&mut *self.0).serialize_map(None)?.serialize_key(name)?;
        // The object that was begun there.
        self.0.remove(begin);
        Ok(())
    }
}

/// Names that `serde_json` writes.
macro_rules! names {
    ($($method:ident: $ty:ty),*) => { $(
        fn $method(self, name: $ty) -> Result<(), Error> {
            self.by_serde_json(&name)
        }
    )* };
}

/// What is no name.
macro_rules! no_names {
    ($($method:ident($($argument:ty),*) -> $result:ty),* $(,)?) => { $(
        fn $method(self, $(_: $argument),*) -> Result<$result, Error> {
            Err(no_name())
        }
    )* };
}

fn no_name() -> Error {
    serde::ser::Error::custom("the name of a member must be text")
}

impl Serializer for Name<'_> {
    type Ok = ();
    type Error = Error;
    type SerializeSeq = Impossible<(), Error>;
    type SerializeTuple = Impossible<(), Error>;
    type SerializeTupleStruct = Impossible<(), Error>;
    type SerializeTupleVariant = Impossible<(), Error>;
    type SerializeMap = Impossible<(), Error>;
    type SerializeStruct = Impossible<(), Error>;
    type SerializeStructVariant = Impossible<(), Error>;

    fn serialize_str(self, name: &str) -> Result<(), Error> {
        write_text(self.0, name);
        Ok(())
    }

    fn collect_str<T: Display + ?Sized>(self, name: &T) -> Result<(), Error> {
        Writer(self.0).collect_str(name)
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Result<(), Error> {
        self.serialize_str(variant)
    }

    fn serialize_some<T: Serialize + ?Sized>(self, name: &T) -> Result<(), Error> {
        name.serialize(self)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, name: &T) -> Result<(), Error> {
        name.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: &T,
    ) -> Result<(), Error> {
        Err(no_name())
    }

    names! {
        serialize_bool: bool, serialize_i8: i8, serialize_i16: i16, serialize_i32: i32, serialize_i64: i64,
        serialize_i128: i128, serialize_u8: u8, serialize_u16: u16, serialize_u32: u32, serialize_u64: u64,
        serialize_u128: u128, serialize_f32: f32, serialize_f64: f64, serialize_char: char
    }

    no_names! {
        serialize_bytes(&[u8]) -> (),
        serialize_none() -> (),
        serialize_unit() -> (),
        serialize_unit_struct(&'static str) -> (),
        serialize_seq(Option<usize>) -> Self::SerializeSeq,
        serialize_tuple(usize) -> Self::SerializeTuple,
        serialize_tuple_struct(&'static str, usize) -> Self::SerializeTupleStruct,
        serialize_tuple_variant(&'static str, u32, &'static str, usize) -> Self::SerializeTupleVariant,
        serialize_map(Option<usize>) -> Self::SerializeMap,
        serialize_struct(&'static str, usize) -> Self::SerializeStruct,
        serialize_struct_variant(&'static str, u32, &'static str, usize) -> Self::SerializeStructVariant,
    }
}

impl SerializeStructVariant for Members<'_> {
    type Ok = ();
    type Error = Error;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, field: &'static str, value: &T) -> Result<(), Error> {
        self.member(field, value)
    }

    fn end(self) -> Result<(), Error> {
        self.close()
    }
}

/// The ways to be an array.
macro_rules! arrays {
    ($($trait:ident::$method:ident),*) => { $(
        impl $trait for Members<'_> {
            type Ok = ();
            type Error = Error;

            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
                self.value(value)
            }

            fn end(self) -> Result<(), Error> {
                self.close()
            }
        }
    )* };
}
arrays!(
    SerializeSeq::serialize_element,
    SerializeTuple::serialize_element,
    SerializeTupleStruct::serialize_field,
    SerializeTupleVariant::serialize_field
);

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;
    use serde::Serialize;
    use serde_json::{Value, json};

    use super::write;
    use crate::protocol::RawJson;

    /// Every shape that serde knows.
    #[derive(Serialize)]
    enum Shape {
        Unit,
        Newtype(String),
        Tuple(u8, Option<i64>),
        Struct { text: String, none: Option<()> },
    }

    #[derive(Serialize)]
    struct Everything {
        shapes: Vec<Shape>,
        empty: (Vec<u8>, BTreeMap<u8, u8>, ()),
        by_number: BTreeMap<i32, f64>,
        by_letter: BTreeMap<char, bool>,
        numbers: (i128, u128, f32, f64),
        floats: [f64; 3],
        #[serde(rename = "a \"name\"")]
        letter: char,
        #[serde(serialize_with = "shown")]
        shown: &'static str,
        #[serde(serialize_with = "bytes")]
        bytes: &'static [u8],
        #[serde(flatten)]
        others: Value,
    }

    fn shown<S: serde::Serializer>(text: &str, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&format_args!("{text}, {text:?}"))
    }

    fn bytes<S: serde::Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(bytes)
    }

    #[track_caller]
    fn check<T: Serialize + ?Sized>(value: &T) {
        let mut written = b"before".to_vec();
        write(&mut written, value).unwrap();
        let expected = format!("before{}", serde_json::to_string(value).unwrap());
        assert_eq!(String::from_utf8(written).unwrap(), expected);
    }

    #[test]
    fn every_shape_is_written_as_serde_json_writes_it() {
        check(&Everything {
            shapes: vec![
                Shape::Unit,
                Shape::Newtype("\u{7f}".into()),
                Shape::Tuple(1, Some(-2)),
                Shape::Struct { text: "\u{2028}é😀".into(), none: None },
            ],
            empty: (vec![], BTreeMap::new(), ()),
            by_number: BTreeMap::from([(-1, 0.1), (2, 1e300)]),
            by_letter: BTreeMap::from([('"', true), ('é', false)]),
            numbers: (i128::MIN, u128::MAX, 0.1, f64::MIN_POSITIVE),
            floats: [f64::MIN, f64::MAX, -0.0],
            letter: '\n',
            shown: "a\"\u{1}",
            bytes: &[0, 255],
            others: json!({ "o\\thers": [1, 2.5, null, { "deep": [[], {}] }] }),
        });
    }

    #[test]
    fn what_json_cannot_say_is_refused_with_its_place() {
        #[track_caller]
        fn check<T: Serialize>(value: T, expected: &str) {
            assert_eq!(super::text(&value).unwrap_err().to_string(), expected);
        }

        check(f64::NAN, "NaN is no number of JSON");
        check(f32::NEG_INFINITY, "-inf is no number of JSON");
        check(vec![Some(1.0), None, Some(f64::INFINITY)], "`[2]`: inf is no number of JSON");
        check((json!({ "a": [1, "]\"}"] }), [[0.5], [f32::NAN]]), "`[1][1][0]`: NaN is no number of JSON");
        let members = BTreeMap::from([("a,{\"", 1.5), ("z", f64::NAN)]);
        check(("x", &members), "`[1].z`: NaN is no number of JSON");
        check(BTreeMap::from([("é\"", f64::NAN)]), "`.é\\\"`: NaN is no number of JSON");
        check(BTreeMap::from([("of", BTreeMap::from([((), 1)]))]), "`.of`: the name of a member must be text");
        #[derive(Serialize)]
        enum Shape {
            Tuple(u8, f64),
            Struct { x: f64 },
        }
        check([Shape::Tuple(1, f64::NAN)], "`[0].Tuple[1]`: NaN is no number of JSON");
        check([Shape::Struct { x: f64::NAN }], "`[0].Struct.x`: NaN is no number of JSON");
    }

    #[test]
    fn every_character_is_written_as_serde_json_writes_it_wherever_it_stands() {
        for before in [0, 1, 31, 32, 63] {
            let text: String = ('\0'..='\u{ff}').map(|char| format!("{}{char}", "x".repeat(before))).collect();
            check(&text);
        }
    }

    #[test]
    fn json_text_loses_its_line_breaks_and_nothing_else() {
        let raw: Box<serde_json::value::RawValue> = serde_json::from_str("{\"a\":\r\n [1.50,\n\"\\n\"]}").unwrap();
        let mut written = Vec::new();
        write(&mut written, &[RawJson::from(raw)]).unwrap();
        assert_eq!(String::from_utf8(written).unwrap(), r#"[{"a":   [1.50, "\n"]}]"#);
    }

    /// Every kind of name, and what is none.
    #[derive(PartialEq, Eq, PartialOrd, Ord, Serialize)]
    enum Name {
        Unit,
        Newtype(u8),
        #[serde(untagged)]
        Text(String),
        #[serde(untagged)]
        Bool(bool),
        #[serde(untagged)]
        Number(i128),
        #[serde(untagged)]
        Letter(char),
        #[serde(untagged)]
        Maybe(Option<u16>),
        #[serde(untagged)]
        Wrapped(Wrapped),
        #[serde(untagged)]
        Address(std::net::IpAddr),
        #[serde(untagged)]
        List(Vec<u8>),
        #[serde(untagged)]
        Struct {
            a: u8,
        },
        #[serde(untagged)]
        Map(BTreeMap<u8, u8>),
        #[serde(untagged)]
        Pair(u8, u8),
        #[serde(untagged)]
        Nothing(()),
    }

    #[derive(PartialEq, Eq, PartialOrd, Ord, Serialize)]
    struct Wrapped(Box<Name>);

    #[test]
    fn every_name_is_written_or_refused_as_by_serde_json() {
        let names = || {
            [
                Name::Unit,
                Name::Newtype(1),
                Name::Text("a\"\u{1}é".into()),
                Name::Text(String::new()),
                Name::Bool(true),
                Name::Number(i128::MIN),
                Name::Letter('"'),
                Name::Maybe(Some(1)),
                Name::Maybe(None),
                Name::Wrapped(Wrapped(Box::new(Name::Unit))),
                Name::Address([127, 0, 0, 1].into()),
                Name::List(vec![1]),
                Name::Struct { a: 1 },
                Name::Map(BTreeMap::new()),
                Name::Pair(1, 2),
                Name::Nothing(()),
            ]
        };
        for (name, again) in names().into_iter().zip(names()) {
            // Behind another member, and as the first.
            for members in [BTreeMap::from([(name, 1)]), BTreeMap::from([(Name::Unit, 0), (again, 1)])] {
                let mut written = Vec::new();
                let written = write(&mut written, &members).ok().map(|()| String::from_utf8(written).unwrap());
                assert_eq!(written, serde_json::to_string(&members).ok());
            }
        }
    }

    proptest! {
        #[test]
        fn any_text_is_written_as_serde_json_writes_it(
            text in "([ -~]{0,40}|[\\x00-\\x1f]|[\"\\\\]|\\PC{0,20}|[\u{2028}\u{ffff}\u{10ffff}]){0,12}"
        ) {
            check(&text);
            check(&BTreeMap::from([(&text, [&text])]));
        }
    }
}
