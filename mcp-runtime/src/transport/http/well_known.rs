//! What is open to everybody: whether the server is up, and whose tokens it takes.

use axum::routing::{MethodRouter, get};
use bytes::Bytes;
use http::{HeaderValue, StatusCode, header};

use super::{
    body::ReplyBody,
    rejection::{Rejection, json},
};

/// GET and HEAD say that the server is up.
pub(super) fn health<S: Clone + Send + Sync + 'static>() -> MethodRouter<S> {
    get(async || -> http::Response<ReplyBody> { json(StatusCode::OK, r#"{"status":"ok"}"#) })
        .fallback(async || Rejection::OnlyGetOrHead)
}

/// GET and HEAD give a document of RFC 9728; pages of every origin may read it.
pub(super) fn document<S: Clone + Send + Sync + 'static>(body: String) -> MethodRouter<S> {
    let body = Bytes::from(body);
    get(async move || -> http::Response<ReplyBody> {
        let mut response = json(StatusCode::OK, body.clone());
        response.headers_mut().insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
        response
    })
    .fallback(async || Rejection::OnlyGetOrHead)
}
