//! The parameters of methods, from raw JSON to their types, refused in words that a client can use.

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::protocol::RpcError;

/// The parameters of a method as a `T`.
///
/// # Errors
/// -32602 in serde's words, without the place in a text that the client did not count.
pub(super) fn read<'a, T: Deserialize<'a>>(raw: &'a RawValue) -> Result<T, RpcError> {
    serde_json::from_str(raw.get()).map_err(|_| {
        let mut deserializer = serde_json::Deserializer::from_str(raw.get());
        let Err(error) = serde_path_to_error::deserialize::<_, T>(&mut deserializer) else {
            return RpcError::invalid_params("invalid params");
        };
        let path = match error.path().to_string() {
            path if path == "." => String::new(),
            path => format!(".{path}"),
        };
        let said = error.inner().to_string();
        let said = said.split(" at line ").next().unwrap_or_default();
        RpcError::invalid_params(format!("`params{}`: {}", beginning(&path), beginning(said)))
    })
}

/// The parameters of a method that cannot do without `member`.
///
/// # Errors
/// -32602 where they are missing or do not fit.
pub(super) fn required<'a, T: Deserialize<'a>>(raw: Option<&'a RawValue>, member: &str) -> Result<T, RpcError> {
    read(raw.ok_or_else(|| RpcError::invalid_params(format!("`{member}` is missing")))?)
}

/// The `progressToken` of a request's `_meta`: a string or a number.
///
/// # Errors
/// -32602 where it is neither, or `_meta` is no object.
pub(super) fn progress_token(meta: Option<&RawValue>) -> Result<Option<&RawValue>, RpcError> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Meta<'a> {
        #[serde(borrow, default)]
        progress_token: Option<&'a RawValue>,
    }
    let Some(meta) = meta else { return Ok(None) };
    if !meta.get().starts_with('{') {
        return Err(RpcError::invalid_params("`params._meta` must be an object"));
    }
    let token = read::<Meta<'_>>(meta)?.progress_token;
    match token {
        Some(token) if token.get().starts_with(['{', '[', 't', 'f']) => {
            Err(RpcError::invalid_params("`params._meta.progressToken` must be a string or a number"))
        }
        token => Ok(token),
    }
}

fn beginning(text: &str) -> &str {
    const MOST: usize = 200;
    text.char_indices().nth(MOST).map_or(text, |(end, _)| &text[..end])
}
