//! What a client and this server say of themselves: the handshake that settles a version, and the discovery that needs none.

use serde::{Deserialize, de::DeserializeOwned};
use serde_json::value::RawValue;

use super::{params, registry::Registry};
use crate::{
    protocol::{
        ClientCapabilities, DiscoverResult, Implementation, InitializeResult, ProtocolVersion, RpcError, adapt::Lower,
    },
    session::{Agreed, Session},
};

/// Answers `initialize` (lifecycle, "Initialization").
///
/// # Errors
/// Where the parameters do not fit, or the session has its version already.
pub(super) fn initialize(
    registry: &Registry,
    session: &Session,
    params: Option<&RawValue>,
) -> Result<InitializeResult, RpcError> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Params<'a> {
        protocol_version: String,
        #[serde(borrow, default)]
        capabilities: Option<&'a RawValue>,
        #[serde(borrow, default)]
        client_info: Option<&'a RawValue>,
    }
    let params: Params<'_> = params::required(params, "params.protocolVersion")?;
    // What a client says of itself is nothing to rest on, and no reason to turn it away.
    let capabilities: ClientCapabilities = described("params.capabilities", params.capabilities)?.unwrap_or_default();
    let client_info: Option<Implementation> = described("params.clientInfo", params.client_info)?;
    let version = ProtocolVersion::negotiate(&params.protocol_version);
    if !session.agree(Agreed { version, client_info, capabilities }) {
        return Err(RpcError::invalid_request("this session is initialized already"));
    }
    let mut result = InitializeResult {
        protocol_version: version.as_str().to_owned(),
        capabilities: registry.capabilities(session.hears()),
        server_info: registry.info().clone(),
        instructions: registry.instructions().map(str::to_owned),
    };
    result.lower(version);
    Ok(result)
}

/// Answers `server/discover` (2026-07-28, "Discovery").
pub(super) fn discover(registry: &Registry) -> DiscoverResult {
    DiscoverResult {
        supported_versions: ProtocolVersion::STATELESS.map(|version| version.as_str().to_owned()).to_vec(),
        capabilities: registry.capabilities(true),
        instructions: registry.instructions().map(str::to_owned),
        caching: registry.caching(),
    }
}

/// An object as a `T`, where it is one.
///
/// # Errors
/// -32602 for anything but an object: serde would take an array for a struct.
fn described<T: DeserializeOwned>(member: &str, raw: Option<&RawValue>) -> Result<Option<T>, RpcError> {
    match raw {
        Some(raw) if !raw.get().starts_with('{') => {
            Err(RpcError::invalid_params(format!("`{member}` must be an object")))
        }
        raw => Ok(raw.and_then(|raw| serde_json::from_str(raw.get()).ok())),
    }
}
