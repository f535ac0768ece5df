//! Every refusal by HTTP status: its status, its words, its headers.

use std::fmt;

use axum::response::IntoResponse;
use bytes::Bytes;
use http::{HeaderName, HeaderValue, Response, StatusCode, header};

use super::body::ReplyBody;
use crate::protocol::{
    ErrorCode, ProtocolVersion, RpcError,
    jsonrpc::{Id, write_error},
};

macro_rules! rejections {
    ($($(#[$doc:meta])* $name:ident: $status:ident, $text:literal;)*) => {
        /// Why a request was refused before it was a message.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Rejection {
            $($(#[$doc])* $name,)*
        }

        impl Rejection {
            pub(crate) fn status(self) -> StatusCode {
                match self {
                    $(Self::$name => StatusCode::$status,)*
                }
            }

            fn text(self) -> &'static str {
                match self {
                    $(Self::$name => $text,)*
                }
            }

            #[cfg(test)]
            pub(super) const ALL: &[Self] = &[$(Self::$name,)*];
        }
    };
}

rejections! {
    /// The request line is over `maxRequestLineBytes`.
    LongRequestLine: URI_TOO_LONG, "the request line is too long";
    /// The header lines are over `maxHeaderBytes` or `maxHeaders`.
    LargeHead: REQUEST_HEADER_FIELDS_TOO_LARGE, "the header lines are too long or too many";
    /// The head took longer than `headerReadSeconds`.
    SlowHead: REQUEST_TIMEOUT, "the request's head took too long";
    /// Neither HTTP/1.1 nor HTTP/1.0, or no request line at all.
    BadRequestLine: BAD_REQUEST, "the request line is not one of HTTP/1.1";
    /// A header line that different parsers read differently.
    BadHeaderLine: BAD_REQUEST, "a header line is malformed";
    /// A body whose end different parsers see at different places.
    BadFraming: BAD_REQUEST, "the length of the body is not stated in one unmistakable way";
    /// No `Host`, several, or one that is no host.
    BadHost: BAD_REQUEST, "there must be one valid Host header";
    /// The request's target names another host than `Host` does.
    OtherHost: BAD_REQUEST, "the request's target and its Host header name different hosts";
    /// A host that is not this server's: a name that somebody pointed at this address.
    ForeignHost: FORBIDDEN, "this server does not answer for the host that the Host header names";
    /// A web page that may not call.
    ForeignOrigin: FORBIDDEN, "the origin is not allowed to call this server";
    /// No such path.
    NotFound: NOT_FOUND, "there is nothing at this path";
    /// The path takes GET.
    OnlyGet: METHOD_NOT_ALLOWED, "this path takes GET only";
    /// The path takes GET and HEAD.
    OnlyGetOrHead: METHOD_NOT_ALLOWED, "this path takes GET and HEAD only";
    /// The path takes POST.
    OnlyPost: METHOD_NOT_ALLOWED, "this path takes POST only";
    /// The path takes the methods of Streamable HTTP.
    OnlyEndpointMethods: METHOD_NOT_ALLOWED, "this path takes GET, POST and DELETE only";
    /// `Accept` leaves out all that the path answers with.
    NothingAcceptable: NOT_ACCEPTABLE, "this path answers with application/json or text/event-stream, which the Accept header leaves out";
    /// `Accept` leaves out what the path answers with.
    NotAcceptable: NOT_ACCEPTABLE, "this path answers with text/event-stream, which the Accept header leaves out";
    /// A body where none is read.
    UnexpectedBody: BAD_REQUEST, "a request for an event stream has no body";
    /// A body over `maxBodyBytes`.
    LargeBody: PAYLOAD_TOO_LARGE, "the body is too large";
    /// A body that is not declared as JSON.
    WrongContentType: UNSUPPORTED_MEDIA_TYPE, "the content type must be application/json, in UTF-8";
    /// A compressed body.
    EncodedBody: UNSUPPORTED_MEDIA_TYPE, "the body must not be encoded (Content-Encoding)";
    /// A body that took longer than `bodyReadSeconds`.
    SlowBody: REQUEST_TIMEOUT, "the body took too long";
    /// A body that ends early, or whose chunks are malformed.
    BrokenBody: BAD_REQUEST, "the body is incomplete or malformed";
    /// No session id where one is needed, or more than one.
    NoSessionId: BAD_REQUEST, "there must be one `sessionId` in the query";
    /// No `Mcp-Session-Id` where one is needed, or more than one.
    NoSessionHeader: BAD_REQUEST, "there must be one `Mcp-Session-Id` header; `initialize` gives it";
    /// A session id that is longer than any that a server gives.
    LongSessionId: BAD_REQUEST, "the Mcp-Session-Id is too long";
    /// A handshake in a session that has had one.
    OpenedAlready: BAD_REQUEST, "`initialize` begins a session of its own and comes without `Mcp-Session-Id`";
    /// `MCP-Protocol-Version` is no version that this server knows, or stands there in several ways.
    UnknownVersion: BAD_REQUEST, "the MCP-Protocol-Version header names no version that this server knows";
    /// The session's stream is open already.
    OneStreamOnly: CONFLICT, "the stream of this session is open already";
    /// No event of the session by which a stream could be resumed.
    UnknownEvent: BAD_REQUEST, "the Last-Event-ID names no event of this session whose stream can be resumed";
    /// The id of an event that is longer than any that a server gives.
    LongEventId: BAD_REQUEST, "the Last-Event-ID is too long";
    /// A session that ended or never was.
    UnknownSession: NOT_FOUND, "there is no such session";
    /// The session is at `maxRequestsPerSession`.
    TooManyRequests: TOO_MANY_REQUESTS, "too many requests of this session are under way";
    /// The server is at `maxStreams`.
    TooManyStreams: SERVICE_UNAVAILABLE, "too many streams are open";
    /// The server is at `maxSessions`, and all are in use.
    TooManySessions: SERVICE_UNAVAILABLE, "too many sessions are open";
    /// The principal is at `maxSessionsPerPrincipal`, and all are in use.
    TooManyOwnSessions: SERVICE_UNAVAILABLE, "too many sessions of this principal are open";
    /// The server is at `maxUnauthenticatedRequests`.
    TooManyStrangers: SERVICE_UNAVAILABLE, "too many requests wait for authentication";
    /// The principal is at `maxStreamsPerPrincipal`.
    TooManyOwnStreams: TOO_MANY_REQUESTS, "too many streams of this principal are open";
    /// `blockingQueue` is full.
    Overloaded: SERVICE_UNAVAILABLE, "too many functions wait for a thread";
    /// The server takes nothing any more.
    Stopping: SERVICE_UNAVAILABLE, "the server is stopping";
    /// The operating system gives no random numbers.
    NoRandomness: INTERNAL_SERVER_ERROR, "the session could not be made";
}

impl Rejection {
    /// The response, naming the request that was refused where its id was read.
    pub(super) fn answer(self, id: Option<Id<'_>>) -> Response<ReplyBody> {
        let code = if self.status().is_server_error() { ErrorCode::InternalError } else { ErrorCode::InvalidRequest };
        let mut body = Vec::new();
        // The oldest version's frame: an id that is not known is null, which every client can read.
        write_error(&mut body, id, &RpcError::new(code, self.text()), ProtocolVersion::WITH_HANDSHAKE[0]);
        self.with_body(body)
    }

    /// The response with a body that says it already.
    pub(super) fn with_body(self, body: Vec<u8>) -> Response<ReplyBody> {
        let mut response = json(self.status(), body);
        if let Some((name, value)) = self.header() {
            response.headers_mut().insert(name, HeaderValue::from_static(value));
        }
        response
    }

    fn header(self) -> Option<(HeaderName, &'static str)> {
        match self {
            Self::OnlyGet => Some((header::ALLOW, "GET")),
            Self::OnlyGetOrHead => Some((header::ALLOW, "GET, HEAD")),
            Self::OnlyPost => Some((header::ALLOW, "POST")),
            Self::OnlyEndpointMethods => Some((header::ALLOW, "GET, POST, DELETE")),
            Self::TooManyRequests | Self::TooManyOwnStreams => Some((header::RETRY_AFTER, "1")),
            Self::TooManyStreams
            | Self::TooManySessions
            | Self::TooManyOwnSessions
            | Self::TooManyStrangers
            | Self::Overloaded
            | Self::Stopping => Some((header::RETRY_AFTER, "5")),
            _ => None,
        }
    }
}

impl fmt::Display for Rejection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}

impl std::error::Error for Rejection {}

impl IntoResponse for Rejection {
    fn into_response(self) -> axum::response::Response {
        self.answer(None).map(axum::body::Body::new)
    }
}

/// A response of that status whose body is JSON text.
pub(super) fn json(status: StatusCode, body: impl Into<Bytes>) -> Response<ReplyBody> {
    json_of(status, ReplyBody::full(body.into()))
}

pub(super) fn json_of(status: StatusCode, body: ReplyBody) -> Response<ReplyBody> {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

/// Says that this is the connection's last response, so that the body left unread is not taken for a request.
pub(super) fn close<B>(response: &mut Response<B>) {
    response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
}

#[cfg(test)]
mod tests {
    use http::header;
    use http_body_util::BodyExt;
    use mcp_test_schema::Checker;

    use super::Rejection;
    use crate::protocol::{ProtocolVersion, jsonrpc::Id};

    #[tokio::test]
    async fn each_refusal_is_an_error_in_every_version() {
        for (rejection, id) in Rejection::ALL.iter().flat_map(|it| [(it, None), (it, Some(Id::of("7")))]) {
            let body = rejection.answer(id).into_body().collect().await.unwrap().to_bytes();
            let message = serde_json::from_slice(&body).unwrap();
            for version in ProtocolVersion::ALL {
                let wrong = Checker::for_version(version.as_str()).unwrap().error(&message);
                assert!(wrong.is_empty(), "{rejection:?} in {version}: {wrong:?}");
            }
        }
    }

    #[test]
    fn each_refusal_has_the_headers_that_its_status_demands() {
        for rejection in Rejection::ALL {
            let response = rejection.answer(None);
            let has = |name| response.headers().contains_key(name);
            assert_eq!(has(header::ALLOW), response.status() == 405, "{rejection:?}");
            assert_eq!(has(header::RETRY_AFTER), matches!(response.status().as_u16(), 429 | 503), "{rejection:?}");
            assert!(response.status().is_client_error() || response.status().is_server_error(), "{rejection:?}");
            assert!(!rejection.to_string().ends_with('.'), "{rejection:?}");
        }
    }
}
