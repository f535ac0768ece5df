//! What is open to everybody: whether the server is up.

use axum::routing::{MethodRouter, get};
use http::StatusCode;

use super::{
    body::ReplyBody,
    rejection::{Rejection, json},
};

/// GET and HEAD say that the server is up.
pub(super) fn health<S: Clone + Send + Sync + 'static>() -> MethodRouter<S> {
    get(async || -> http::Response<ReplyBody> { json(StatusCode::OK, r#"{"status":"ok"}"#) })
        .fallback(async || Rejection::OnlyGetOrHead)
}
