//! URIs against templates: which template has a URI, and the values of its variables.

use std::{collections::HashSet, sync::Arc};

use super::{definition::Segment, registry::RegisteredResource};

/// A longer URI is no resource's: matching a template costs up to the square of a URI's length.
const MAX_URI_BYTES: usize = 8 * 1024;

/// Adds a template. Most specific first: fewer variables that take slashes, then fewer variables, then more literal text.
pub(crate) fn insert(templates: &mut Vec<Arc<RegisteredResource>>, template: Arc<RegisteredResource>) {
    let place = generality(template.spec.segments);
    let at = templates.partition_point(|other| generality(other.spec.segments) <= place);
    templates.insert(at, template);
}

fn generality(segments: &[Segment]) -> (usize, usize, usize) {
    let mut key = (0, 0, usize::MAX);
    for segment in segments {
        match segment {
            Segment::Literal(text) => key.2 -= text.len(),
            Segment::Variable(_) => key.1 += 1,
            Segment::Reserved(_) => key.0 += 1,
        }
    }
    key
}

/// Whether two templates have the same URIs: they differ at most in the names of their variables.
pub(crate) fn is_same(a: &[Segment], b: &[Segment]) -> bool {
    a.len() == b.len()
        && a.iter().zip(b).all(|pair| match pair {
            (Segment::Literal(a), Segment::Literal(b)) => a == b,
            (Segment::Variable(_), Segment::Variable(_)) | (Segment::Reserved(_), Segment::Reserved(_)) => true,
            _ => false,
        })
}

/// The values of the template's variables in `uri`, percent-decoded once; `None` where the URI is not of this template.
///
/// A `{name}` takes one path segment: no `/`, written or encoded, neither `.` nor `..`, and no `..` between backslashes,
/// which lead out of a folder elsewhere. A `{+name}` takes anything.
pub(crate) fn match_uri(segments: &'static [Segment], uri: &str) -> Option<Vec<(&'static str, String)>> {
    if uri.len() > MAX_URI_BYTES {
        return None;
    }
    let mut values = Vec::new();
    let mut failed = HashSet::new();
    rest(segments, 0, uri, 0, &mut values, &mut failed).then_some(())?;
    values.reverse();
    Some(values)
}

