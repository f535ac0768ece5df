//! JSON-RPC: the envelope of a message, parsed borrowed, and the frame of an answer.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::value::RawValue;

use super::{
    ProtocolVersion,
    error::{ErrorCode, RpcError},
    read::{Verdict, check_members, inner, raw},
    write::write,
};

/// One message, its parts still text.
#[derive(Debug)]
pub(crate) struct Envelope<'a> {
    pub(crate) id: Option<Id<'a>>,
    pub(crate) kind: Kind<'a>,
}

/// What a message is.
#[derive(Debug)]
pub(crate) enum Kind<'a> {
    /// A request, or a notification where there is no id.
    Call { method: Cow<'a, str>, params: Option<&'a RawValue> },
    /// An answer to a request of ours: its result, or its error.
    Answer(Result<&'a RawValue, &'a RawValue>),
    /// A notification that does not fit.
    Ignored,
}

/// A request's id as the client wrote it: it goes back to the letter, whatever its size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Id<'a>(&'a str);

impl<'a> Id<'a> {
    /// The JSON text: a string or an integer.
    pub(crate) fn as_str(self) -> &'a str {
        self.0
    }

    /// An id that was parsed before, and kept as its text.
    pub(crate) fn of(text: &'a str) -> Self {
        Self(text)
    }

    /// A string, or an integer of any number of digits; not null, not a fraction.
    fn parse(text: &'a str) -> Option<Self> {
        let digits = text.strip_prefix('-').unwrap_or(text);
        let fits = text.starts_with('"') || (!digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()));
        fits.then_some(Self(text))
    }
}

/// Why a text is no message, with the id where that could be read.
#[derive(Debug)]
pub(crate) struct Malformed<'a> {
    pub(crate) id: Option<Id<'a>>,
    pub(crate) error: RpcError,
}

impl Malformed<'_> {
    pub(crate) fn parse_error(message: &str) -> Self {
        Self { id: None, error: RpcError::new(ErrorCode::ParseError, message) }
    }

    pub(crate) fn invalid_request(message: &str) -> Self {
        Self { id: None, error: RpcError::invalid_request(message) }
    }
}

#[cfg(feature = "http")]
impl Malformed<'_> {
    /// Writes the refusal for a client whose version nobody knows: an id that could not be read is null.
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        write_error(out, self.id, &self.error, ProtocolVersion::WITH_HANDSHAKE[0]);
    }
}

impl<'a> Envelope<'a> {
    /// Takes one message apart.
    ///
    /// Members are case-sensitive; those of JSON-RPC may stand once; others are passed over.
    pub(crate) fn parse(text: &'a str) -> Result<Self, Malformed<'a>> {
        let mut members = Members::default();
        match check_members(text, |name, value| members.take(name, value)) {
            Verdict::Object => members.into_envelope(),
            Verdict::OtherValue => Err(Malformed::invalid_request("a message is a JSON object")),
            Verdict::Invalid => Err(Malformed::parse_error("the message is not valid JSON")),
        }
    }
}

/// The members as JSON text.
#[derive(Default)]
struct Members<'a> {
    jsonrpc: Option<&'a str>,
    id: Option<&'a str>,
    method: Option<&'a str>,
    params: Option<&'a str>,
    result: Option<&'a str>,
    error: Option<&'a str>,
    /// A member that stood twice: the id, if it is among them.
    repeated: Option<&'static str>,
}

impl<'a> Members<'a> {
    fn take(&mut self, name: &str, value: &'a str) {
        let (slot, name) = match name {
            "jsonrpc" => (&mut self.jsonrpc, "jsonrpc"),
            "id" => (&mut self.id, "id"),
            "method" => (&mut self.method, "method"),
            "params" => (&mut self.params, "params"),
            "result" => (&mut self.result, "result"),
            "error" => (&mut self.error, "error"),
            _ => return,
        };
        if slot.replace(value).is_some() && self.repeated != Some("id") {
            self.repeated = Some(name);
        }
    }

