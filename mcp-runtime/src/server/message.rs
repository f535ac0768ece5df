//! One message as it came: read once, told apart by era, and answered by nobody yet.

use std::borrow::Cow;

use serde_json::value::RawValue;

use super::{
    mirrored::HeaderLines,
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
    Http(&'a dyn HeaderLines),
}

/// A message that was read.
pub(crate) struct Message<'a>(pub(super) Content<'a>);

pub(super) enum Content<'a> {
    Single(Single<'a>),
    Batch(&'a str),
}

/// One message, its parameters split.
pub(super) struct Single<'a> {
    pub(super) id: Option<Id<'a>>,
    pub(super) body: Body<'a>,
    pub(super) era: Era,
}

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
            return Ok(Self(Content::Batch(text)));
        }
        Ok(Self(Content::Single(Single::read(text, binding)?)))
    }

    /// Whether its answer is a stream without an end of its own.
    #[cfg(feature = "http")]
    pub(crate) fn listens(&self) -> bool {
        let Content::Single(Single { id: Some(_), era: Era::Own(_), body: Body::Call { method, .. } }) = &self.0 else {
            return false;
        };
        Method::parse(method) == Some(Method::Listen)
    }

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