/// Whether `segments[at..]` have exactly `uri[from..]`; then `values` gains their variables, last first.
/// What failed once is not tried again, so the work is bounded by segments × bytes.
fn rest(
    segments: &'static [Segment],
    at: usize,
    uri: &str,
    from: usize,
    values: &mut Vec<(&'static str, String)>,
    failed: &mut HashSet<(usize, usize)>,
) -> bool {
    let text = &uri[from..];
    let (name, reserved) = match segments.get(at) {
        None => return text.is_empty(),
        Some(Segment::Literal(literal)) => {
            return text.starts_with(literal) && rest(segments, at + 1, uri, from + literal.len(), values, failed);
        }
        Some(Segment::Variable(name)) => (*name, false),
        Some(Segment::Reserved(name)) => (*name, true),
    };
    if failed.contains(&(at, from)) {
        return false;
    }
    // A value ends where the next literal begins, or at the end.
    let ends: Vec<usize> = match segments.get(at + 1) {
        // Not `match_indices`: a literal may stand in itself, and each place counts.
        Some(Segment::Literal(literal)) => {
            text.char_indices().map(|(index, _)| index).filter(|index| text[*index..].starts_with(literal)).collect()
        }
        Some(_) => Vec::new(),
        None => vec![text.len()],
    };
    // A plain variable ends at the first place it can, one that takes slashes at the last.
    let matched = if reserved {
        ends.into_iter().rev().find_map(|end| {
            value(&text[..end], true)
                .map(|value| (end, value))
                .filter(|(end, _)| rest(segments, at + 1, uri, from + end, values, failed))
        })
    } else {
        let slash = text.find('/').unwrap_or(text.len());
        ends.into_iter().take_while(|end| *end <= slash).find_map(|end| {
            value(&text[..end], false)
                .map(|value| (end, value))
                .filter(|(end, _)| rest(segments, at + 1, uri, from + end, values, failed))
        })
    };
    match matched {
        Some((_, value)) => {
            values.push((name, value));
            true
        }
        None => {
            failed.insert((at, from));
            false
        }
    }
}

/// A value, decoded, where it may be one.
fn value(text: &str, reserved: bool) -> Option<String> {
    if text.is_empty() {
        return None;
    }
    let value = decode(text)?;
    let is_segment = || !value.contains('/') && value != "." && value.split('\\').all(|part| part != "..");
    let allowed = !value.contains('\0') && (reserved || is_segment());
    allowed.then_some(value)
}

/// Percent-decoding, once; `None` where a `%` is no escape or the bytes are no UTF-8.
pub(super) fn decode(text: &str) -> Option<String> {
    if !text.contains('%') {
        return Some(text.to_owned());
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let high = char::from(rest.next()?).to_digit(16)?;
            let low = char::from(rest.next()?).to_digit(16)?;
            bytes.push(u8::try_from(high * 16 + low).ok()?);
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Segment, match_uri};

    const SQUARE: &[Segment] = &[Segment::Literal("calc://square/"), Segment::Variable("n")];
    const FILE: &[Segment] = &[Segment::Literal("file:///"), Segment::Reserved("path")];
    const NAMED: &[Segment] =
        &[Segment::Reserved("path"), Segment::Literal("/"), Segment::Variable("name"), Segment::Literal(".txt")];
    const OVERLAPPING: &[Segment] =
        &[Segment::Literal("x://"), Segment::Reserved("p"), Segment::Literal("/a/"), Segment::Variable("q")];
    const TWO: &[Segment] =
        &[Segment::Literal("x://"), Segment::Variable("a"), Segment::Literal("-"), Segment::Variable("b")];

    fn check(segments: &'static [Segment], uri: &str, expected: Option<&[(&'static str, &str)]>) {
        let expected =
            expected.map(|values| values.iter().map(|(name, text)| (*name, (*text).to_owned())).collect::<Vec<_>>());
        assert_eq!(match_uri(segments, uri), expected, "{uri}");
    }

    #[test]
    fn a_uri_gives_its_variables() {
        check(SQUARE, "calc://square/12", Some(&[("n", "12")]));
        check(SQUARE, "calc://square/a%20b%25", Some(&[("n", "a b%")]));
        check(SQUARE, "calc://square/%C3%A9", Some(&[("n", "é")]));
        check(SQUARE, "calc://square/...", Some(&[("n", "...")]));
        for refused in ["", "1/2", "a%2Fb", "..", "%2e%2E", ".", "%", "%zz", "%ff", "a%00", "a%5C..%5Cb", "..\\b"] {
            check(SQUARE, &format!("calc://square/{refused}"), None);
        }
        check(SQUARE, "calc://cube/12", None);
        check(FILE, "file:///a/../b%2Fc", Some(&[("path", "a/../b/c")]));
        check(NAMED, "a/b/c.txt", Some(&[("path", "a/b"), ("name", "c")]));
        check(NAMED, "a/b/c.txt.txt", Some(&[("path", "a/b"), ("name", "c.txt")]));
        check(NAMED, "c.txt", None);
        check(OVERLAPPING, "x://b/a/a/c", Some(&[("p", "b/a"), ("q", "c")]));
        check(OVERLAPPING, "x://b/a/c", Some(&[("p", "b"), ("q", "c")]));
        check(TWO, "x://1-2-3", Some(&[("a", "1"), ("b", "2-3")]));
        check(TWO, "x://1", None);
    }

    fn encode(text: &str) -> String {
        text.bytes()
            .map(
                |byte| {
                    if byte.is_ascii_alphanumeric() { char::from(byte).to_string() } else { format!("%{byte:02X}") }
                },
            )
            .collect()
    }

    proptest! {
        #[test]
        fn what_was_encoded_comes_back(a in "[^/\0]{1,20}", b in "[^/\0]{1,20}") {
            let is_segment = |text: &str| text != "." && text.split('\\').all(|part| part != "..");
            prop_assume!(is_segment(&a) && is_segment(&b));
            let uri = format!("x://{}-{}", encode(&a), encode(&b));
            prop_assert_eq!(match_uri(TWO, &uri), Some(vec![("a", a), ("b", b)]));
        }

        #[test]
        fn no_uri_panics_and_no_plain_variable_holds_a_slash(uri in ".{0,60}") {
            for segments in [SQUARE, FILE, NAMED, TWO] {
                for uri in [uri.clone(), format!("x://{uri}"), format!("calc://square/{uri}"), format!("{uri}.txt")] {
                    for (name, value) in match_uri(segments, &uri).unwrap_or_default() {
                        prop_assert!(!value.is_empty());
                        prop_assert!(name == "path" || !value.contains('/'));
                    }
                }
            }
        }
    }

    #[test]
    fn work_is_bounded() {
        const MANY: &[Segment] = &[
            Segment::Reserved("path"),
            Segment::Literal("-"),
            Segment::Reserved("b"),
            Segment::Literal("-"),
            Segment::Reserved("c"),
            Segment::Literal("!"),
        ];
        assert_eq!(match_uri(MANY, &"-".repeat(500)), None);
        assert_eq!(match_uri(MANY, &format!("{}!", "-".repeat(1_000_000))), None);
    }
}
