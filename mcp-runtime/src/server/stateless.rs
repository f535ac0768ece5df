//! Requests that speak for themselves (2026-07-28): which they are, and what must be true of each before it is looked at.

use super::{
    message::{Binding, Body},
    mirrored::{self, HeaderLines, Line},
    nearest::excerpt,
    params::Params,
};
use crate::protocol::{
    ErrorCode, ProtocolVersion, RpcError,
    jsonrpc::{Id, text_of},
    method::{Method, Naming},
};

/// By what a message is read and answered.
#[derive(Debug)]
pub(super) enum Era {
    /// By what its session has settled.
    Session,
    /// By what it says itself: this version.
    Own(ProtocolVersion),
    /// By nothing: it speaks for itself, and contradicts itself, or leaves something out.
    Refused(RpcError),
}

const VERSION_HEADER: &str = "mcp-protocol-version";
const METHOD_HEADER: &str = "mcp-method";
const NAME_HEADER: &str = "mcp-name";

/// Tells a message's era, and goes through the first steps of the ladder that the standard has for those of the new one:
/// the version, then the headers.
pub(super) fn era(id: Option<Id<'_>>, body: &Body<'_>, binding: Binding<'_>) -> Era {
    let Body::Call { method, params, .. } = body else { return Era::Session };
    let (line, headers) = match binding {
        Binding::HttpSse => return Era::Session,
        Binding::Pipe => (Line::Absent, None),
        Binding::Http { version, headers } => (version, Some((version, headers))),
    };
    let said = params.as_ref().ok().and_then(|params| params.meta.protocol_version);
    let is_stateless = |line| matches!(line, Line::Says(said) if ProtocolVersion::parse(said).is_some_and(ProtocolVersion::is_stateless));
    if id.is_none() {
        // No notification of the new era goes over HTTP; over a pipe they say of which request they speak.
        let own = headers.is_some() && (said.is_some() || is_stateless(line));
        return if own { Era::Own(ProtocolVersion::STATELESS[0]) } else { Era::Session };
    }
    if said.is_none() {
        return match line {
            Line::Absent => Era::Session,
            line if is_stateless(line) => Era::Refused(match params {
                Err(error) => error.clone(),
                Ok(_) => RpcError::invalid_params(
                    "`params._meta` must have `io.modelcontextprotocol/protocolVersion` and `io.modelcontextprotocol/clientCapabilities`",
                ),
            }),
            Line::Says(said) if ProtocolVersion::parse(said).is_some() => Era::Session,
            Line::Says(said) => Era::Refused(unsupported(said)),
            Line::Garbled => Era::Refused(mirrored::mismatch(VERSION_HEADER, line)),
        };
    }
    match params.as_ref().map_err(Clone::clone).and_then(|params| climb(method, params, headers)) {
        Ok(version) => Era::Own(version),
        Err(error) => Era::Refused(error),
    }
}

fn climb(
    method: &str,
    params: &Params<'_>,
    headers: Option<(Line<'_>, &dyn HeaderLines)>,
) -> Result<ProtocolVersion, RpcError> {
    if let Some((Line::Absent, _)) = headers {
        return Err(mirrored::mismatch(VERSION_HEADER, Line::Absent));
    }
    let said = params.meta.protocol_version.and_then(text_of).ok_or_else(|| {
        RpcError::invalid_params("`params._meta[\"io.modelcontextprotocol/protocolVersion\"]` must be a string")
    })?;
    if !params.meta.client_capabilities.is_some_and(|raw| raw.get().starts_with('{')) {
        return Err(RpcError::invalid_params(
            "`params._meta[\"io.modelcontextprotocol/clientCapabilities\"]` must be an object",
        ));
    }
    if let Some((line, _)) = headers {
        mirrored::expect(line, VERSION_HEADER, &said)?;
    }
    let version = ProtocolVersion::parse(&said).filter(|version| version.is_stateless());
    let version = version.ok_or_else(|| unsupported(&said))?;
    if let Some((_, headers)) = headers {
        mirrored::expect(headers.method(), METHOD_HEADER, method)?;
        let named = match Method::parse(method).and_then(Method::names_by) {
            Some(Naming::Name) => params.name,
            Some(Naming::Uri) => params.uri,
            Some(Naming::TaskId) => params.task_id,
            None => return Ok(version),
        };
        // One that is missing is refused for that, in better words.
        if let Some(named) = mirrored::text(named) {
            mirrored::expect_encoded(headers.name(), NAME_HEADER, &named)?;
        }
    }
    Ok(version)
}

/// The refusal of a version, with those that can be asked for.
fn unsupported(said: &str) -> RpcError {
    let supported = ProtocolVersion::STATELESS.map(ProtocolVersion::as_str);
    let message = format!("this server speaks {} to whoever does not shake hands", supported.join(", "));
    RpcError::new(ErrorCode::UnsupportedVersion, message)
        .with_data(serde_json::json!({ "supported": supported, "requested": excerpt(said) }))
}