    fn into_envelope(self) -> Result<Envelope<'a>, Malformed<'a>> {
        let id = self.id.map(Id::parse);
        // Of two ids neither is the request's.
        let known = id.flatten().filter(|_| self.repeated != Some("id"));
        let refuse = |message: String| Err(Malformed { id: known, error: RpcError::invalid_request(message) });
        if let Some(member) = self.repeated {
            return refuse(format!("the member `{member}` stands twice"));
        }
        if self.jsonrpc.is_none_or(|version| version != r#""2.0""#) {
            return refuse("`jsonrpc` must be \"2.0\"".to_owned());
        }
        if id == Some(None) {
            // An answer to an unreadable request of ours has a null id; there is nobody to tell.
            return refuse("`id` must be a string or an integer".to_owned());
        }
        let Some(method) = self.method else {
            return match (self.result.and_then(raw), self.error.and_then(raw)) {
                (Some(result), None) if known.is_some() => Ok(Envelope { id: known, kind: Kind::Answer(Ok(result)) }),
                (None, Some(error)) if known.is_some() => Ok(Envelope { id: known, kind: Kind::Answer(Err(error)) }),
                _ => refuse("a message has a `method`, or an `id` with a `result` or an `error`".to_owned()),
            };
        };
        let Some(method) = text_in(method) else {
            return refuse("`method` must be a string".to_owned());
        };
        // Null is no params object, but clients that write one mean none.
        let params = match self.params {
            Some("null") => None,
            params => params,
        };
        if params.is_some_and(|params| !params.starts_with('{')) {
            return match known {
                Some(_) => Err(Malformed { id: known, error: RpcError::invalid_params("`params` must be an object") }),
                // A notification is never answered, whatever is wrong with it.
                None => Ok(Envelope { id: None, kind: Kind::Ignored }),
            };
        }
        Ok(Envelope { id: known, kind: Kind::Call { method, params: params.and_then(raw) } })
    }
}

/// The text of a JSON string, borrowed where it has no escapes.
pub(crate) fn text_of(raw: &RawValue) -> Option<Cow<'_, str>> {
    text_in(raw.get())
}

fn text_in(json: &str) -> Option<Cow<'_, str>> {
    match inner(json) {
        Some(text) => Some(Cow::Borrowed(text)),
        None => serde_json::from_str(json).ok().map(Cow::Owned),
    }
}

/// Writes the answer to `id`, its result written by `result`.
pub(crate) fn write_result<T: Serialize + ?Sized>(out: &mut Vec<u8>, id: Id<'_>, result: &T) {
    let start = out.len();
    write_opening(out, id);
    if let Err(error) = write(out, result) {
        out.truncate(start);
        return write_unwritable(out, id, &error);
    }
    out.push(b'}');
}

/// Writes, in place of a result that is no JSON, that there is none.
pub(crate) fn write_unwritable(out: &mut Vec<u8>, id: Id<'_>, error: &serde_json::Error) {
    tracing::error!(%error, "a result could not be written as JSON");
    let refusal = RpcError::internal("the result could not be written as JSON");
    write_error(out, Some(id), &refusal, ProtocolVersion::LATEST_WITH_HANDSHAKE);
}

