//! Headers that repeat parts of a message (2026-07-28, Streamable HTTP, "Request Headers"): they must say the same.

use std::{borrow::Cow, collections::BTreeMap};

use base64::{Engine, prelude::BASE64_STANDARD};
use serde_json::{Value, value::RawValue};

use super::nearest::excerpt;
use crate::protocol::{ErrorCode, RpcError, jsonrpc::text_of};

/// The header lines of a request that speak of its message.
pub(crate) trait HeaderLines {
    /// `Mcp-Method`.
    fn method(&self) -> Line<'_>;

    /// `Mcp-Name`.
    fn name(&self) -> Line<'_>;

    /// The header of that name, which is in lower case and begins with `mcp-param-`.
    fn param(&self, header: &str) -> Line<'_>;
}

/// What a request has of one header.
#[cfg_attr(not(feature = "http"), allow(dead_code, reason = "only a listener has headers"))]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Line<'a> {
    /// It is not there.
    Absent,
    /// It says this.
    Says(&'a str),
    /// It stands there more than once, or is no visible ASCII.
    Garbled,
}

/// Refuses a request whose header, of which this is the line, does not say `expected` to the letter.
pub(super) fn expect(line: Line<'_>, header: &str, expected: &str) -> Result<(), RpcError> {
    match line {
        Line::Says(said) if said == expected => Ok(()),
        line => Err(mismatch(header, line)),
    }
}

/// Refuses a request whose header does not say `expected`, plainly or in base64.
pub(super) fn expect_encoded(line: Line<'_>, header: &str, expected: &str) -> Result<(), RpcError> {
    match line {
        Line::Says(said) if decoded(said).as_deref() == Some(expected) => Ok(()),
        line => Err(mismatch(header, line)),
    }
}

/// An argument of a tool that a header repeats.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MirroredArgument {
    /// Where it stands: the names of properties, from the root on.
    path: Vec<String>,
    /// `mcp-param-…`, in lower case.
    header: String,
    integer: bool,
}

/// The arguments of a tool that headers repeat, by its input schema.
///
/// # Errors
/// What is wrong with a mark, in words for the operator: a client would leave the tool out of its list.
pub(super) fn arguments(schema: &Value) -> Result<Vec<MirroredArgument>, String> {
    let mut found = Vec::new();
    if !names(schema, MARK) {
        return Ok(found);
    }
    let mut path = Vec::new();
    collect(schema, &mut path, &mut found)?;
    let marked = count(schema);
    if marked > found.len() {
        return Err(format!("{MARK} may stand on properties only, reached through `properties` from the root"));
    }
    for (index, argument) in found.iter().enumerate() {
        if found[..index].iter().any(|other| other.header == argument.header) {
            return Err(format!("{MARK}: two properties are repeated by the header `{}`", argument.header));
        }
    }
    Ok(found)
}

const MARK: &str = "x-mcp-header";

fn collect(schema: &Value, path: &mut Vec<String>, found: &mut Vec<MirroredArgument>) -> Result<(), String> {
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else { return Ok(()) };
    for (name, property) in properties {
        path.push(name.clone());
        if let Some(mark) = property.get(MARK) {
            let header = mark.as_str().filter(|header| is_token(header));
            let Some(header) = header else {
                return Err(format!("{MARK} of `{}` must be the end of a header's name", path.join(".")));
            };
            let integer = match property.get("type").and_then(Value::as_str) {
                Some("integer") => true,
                Some("string" | "boolean") => false,
                _ => {
                    let path = path.join(".");
                    return Err(format!("{MARK}: `{path}` must be a string, an integer or a boolean"));
                }
            };
            let header = format!("mcp-param-{}", header.to_ascii_lowercase());
            found.push(MirroredArgument { path: path.clone(), header, integer });
        }
        collect(property, path, found)?;
        path.pop();
    }
    Ok(())
}

/// Whether anything in the schema has that name.
fn names(schema: &Value, name: &str) -> bool {
    match schema {
        Value::Object(members) => members.iter().any(|(own, member)| own == name || names(member, name)),
        Value::Array(items) => items.iter().any(|item| names(item, name)),
        _ => false,
    }
}

/// How many marks there are, wherever they stand; a property of that name is none.
fn count(schema: &Value) -> usize {
    match schema {
        Value::Object(members) => members
            .iter()
            .map(|(name, member)| match (name.as_str(), member) {
                (MARK, Value::String(_)) => 1,
                ("default" | "const" | "enum" | "examples", _) => 0,
                (_, member) => count(member),
            })
            .sum(),
        Value::Array(items) => items.iter().map(count).sum(),
        _ => 0,
    }
}

fn is_token(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte))
}

impl MirroredArgument {
    /// The header's name, in lower case.
    #[cfg(feature = "http")]
    pub(super) fn header(&self) -> &str {
        &self.header
    }

