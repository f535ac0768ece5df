//! The handshake: which version a client and this server speak, and what each says of itself.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::{
    dispatch::{missing, read_owned, read_params},
    registry::Registry,
};
use crate::{
    protocol::{ClientCapabilities, Implementation, InitializeResult, ProtocolVersion, RpcError, adapt::Lower},
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
    let params: Params<'_> = read_params(params.ok_or_else(|| missing("params.protocolVersion"))?)?;
    let capabilities = match params.capabilities {
        Some(raw) => object::<ClientCapabilities>("params.capabilities", raw)?,
        None => ClientCapabilities::default(),
    };
    let client_info = params.client_info.map(|raw| object::<Implementation>("params.clientInfo", raw)).transpose()?;
    let version = ProtocolVersion::negotiate(&params.protocol_version);
    if !session.agree(Agreed { version, client_info, capabilities }) {
        return Err(RpcError::invalid_request("this session is initialized already"));
    }
    let mut result = InitializeResult {
        protocol_version: version.as_str().to_owned(),
        capabilities: registry.capabilities(),
        server_info: registry.info().clone(),
        instructions: registry.instructions().map(str::to_owned),
    };
    result.lower(version);
    Ok(result)
}

/// An object as a `T`: serde would take an array for a struct.
fn object<T: serde::de::DeserializeOwned>(member: &str, raw: &RawValue) -> Result<T, RpcError> {
    if !raw.get().starts_with('{') {
        return Err(RpcError::invalid_params(format!("`{member}` must be an object")));
    }
    read_owned(raw)
}