/// Gives a refusal without an id a null one.
#[cfg(feature = "http")]
pub(crate) fn with_null_id(refusal: &mut Vec<u8>) {
    const WITHOUT: &[u8] = br#"{"jsonrpc":"2.0","error":"#;
    if refusal.starts_with(WITHOUT) {
        refusal.splice(..WITHOUT.len(), br#"{"jsonrpc":"2.0","id":null,"error":"#.iter().copied());
    }
}

/// Takes the line breaks out of JSON text: they may stand in it as blanks, where somebody else has written it, and would
/// end a line, or a line of an event, on the wire.
pub(crate) fn flatten(json: &mut [u8], from: usize) {
    let mut rest = &mut json[from..];
    while let Some(index) = memchr::memchr2(b'\n', b'\r', rest) {
        rest[index] = b' ';
        rest = &mut rest[index + 1..];
    }
}

/// Bytes around the id and the result of an answer, and some more.
const OPENING: usize = 40;

/// Bytes that most answers keep to: set aside at once, they are not moved while they grow.
const USUAL: usize = 256;

/// Writes the answer to `id`, its result being JSON text already.
pub(crate) fn write_raw_result(out: &mut Vec<u8>, id: Id<'_>, result: &[u8]) {
    out.reserve(id.as_str().len() + USUAL.max(result.len() + OPENING));
    write_opening(out, id);
    out.extend_from_slice(result);
    out.push(b'}');
}

/// Writes the beginning of the answer to `id`; its result and a brace are missing.
pub(crate) fn write_opening(out: &mut Vec<u8>, id: Id<'_>) {
    out.reserve(id.as_str().len() + USUAL);
    out.extend_from_slice(br#"{"jsonrpc":"2.0","id":"#);
    out.extend_from_slice(id.as_str().as_bytes());
    out.extend_from_slice(br#","result":"#);
}

/// Writes a refusal; where the id could not be read it is null, or left out where the version says so.
pub(crate) fn write_error(out: &mut Vec<u8>, id: Option<Id<'_>>, error: &RpcError, version: ProtocolVersion) {
    out.extend_from_slice(br#"{"jsonrpc":"2.0""#);
    match id {
        Some(id) => {
            out.extend_from_slice(br#","id":"#);
            out.extend_from_slice(id.as_str().as_bytes());
        }
        None if version.may_omit_error_id() => {}
        None => out.extend_from_slice(br#","id":null"#),
    }
    out.extend_from_slice(br#","error":"#);
    // Writing to memory what holds only strings, numbers and JSON text cannot fail.
    drop(write(out, &super::adapt::error_object(error, version)));
    out.push(b'}');
}

#[cfg(test)]
mod tests {
    use super::{Envelope, Kind};

    /// The message as `id method params`, or the refusal as `id code`.
    fn read(text: &str) -> String {
        match Envelope::parse(text) {
            Ok(envelope) => {
                let id = envelope.id.map_or("-", |id| id.as_str());
                match envelope.kind {
                    Kind::Call { method, params } => {
                        format!("{id} {method} {}", params.map_or("-", |raw| raw.get()))
                    }
                    Kind::Answer(Ok(result)) => format!("{id} answer {result}"),
                    Kind::Answer(Err(error)) => format!("{id} error {error}"),
                    Kind::Ignored => "ignored".to_owned(),
                }
            }
            Err(malformed) => {
                format!("{} {}", malformed.id.map_or("-", |id| id.as_str()), malformed.error.code.number())
            }
        }
    }

    #[test]
    fn messages_are_taken_apart_and_others_refused() {
        let check = |text: &str, expected: &str| assert_eq!(read(text), expected, "{text}");
        check(r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#, "1 ping -");
        check(r#" {"method":"a\/b","id":"x","jsonrpc":"2.0","params":{"a":[1]}} "#, r#""x" a/b {"a":[1]}"#);
        check(r#"{"jsonrpc":"2.0","method":"n","params":null}"#, "- n -");
        check(r#"{"jsonrpc":"2.0","id":7,"result":{}}"#, "7 answer {}");
        check(r#"{"jsonrpc":"2.0","id":7,"error":{"code":1}}"#, r#"7 error {"code":1}"#);
        check(r#"{"jsonrpc":"2.0","id":7,"error":{},"result":{}}"#, "7 -32600");
        let digits = "9".repeat(400);
        check(&format!(r#"{{"jsonrpc":"2.0","id":{digits},"method":"m"}}"#), &format!("{digits} m -"));
        check(r#"{"jsonrpc":"2.0","id":-1,"method":"m","extra":{"id":2}}"#, "-1 m -");

        for id in ["null", "1.5", "1e3", "true", "{}", "[1]", "-"] {
            let expected = if id == "-" { "- -32700" } else { "- -32600" };
            check(&format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"m"}}"#), expected);
        }
        check(r#"{"jsonrpc":"2.0","id":1,"id":2,"method":"m"}"#, "- -32600");
        check(r#"{"jsonrpc":"2.0","id":1,"id":2,"method":"m","method":"n"}"#, "- -32600");
        check(r#"{"jsonrpc":"2.0","method":"m","method":"n","id":1,"id":2}"#, "- -32600");
        check(r#"{"jsonrpc":"2.0","id":1,"method":"m","method":"n"}"#, "1 -32600");
        check(r#"{"jsonrpc":"2.0","id":1,"METHOD":"m"}"#, "1 -32600");
        check(r#"{"jsonrpc":"1.0","id":1,"method":"m"}"#, "1 -32600");
        check(r#"{"id":1,"method":"m"}"#, "1 -32600");
        check(r#"{"jsonrpc":"2.0","id":1,"method":5}"#, "1 -32600");
        check(r#"{"jsonrpc":"2.0","id":1,"method":"m","params":[1]}"#, "1 -32602");
        check(r#"{"jsonrpc":"2.0","method":"m","params":[1]}"#, "ignored");
        check(r#"{"jsonrpc":"2.0","result":{}}"#, "- -32600");
        check("5", "- -32600");
        check(r#""text""#, "- -32600");
        check("null", "- -32600");
        check("", "- -32700");
        check("{", "- -32700");
        check(r#"{"jsonrpc":"2.0","id":1,"method":"m"} x"#, "- -32700");
        check(r#"{"jsonrpc":"2.0","id":NaN,"method":"m"}"#, "- -32700");
        check(r#"{"jsonrpc":"2.0",/*c*/"id":1,"method":"m"}"#, "- -32700");
    }

    #[test]
    fn deep_nesting_is_passed_over_or_refused_and_never_overflows() {
        let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
        assert_eq!(read(&format!(r#"{{"jsonrpc":"2.0","id":1,"method":"m","extra":{deep}}}"#)), "1 m -");
    }
}
