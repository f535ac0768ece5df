//! Results that ask before they can be complete (2026-07-28, "Multi round-trip requests").

use serde::{Serialize, Serializer};

use super::RawJson;

/// What a client is asked before its request can be answered; it comes back with the answers.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct InputRequiredResult {
    /// The questions, each under a key of its own.
    #[serde(serialize_with = "as_map")]
    pub(crate) input_requests: InputRequests,
    /// What the client gives back as it is.
    pub(crate) request_state: String,
}

/// Questions, each under a key of its own.
pub(crate) type InputRequests = Vec<(String, InputRequest)>;

/// One question: what would be a request of the server's, where there are such.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct InputRequest {
    /// E.g. `elicitation/create`.
    pub(crate) method: &'static str,
    /// Its parameters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) params: Option<RawJson>,
}

pub(super) fn as_map<S: Serializer>(requests: &[(String, InputRequest)], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(requests.iter().map(|(key, request)| (key, request)))
}
