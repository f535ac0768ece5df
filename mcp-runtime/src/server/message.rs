//! One message as it came: read once, told apart by era, and answered by nobody yet.

use std::{borrow::Cow, fmt};

use serde::{
    Deserializer,
    de::{IgnoredAny, SeqAccess, Visitor},
};
use serde_json::value::RawValue;

use super::{
    mirrored::{HeaderLines, Line},
    params::Params,
    stateless::{self, Era},
};
use crate::{
    limits::Limits,
    protocol::{
        RpcError,
        jsonrpc::{Envelope, Id, Kind, Malformed},
        method::Method,
    },
};

/// How a message came: that decides of which eras it may be.
#[derive(Clone, Copy)]
pub(crate) enum Binding<'a> {
    /// HTTP+SSE, which knows versions with a handshake only.
    #[cfg_attr(not(feature = "http"), expect(dead_code, reason = "only a listener has it"))]
    HttpSse,
    /// A pipe, or memory: the message says all.
    Pipe,
    /// Streamable HTTP, whose headers repeat parts of the message.
    #[cfg_attr(not(feature = "http"), expect(dead_code, reason = "only a listener has headers"))]
    Http {
        /// `MCP-Protocol-Version`, which is asked for more than once.
        version: Line<'a>,
        headers: &'a dyn HeaderLines,
    },
}

/// A message that was read.
pub(crate) struct Message<'a>(pub(super) Content<'a>);

#[expect(clippy::large_enum_variant, reason = "it stays where it is made, and no call allocates for it")]
pub(super) enum Content<'a> {
    Single(Single<'a>),
    /// An array, of which no more is kept than may be in one.
    Batch(Vec<&'a RawValue>),
}

/// One message, its parameters split.
pub(super) struct Single<'a> {
    pub(super) id: Option<Id<'a>>,
    pub(super) body: Body<'a>,
    pub(super) era: Era,
}

#[expect(clippy::large_enum_variant, reason = "most are calls, and a box would be one more allocation for each")]
pub(super) enum Body<'a> {
    Call {
        method: Cow<'a, str>,
        raw: Option<&'a RawValue>,
        /// The same, by member; an error where they are none of any method's.
        params: Result<Params<'a>, RpcError>,
    },
    /// An answer to a request of ours.
    Answer(Result<&'a RawValue, &'a RawValue>),
    /// A notification that does not fit.
    Ignored,
}

/// What a message needs around it.
#[cfg(feature = "http")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Belongs {
    /// Nothing: it speaks for itself.
    Nowhere,
    /// It opens a session.
    Opens,
    /// It belongs to a session.
    ToSession,
}

impl<'a> Message<'a> {
    /// Reads one message; an array is told apart later, since only a session says whether it may be one.
    pub(super) fn read(bytes: &'a [u8], binding: Binding<'a>, limits: &Limits) -> Result<Self, Malformed<'a>> {
        let Ok(text) = std::str::from_utf8(bytes) else {
            return Err(Malformed::parse_error("the message is not UTF-8"));
        };
        if let Some(depth) = limits.max_json_depth
            && depth < 128
            && nests_deeper(text, depth)
        {
            return Err(Malformed::invalid_request("the message is nested too deeply"));
        }
        if text.trim_ascii_start().starts_with('[') {
            return Ok(Self(Content::Batch(elements(text, limits.max_batch)?)));
        }
        Ok(Self(Content::Single(Single::read(text, binding)?)))
    }

    /// Whether it asks what the server is, which no function has a part in.
    pub(super) fn is_handshake(&self) -> bool {
        let Content::Single(Single { body: Body::Call { method, .. }, .. }) = &self.0 else { return false };
        matches!(Method::parse(method), Some(Method::Initialize | Method::Discover))
    }

    /// Whether its answer is a stream without an end of its own.
    #[cfg(feature = "http")]
    pub(crate) fn listens(&self) -> bool {
        let Content::Single(Single { id: Some(_), era: Era::Own(_), body: Body::Call { method, .. } }) = &self.0 else {
            return false;
        };
        Method::parse(method) == Some(Method::Listen)
    }

    /// Whether the message asks for nothing but to be told when something ends, however long that takes.
    #[cfg(feature = "http")]
    pub(crate) fn waits(&self) -> bool {
        let Content::Single(Single { id: Some(_), body: Body::Call { method, .. }, .. }) = &self.0 else {
            return false;
        };
        Method::parse(method) == Some(Method::TaskResult)
    }

    /// What the message needs around it.
    #[cfg(feature = "http")]
    pub(crate) fn belongs(&self) -> Belongs {
        let Content::Single(single) = &self.0 else { return Belongs::ToSession };
        match (&single.era, &single.body) {
            (Era::Own(_) | Era::Refused(_), _) => Belongs::Nowhere,
            (Era::Session, Body::Call { method, .. })
                if single.id.is_some() && Method::parse(method) == Some(Method::Initialize) =>
            {
                Belongs::Opens
            }
            (Era::Session, _) => Belongs::ToSession,
        }
    }
}

#[cfg(feature = "http")]
impl<'a> Message<'a> {
    /// The id of a request, for a refusal by whoever carries it.
    pub(crate) fn id(&self) -> Option<Id<'a>> {
        match &self.0 {
            Content::Single(single) if matches!(single.body, Body::Call { .. }) => single.id,
            _ => None,
        }
    }
}

impl<'a> Single<'a> {
    pub(super) fn read(text: &'a str, binding: Binding<'a>) -> Result<Self, Malformed<'a>> {
        let Envelope { id, kind } = Envelope::parse(text)?;
        let body = match kind {
            Kind::Call { method, params: raw } => {
                let params = raw.map_or_else(|| Ok(Params::default()), Params::read);
                Body::Call { method, raw, params }
            }
            Kind::Answer(answer) => Body::Answer(answer),
            Kind::Ignored => Body::Ignored,
        };
        let era = stateless::era(id, &body, binding);
        Ok(Self { id, body, era })
    }
}

/// The elements of an array: `most` of them, and one more where there are more.
fn elements(text: &str, most: Option<usize>) -> Result<Vec<&RawValue>, Malformed<'_>> {
    struct Elements<'a>(Vec<&'a RawValue>, usize);

    impl<'a> Visitor<'a> for Elements<'a> {
        type Value = Vec<&'a RawValue>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an array")
        }

        fn visit_seq<A: SeqAccess<'a>>(mut self, mut seq: A) -> Result<Self::Value, A::Error> {
            while self.0.len() < self.1
                && let Some(element) = seq.next_element()?
            {
                self.0.push(element);
            }
            while seq.next_element::<IgnoredAny>()?.is_some() {}
            Ok(self.0)
        }
    }

    let most = most.map_or(usize::MAX, |most| most.saturating_add(1));
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let elements = deserializer.deserialize_seq(Elements(Vec::new(), most));
    elements
        .and_then(|elements| deserializer.end().map(|()| elements))
        .map_err(|_| Malformed::parse_error("the message is not valid JSON"))
}

/// Whether arrays and objects stand deeper in each other than `depth`.
fn nests_deeper(text: &str, depth: usize) -> bool {
    let (mut now, mut in_string, mut escaped) = (0usize, false, false);
    for byte in text.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            _ if in_string => {}
            b'{' | b'[' => {
                now += 1;
                if now > depth {
                    return true;
                }
            }
            b'}' | b']' => now = now.saturating_sub(1),
            _ => {}
        }
    }
    false
}