    /// Refuses a request whose header and argument differ. An argument that is not there needs no header.
    pub(super) fn check(&self, arguments: Option<&RawValue>, headers: &dyn HeaderLines) -> Result<(), RpcError> {
        let Some(arguments) = arguments else { return Ok(()) };
        let line = headers.param(&self.header);
        let Ok(value) = self.find(arguments) else { return Err(mismatch(&self.header, line)) };
        let says = |expected: &dyn Fn(&str) -> bool| match line {
            Line::Says(said) => decoded(said).is_some_and(|said| expected(&said)),
            Line::Absent | Line::Garbled => false,
        };
        let same = match &value {
            None | Some(Value::Null) => true,
            Some(Value::String(text)) => says(&|said| said == text),
            Some(Value::Bool(value)) => says(&|said| said == if *value { "true" } else { "false" }),
            Some(Value::Number(number)) if self.integer => says(&|said| is_same_number(said, &number.to_string())),
            // What the header says is no matter: it does not fit the schema either, which is said in words that help more.
            Some(_) => !matches!(line, Line::Absent),
        };
        if same { Ok(()) } else { Err(mismatch(&self.header, line)) }
    }

    /// The argument, where there is one. Only what leads to it is looked at: what stands beside it may be anything.
    fn find(&self, arguments: &RawValue) -> serde_json::Result<Option<Value>> {
        let mut found = arguments;
        for name in &self.path {
            if !found.get().starts_with('{') {
                return Ok(None);
            }
            let mut members: BTreeMap<Cow<'_, str>, &RawValue> = serde_json::from_str(found.get())?;
            let Some(member) = members.remove(name.as_str()) else { return Ok(None) };
            found = member;
        }
        serde_json::from_str(found.get()).map(Some)
    }
}

/// Whether two decimal texts are one number.
fn is_same_number(said: &str, value: &str) -> bool {
    if let (Ok(said), Ok(value)) = (said.parse::<i128>(), value.parse::<i128>()) {
        return said == value;
    }
    matches!((said.parse::<f64>(), value.parse::<f64>()), (Ok(a), Ok(b)) if a.is_finite() && (a - b).abs() == 0.0)
}

/// A header's value, taken out of its base64 where it is in such; none where that is broken.
fn decoded(value: &str) -> Option<Cow<'_, str>> {
    let encoded = value.strip_prefix("=?base64?").and_then(|rest| rest.strip_suffix("?="));
    match encoded {
        Some(encoded) => String::from_utf8(BASE64_STANDARD.decode(encoded).ok()?).ok().map(Cow::Owned),
        None => Some(Cow::Borrowed(value)),
    }
}

/// The refusal of a request whose header does not say what the message says.
pub(super) fn mismatch(header: &str, line: Line<'_>) -> RpcError {
    let how = match line {
        Line::Absent => "is missing".to_owned(),
        Line::Says(said) => format!("says `{}`, and the message does not", excerpt(said)),
        Line::Garbled => "is not one value".to_owned(),
    };
    RpcError::new(ErrorCode::HeaderMismatch, format!("the header `{header}` {how}"))
}

