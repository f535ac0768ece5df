//! JSON-RPC errors, and the codes that the standard gives them.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::RawJson;

/// The codes of JSON-RPC and of the protocol that a server sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorCode {
    /// -32700: not JSON.
    ParseError,
    /// -32600: JSON, but no request.
    InvalidRequest,
    /// -32601: no such method, or one whose capability is not offered.
    MethodNotFound,
    /// -32602: the parameters do not fit, or name a thing that is not there.
    InvalidParams,
    /// -32603: the server failed.
    InternalError,
    /// A resource that is not there: its number depends on the version.
    ResourceNotFound,
    /// -32020: a header does not say what the message says (2026-07-28, HTTP).
    HeaderMismatch,
    /// -32021: the request needs something that the client did not say it can do (2026-07-28).
    MissingClientCapability,
    /// -32022: a version that the server does not speak (2026-07-28).
    UnsupportedVersion,
}

impl ErrorCode {
    /// The number on the wire in the newest version.
    pub const fn number(self) -> i64 {
        match self {
            Self::ParseError => -32700,
            Self::InvalidRequest => -32600,
            Self::MethodNotFound => -32601,
            Self::InvalidParams | Self::ResourceNotFound => -32602,
            Self::InternalError => -32603,
            Self::HeaderMismatch => -32020,
            Self::MissingClientCapability => -32021,
            Self::UnsupportedVersion => -32022,
        }
    }
}

/// The refusal of one request: what its `error` member says.
///
/// The message and the data go to the client as they are: no paths, no traces, no names of the server's insides.
#[derive(Clone, Debug, PartialEq)]
pub struct RpcError {
    /// Which kind of refusal.
    pub code: ErrorCode,
    /// One sentence.
    pub message: String,
    /// More for a program to read.
    pub data: Option<RawJson>,
}

impl RpcError {
    /// A refusal without data.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), data: None }
    }

    /// -32602 with a message.
    pub fn invalid_params(message: impl Into<String>) -> Self {
        Self::new(ErrorCode::InvalidParams, message)
    }

    /// -32600 with a message.
    pub fn invalid_request(message: impl Into<String>) -> Self {
        Self::new(ErrorCode::InvalidRequest, message)
    }

    /// -32603 with a message.
    pub fn internal(message: impl Into<String>) -> Self {
        Self::new(ErrorCode::InternalError, message)
    }

    /// The same refusal with `data`.
    #[must_use]
    pub fn with_data(mut self, data: serde_json::Value) -> Self {
        self.data = Some(data.into());
        self
    }
}

impl fmt::Display for RpcError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for RpcError {}

/// The `error` member as it stands on the wire.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct ErrorObject {
    pub(crate) code: i64,
    pub(crate) message: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) data: Option<RawJson>,
}
