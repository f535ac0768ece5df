//! Bodies: a request's, read within its limits, and a response's.

use std::{
    future::poll_fn,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use http_body_util::LengthLimitError;
use hyper::body::Incoming;

use super::{connection::Answering, event_stream::EventStream, rejection::Rejection};
use crate::limits::Limits;

/// The body of a request.
pub(super) enum RequestBody {
    /// From one of the listener's connections.
    Wire(Incoming),
    /// As an application hands it on.
    Mounted(axum::body::Body),
}

impl RequestBody {
    /// The next piece of data, if there is one in what comes next: trailers say nothing that is used. None at the end.
    // Inlined: what each request does once is not handed through one frame after the other.
    #[inline(always)]
    fn poll_data(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Option<Bytes>, Rejection>>> {
        match self {
            Self::Wire(body) => Pin::new(body).poll_frame(cx).map(|frame| data(frame, |_| Rejection::BrokenBody)),
            Self::Mounted(body) => Pin::new(body).poll_frame(cx).map(|frame| data(frame, rejection_of)),
        }
    }

    /// Whether it is known that nothing comes.
    pub(super) fn is_over(&self) -> bool {
        match self {
            Self::Wire(body) => body.is_end_stream(),
            Self::Mounted(body) => body.is_end_stream() || body.size_hint().exact() == Some(0),
        }
    }

    /// How many bytes it says that it has.
    fn declared(&self) -> u64 {
        match self {
            Self::Wire(body) => body.size_hint().lower(),
            Self::Mounted(body) => body.size_hint().lower(),
        }
    }

    /// Whether it says of itself that it is too large.
    pub(super) fn declares_too_much(&self, limits: &Limits) -> bool {
        limits.max_body_bytes.is_some_and(|most| self.declared() > most as u64)
    }
}

/// For a room that reads none.
impl From<RequestBody> for axum::body::Body {
    fn from(body: RequestBody) -> Self {
        match body {
            RequestBody::Wire(body) => Self::new(body),
            RequestBody::Mounted(body) => body,
        }
    }
}

/// What is wrong with a body that ended in an error: the application may have a bound of its own on bodies.
fn rejection_of(error: axum::Error) -> Rejection {
    match error.into_inner().is::<LengthLimitError>() {
        true => Rejection::LargeBody,
        false => Rejection::BrokenBody,
    }
}

#[inline(always)]
fn data<E>(
    frame: Option<Result<Frame<Bytes>, E>>,
    rejection_of: impl FnOnce(E) -> Rejection,
) -> Option<Result<Option<Bytes>, Rejection>> {
    Some(match frame? {
        Ok(frame) => Ok(frame.into_data().ok()),
        Err(error) => Err(rejection_of(error)),
    })
}

/// Reads all of a body, or refuses it.
pub(super) async fn read(mut body: RequestBody, limits: &Limits) -> Result<Bytes, Rejection> {
    let most = limits.max_body_bytes.unwrap_or(usize::MAX);
    // The usual case: all of it came with the head, in one piece, which is not copied.
    let begun = poll_fn(|cx| Poll::Ready(body.poll_data(cx))).await;
    let first = match begun {
        Poll::Ready(None) => return Ok(Bytes::new()),
        Poll::Ready(Some(data)) => match data? {
            Some(data) if data.len() > most => return Err(Rejection::LargeBody),
            data if body.is_over() => return Ok(data.unwrap_or_default()),
            data => data.unwrap_or_default(),
        },
        Poll::Pending => Bytes::new(),
    };
    // Boxed, so that what is seldom takes no room where it is not.
    let rest = collect(first, body, most);
    match limits.body_read {
        Some(time) => Box::pin(tokio::time::timeout(time, rest)).await.unwrap_or(Err(Rejection::SlowBody)),
        None => Box::pin(rest).await,
    }
}

async fn collect(first: Bytes, mut body: RequestBody, most: usize) -> Result<Bytes, Rejection> {
    /// What is set aside for a body before it has come.
    const AHEAD: u64 = 64 * 1024;
    let mut whole = Vec::with_capacity(first.len() + body.declared().min(AHEAD) as usize);
    whole.extend_from_slice(&first);
    drop(first);
    while let Some(data) = poll_fn(|cx| body.poll_data(cx)).await {
        if let Some(data) = data? {
            if whole.len() + data.len() > most {
                return Err(Rejection::LargeBody);
            }
            whole.extend_from_slice(&data);
        }
    }
    Ok(whole.into())
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
    /// One after the other.
    Two(Bytes, Bytes),
    Stream(Box<EventStream>),
    Routed(axum::body::Body),
}

impl ReplyBody {
    pub(super) fn full(bytes: Bytes) -> Self {
        Self { content: Content::Full(bytes), _answering: None }
    }

    /// The same with something behind it that others send, too.
    pub(super) fn followed_by(self, shared: Option<Arc<[u8]>>) -> Self {
        match (self.content, shared) {
            (Content::Full(first), Some(shared)) => {
                Self { content: Content::Two(first, Bytes::from_owner(shared)), ..self }
            }
            (content, _) => Self { content, ..self },
        }
    }

    /// Whether all of it is there.
    pub(super) fn is_whole(&self) -> bool {
        self.size_hint().exact().is_some()
    }

    pub(super) fn stream(stream: EventStream) -> Self {
        Self { content: Content::Stream(Box::new(stream)), _answering: None }
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
            Content::Two(first, second) => {
                let (first, second) = (std::mem::take(first), std::mem::take(second));
                *content = Content::Full(second);
                Poll::Ready(Some(Ok(Frame::data(first))))
            }
            Content::Stream(stream) => Pin::new(&mut **stream)
                .poll_frame(cx)
                .map(|frame| frame.map(|frame| frame.map_err(|never| match never {}))),
            Content::Routed(body) => Pin::new(body).poll_frame(cx),
        }
    }

    fn is_end_stream(&self) -> bool {
        match &self.content {
            Content::Empty => true,
            Content::Full(bytes) => bytes.is_empty(),
            Content::Two(..) | Content::Stream(_) => false,
            Content::Routed(body) => body.is_end_stream(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        match &self.content {
            Content::Empty => SizeHint::with_exact(0),
            Content::Full(bytes) => SizeHint::with_exact(bytes.len() as u64),
            Content::Two(first, second) => SizeHint::with_exact((first.len() + second.len()) as u64),
            Content::Stream(_) => SizeHint::default(),
            Content::Routed(body) => body.size_hint(),
        }
    }
}
