//! From a value to JSON text for the wire, as `serde_json` writes it; but long text is searched in blocks for what must
//! be escaped, and what comes as JSON text already loses its line breaks on the way.

use std::fmt::{self, Display, Write as _};

use serde::{
    Serialize, Serializer,
    ser::{
        SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple, SerializeTupleStruct,
        SerializeTupleVariant,
    },
};
use serde_json::Error;

use super::jsonrpc::flatten;

/// Appends `value` to `out`, in one line.
///
/// # Errors
/// When `value` cannot be JSON; what was written of it until then stands in `out`.
pub(crate) fn write<T: Serialize + ?Sized>(out: &mut Vec<u8>, value: &T) -> Result<(), Error> {
    value.serialize(Writer(out))
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
fn plain(text: &[u8]) -> usize {
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

/// Where among eight bytes the first is that must be escaped, by one look at all of them.
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
const OWN: &str = "$serde_json::";

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
        serialize_u128: u128, serialize_f32: f32, serialize_f64: f64, serialize_char: char, serialize_bytes: &[u8]
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

    /// What may be a name, and how, is left to `serde_json`: an object is begun there, and left.
    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Error> {
        let begin = self.out.len();
        serde_json::Serializer::new(&mut *self.out).serialize_map(None)?.serialize_key(key)?;
        if std::mem::take(&mut self.is_first) {
            self.out.remove(begin);
        } else {
            self.out[begin] = b',';
        }
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        self.out.push(b':');
        value.serialize(Writer(self.out))
    }

    fn end(self) -> Result<(), Error> {
        self.close()
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
            floats: [f64::NAN, f64::INFINITY, -0.0],
            letter: '\n',
            shown: "a\"\u{1}",
            bytes: &[0, 255],
            others: json!({ "o\\thers": [1, 2.5, null, { "deep": [[], {}] }] }),
        });
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

    #[test]
    fn what_cannot_be_json_is_an_error() {
        let named_by_lists = BTreeMap::from([(vec![1], 1)]);
        assert!(write(&mut Vec::new(), &named_by_lists).is_err());
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
