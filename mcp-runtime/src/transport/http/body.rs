//! Bodies: a request's, read within its limits, and a response's.

use std::{
    pin::Pin,
    task::{Context, Poll},
};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use http_body_util::BodyExt;
use hyper::body::Incoming;

use super::{connection::Answering, rejection::Rejection};
use crate::limits::Limits;

/// Reads all of a body, or refuses it.
pub(super) async fn read(body: Incoming, limits: &Limits) -> Result<Bytes, Rejection> {
    let most = limits.max_body_bytes.unwrap_or(usize::MAX);
    match limits.body_read {
        Some(time) => tokio::time::timeout(time, collect(body, most)).await.unwrap_or(Err(Rejection::SlowBody)),
        None => collect(body, most).await,
    }
}

/// Whether a body says of itself that it is too large.
pub(super) fn declares_too_much(body: &impl Body, limits: &Limits) -> bool {
    let declared = body.size_hint().lower();
    limits.max_body_bytes.is_some_and(|most| declared > most as u64)
}

async fn collect(mut body: Incoming, most: usize) -> Result<Bytes, Rejection> {
    /// What is set aside for a body before it has come.
    const AHEAD: u64 = 64 * 1024;
    let Some(first) = next(&mut body).await? else {
        return Ok(Bytes::new());
    };
    if first.len() > most {
        return Err(Rejection::LargeBody);
    }
    // The usual case: all of it in one piece, which is not copied.
    if body.is_end_stream() {
        return Ok(first);
    }
    let mut whole = Vec::with_capacity(first.len() + body.size_hint().lower().min(AHEAD) as usize);
    whole.extend_from_slice(&first);
    drop(first);
    while let Some(piece) = next(&mut body).await? {
        if whole.len() + piece.len() > most {
            return Err(Rejection::LargeBody);
        }
        whole.extend_from_slice(&piece);
    }
    Ok(whole.into())
}

async fn next(body: &mut Incoming) -> Result<Option<Bytes>, Rejection> {
    while let Some(frame) = body.frame().await {
        match frame.map(Frame::into_data) {
            Ok(Ok(data)) => return Ok(Some(data)),
            // Trailers say nothing that is used.
            Ok(Err(_)) => {}
            Err(_) => return Err(Rejection::BrokenBody),
        }
    }
    Ok(None)
}

/// The body of a response.
#[derive(Default)]
pub(super) struct ReplyBody {
    content: Content,
    /// Dropped with the body, when the response is over.
    _answering: Option<Answering>,
}

#[derive(Default)]
enum Content {
    #[default]
    Empty,
    Full(Bytes),
    Routed(axum::body::Body),
}

impl ReplyBody {
    pub(super) fn full(bytes: Bytes) -> Self {
        Self { content: Content::Full(bytes), _answering: None }
    }

    pub(super) fn routed(body: axum::body::Body) -> Self {
        Self { content: Content::Routed(body), _answering: None }
    }

    pub(super) fn until(mut self, answering: Answering) -> Self {
        self._answering = Some(answering);
        self
    }
}

impl Body for ReplyBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let content = &mut self.get_mut().content;
        match content {
            Content::Empty => Poll::Ready(None),
            Content::Full(bytes) => {
                let bytes = std::mem::take(bytes);
                *content = Content::Empty;
                Poll::Ready(Some(Ok(Frame::data(bytes))))
            }
            Content::Routed(body) => Pin::new(body).poll_frame(cx),
        }
    }

    fn is_end_stream(&self) -> bool {
        match &self.content {
            Content::Empty => true,
            Content::Full(bytes) => bytes.is_empty(),
            Content::Routed(body) => body.is_end_stream(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        match &self.content {
            Content::Empty => SizeHint::with_exact(0),
            Content::Full(bytes) => SizeHint::with_exact(bytes.len() as u64),
            Content::Routed(body) => body.size_hint(),
        }
    }
}