/// The value of a member as text, for comparing it with a header.
pub(super) fn text(raw: Option<&RawValue>) -> Option<Cow<'_, str>> {
    raw.and_then(text_of)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{HeaderLines, Line, arguments, decoded, expect, expect_encoded};

    struct Headers(&'static [(&'static str, &'static str)]);

    impl HeaderLines for Headers {
        fn method(&self) -> Line<'_> {
            Line::Absent
        }

        fn name(&self) -> Line<'_> {
            Line::Absent
        }

        fn param(&self, header: &str) -> Line<'_> {
            self.0.iter().find(|(given, _)| *given == header).map_or(Line::Absent, |(_, value)| Line::Says(value))
        }
    }

    #[test]
    fn a_value_is_plain_or_in_base64() {
        let check = |value: &str, expected: Option<&str>| assert_eq!(decoded(value).as_deref(), expected, "{value}");
        check("plain", Some("plain"));
        check("=?base64?SGVsbG8=?=", Some("Hello"));
        check("=?base64??=", Some(""));
        check("=?base64?SGVsbG8?=", None);
        check("=?base64?SGVs!!!bG8=?=", None);
        check("=?base64?/w==?=", None);
        check("=?BASE64?SGVsbG8=?=", Some("=?BASE64?SGVsbG8=?="));
        check("=?base64?SGVsbG8=", Some("=?base64?SGVsbG8="));
        check("SGVsbG8=?=", Some("SGVsbG8=?="));
    }

    #[test]
    fn a_header_says_what_the_message_says() {
        let code = |result: Result<(), crate::protocol::RpcError>| result.map_err(|error| error.code.number());
        assert_eq!(code(expect(Line::Says("tools/call"), "mcp-method", "tools/call")), Ok(()));
        assert_eq!(code(expect(Line::Says("tools/call"), "mcp-method", "TOOLS/CALL")), Err(-32020));
        assert_eq!(code(expect(Line::Absent, "mcp-method", "")), Err(-32020));
        assert_eq!(code(expect_encoded(Line::Says("=?base64?YcOp?="), "mcp-name", "aé")), Ok(()));
    }

    #[test]
    fn marks_are_found_and_others_refused() {
        let check = |schema: Value, expected: Result<&[&str], &str>| {
            let found = arguments(&schema);
            match expected {
                Ok(headers) => {
                    let found: Vec<_> = found.unwrap().into_iter().map(|argument| argument.header).collect();
                    assert_eq!(found, headers, "{schema}");
                }
                Err(part) => assert!(found.clone().is_err_and(|error| error.contains(part)), "{schema}: {found:?}"),
            }
        };
        let property = |property: Value| json!({"type": "object", "properties": {"a": property}});
        check(property(json!({"type": "string", "x-mcp-header": "Value"})), Ok(&["mcp-param-value"]));
        check(property(property(json!({"type": "integer", "x-mcp-header": "A-b"}))), Ok(&["mcp-param-a-b"]));
        check(property(json!({"type": "string"})), Ok(&[]));
        check(property(json!({"type": "number", "x-mcp-header": "V"})), Err("must be a string"));
        check(property(json!({"type": "string", "x-mcp-header": "a b"})), Err("header's name"));
        check(property(json!({"type": "string", "x-mcp-header": ""})), Err("header's name"));
        let items = json!({"type": "array", "items": {"type": "string", "x-mcp-header": "V"}});
        check(property(items), Err("properties only"));
        let twice = json!({"properties": {
            "a": {"type": "string", "x-mcp-header": "V"}, "b": {"type": "string", "x-mcp-header": "v"},
        }});
        check(twice, Err("two properties"));
    }

    #[test]
    fn arguments_are_compared_with_their_headers() {
        let schema = json!({"properties": {
            "text": {"type": "string", "x-mcp-header": "Text"},
            "deep": {"type": "object", "properties": {"count": {"type": "integer", "x-mcp-header": "Count"}}},
            "flag": {"type": "boolean", "x-mcp-header": "Flag"},
        }});
        let marked = arguments(&schema).unwrap();
        let check = |headers: &'static [(&'static str, &'static str)], given: Value, fits: bool| {
            let raw = serde_json::value::to_raw_value(&given).unwrap();
            let fitted = marked.iter().all(|argument| argument.check(Some(&raw), &Headers(headers)).is_ok());
            assert_eq!(fitted, fits, "{headers:?} and {given}");
        };
        check(&[], json!({}), true);
        check(&[], json!({"text": null}), true);
        check(&[("mcp-param-text", "x")], json!({}), true);
        check(&[("mcp-param-text", "x")], json!({"text": "x"}), true);
        check(&[("mcp-param-text", "=?base64?eA==?=")], json!({"text": "x"}), true);
        check(&[("mcp-param-text", "y")], json!({"text": "x"}), false);
        check(&[], json!({"text": "x"}), false);
        check(&[("mcp-param-count", "42.0")], json!({"deep": {"count": 42}}), true);
        check(&[("mcp-param-count", "43")], json!({"deep": {"count": 42}}), false);
        check(&[("mcp-param-flag", "true")], json!({"flag": true}), true);
        check(&[("mcp-param-flag", "True")], json!({"flag": true}), false);
        let large = json!({"deep": {"count": 9_007_199_254_740_993_u64}});
        check(&[("mcp-param-count", "9007199254740992")], large, false);
    }

    #[test]
    fn what_stands_beside_an_argument_does_not_hide_it() {
        let schema = json!({"properties": {
            "text": {"type": "string", "x-mcp-header": "Text"},
            "deep": {"type": "object", "properties": {"count": {"type": "integer", "x-mcp-header": "Count"}}},
        }});
        let marked = arguments(&schema).unwrap();
        let says = Headers(&[("mcp-param-text", "x"), ("mcp-param-count", "1")]);
        let check = |given: &str, fits: bool| {
            let raw = serde_json::value::RawValue::from_string(given.to_owned()).unwrap();
            let fitted = marked.iter().all(|argument| argument.check(Some(&raw), &says).is_ok());
            assert_eq!(fitted, fits, "{given}");
        };
        let deep = format!("{}{}", "[".repeat(200), "]".repeat(200));
        for beside in ["1e999", r#""\ud800""#, &deep] {
            check(&format!(r#"{{"text":"x","deep":{{"count":1,"z":{beside}}},"z":{beside}}}"#), true);
            check(&format!(r#"{{"text":"y","z":{beside}}}"#), false);
            check(&format!(r#"{{"deep":{{"count":2}},"z":{beside}}}"#), false);
            check(&format!(r#"{{"deep":{{"count":2,"z":{beside}}}}}"#), false);
        }
        check(r#"{"text":"y","\ud800":1}"#, false);
        check(r#"{"deep":[{"count":2}]}"#, true);
    }
}
