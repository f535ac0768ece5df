//! What handlers give back: from a function's own return type to a result of the protocol.

use std::{
    any::Any,
    borrow::Cow,
    char::ParseCharError,
    fmt,
    fmt::Display,
    future::Future,
    io,
    marker::PhantomData,
    num::{ParseFloatError, ParseIntError, TryFromIntError},
    pin::Pin,
    str::{ParseBoolError, Utf8Error},
    string::FromUtf8Error,
};

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;

use crate::protocol::{
    CallToolResult, ContentBlock, ErrorCode, GetPromptResult, PromptMessage, RawJson, ReadResourceResult,
    ResourceContents, RpcError, write::text,
};

/// A future that the dispatcher can hand to a task.
pub(crate) type Later<R> = Pin<Box<dyn Future<Output = Result<R, RpcError>> + Send>>;

/// How far the call of a handler came at once.
pub enum Step<R> {
    /// It was only asked to describe itself.
    Described,
    /// It is done.
    Done(Result<R, RpcError>),
    /// It is a future, not yet polled.
    Later(Later<R>),
    /// It is a function for the pool of blocking threads.
    Blocking(Box<dyn FnOnce() -> Result<R, RpcError> + Send>),
}

impl<R> fmt::Debug for Step<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Described => "Described",
            Self::Done(_) => "Done",
            Self::Later(_) => "Later",
            Self::Blocking(_) => "Blocking",
        })
    }
}

/// A handler's return type, taken down once, and how it becomes a result.
pub struct Returns<T, R, X = ()> {
    convert: fn(T, &X) -> Result<R, RpcError>,
    with: X,
    returned: PhantomData<fn(T)>,
}

impl<T, R, X> Returns<T, R, X> {
    pub(crate) fn new(convert: fn(T, &X) -> Result<R, RpcError>, with: X) -> Self {
        Self { convert, with, returned: PhantomData }
    }

    /// The result that a value becomes.
    #[allow(clippy::missing_errors_doc, reason = "only generated code calls it")]
    pub fn convert(&self, value: T) -> Result<R, RpcError> {
        (self.convert)(value, &self.with)
    }

    /// Runs a plain function in place.
    pub fn now(self, run: impl FnOnce() -> T) -> Step<R> {
        Step::Done(self.convert(run()))
    }
}

impl<T: 'static, R: 'static, X: Send + 'static> Returns<T, R, X> {
    /// Takes a plain function for the pool of blocking threads.
    pub fn blocking(self, run: impl FnOnce() -> T + Send + 'static) -> Step<R> {
        Step::Blocking(Box::new(move || self.convert(run())))
    }
}

/// Takes the future of an async function's result.
pub fn later<R>(result: impl Future<Output = Result<R, RpcError>> + Send + 'static) -> Step<R> {
    Step::Later(Box::pin(result))
}

impl<T, R, X> fmt::Debug for Returns<T, R, X> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Returns")
    }
}

/// A value as JSON: a tool's structured content with its schema, or the text of a resource.
///
/// ```
/// use mcp_runtime::prelude::*;
///
/// #[derive(serde::Serialize, schemars::JsonSchema)]
/// struct Point {
///     x: i32,
///     y: i32,
/// }
///
/// /// Where it all begins.
/// #[mcp_tool]
/// fn origin() -> Json<Point> {
///     Json(Point { x: 0, y: 0 })
/// }
/// # fn main() {}
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Json<T>(pub T);

/// What a tool may return.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the result of a tool",
    label = "not a tool's result",
    note = "return `()`, text, a number, a `bool`, `Json<T>`, a `ContentBlock`, a `Vec<ContentBlock>` or `Vec<String>`, a `CallToolResult`, or a `Result` of one of these",
    note = "a type of your own is structured content as `Json<T>`, where `T` derives `serde::Serialize` and `schemars::JsonSchema`; what may be missing is `Json<Option<T>>`",
    note = "the result of a future, boxed or not, is that of an `async fn`"
)]
pub trait IntoCallToolResult {
    /// The result that the client gets.
    ///
    /// # Errors
    /// When the value cannot be put into a message: the caller gets an internal error.
    fn into_call_tool_result(self) -> Result<CallToolResult, RpcError>;

    /// The schema of the structured content, where there is one.
    fn output_schema(generator: &mut SchemaGenerator) -> Option<Schema> {
        let _ = generator;
        None
    }
}

/// What a resource may return.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the result of a resource",
    label = "not a resource's contents",
    note = "return text, bytes (`Vec<u8>`), `Json<T>`, `ResourceContents`, a `Vec<ResourceContents>`, a `ReadResourceResult`, or a `Result` of one of these"
)]
pub trait IntoReadResourceResult {
    /// The result that the client gets.
    ///
    /// # Errors
    /// What the client is told instead.
    fn into_read_resource_result(self, request: &ReadRequest) -> Result<ReadResourceResult, RpcError>;
}

/// What a prompt may return.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the result of a prompt",
    label = "not a prompt's messages",
    note = "return text (one message of the user), a `PromptMessage`, a `Vec<PromptMessage>`, a `GetPromptResult`, or a `Result` of one of these"
)]
pub trait IntoGetPromptResult {
    /// The result that the client gets.
    ///
    /// # Errors
    /// What the client is told instead.
    fn into_get_prompt_result(self) -> Result<GetPromptResult, RpcError>;
}

/// What [`Json`] may hold as the result of a tool.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be structured content",
    label = "cannot be written as JSON, or has no schema",
    note = "derive both `serde::Serialize` and `schemars::JsonSchema` for `{Self}`, of the same major versions as this crate uses: serde 1, schemars 1"
)]
pub trait StructuredContent: Serialize + JsonSchema {}

#[diagnostic::do_not_recommend]
impl<T: Serialize + JsonSchema> StructuredContent for T {}

/// What may be the error of a tool, a resource or a prompt: the client gets its text.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the error of a tool, a resource or a prompt",
    label = "has no text",
    note = "implement `std::fmt::Display` for `{Self}`: the text is what the client reads",
    note = "or return a `ToolError`, a `ResourceError` or a `PromptError`: `.map_err(|_| ToolError::new(\"…\"))`"
)]
pub trait Failure: Display {}

#[diagnostic::do_not_recommend]
impl<E: Display> Failure for E {}

/// Which resource is read.
#[derive(Clone, Debug)]
pub struct ReadRequest {
    /// The URI as the client wrote it.
    pub uri: String,
    /// The media type that the resource was declared with.
    pub mime_type: Option<&'static str>,
}

/// A tool's failure: a text that the model reads, to do better.
///
/// ```
/// use mcp_runtime::prelude::*;
///
/// /// Divides.
/// #[mcp_tool]
/// fn divide(a: f64, b: f64) -> Result<f64, ToolError> {
///     if b == 0.0 {
///         return Err(ToolError::new("`b` is 0; choose another divisor"));
///     }
///     Ok(a / b)
/// }
/// # fn main() {}
/// ```
///
/// Any `E: Display` will do as the error of a tool: `anyhow::Result<T>`, `Result<T, Box<dyn Error>>`, an enum of your own.
/// The client gets it as `{error:#}` writes it, which of an `anyhow::Error` is its context and all of its causes.
///
/// This one is at hand, and `?` makes it of a text, of an [`AskError`](crate::AskError), and of the errors of the standard
/// library and `serde_json` that are met most. Of another: `.map_err(|error| ToolError::new(error.to_string()))`.
///
/// ```
/// use mcp_runtime::prelude::*;
///
/// /// Adds up a file with a number on each line.
/// #[mcp_tool]
/// fn sum(path: String) -> Result<i64, ToolError> {
///     let mut sum = 0;
///     for line in std::fs::read_to_string(path)?.lines() {
///         sum += line.parse::<i64>()?;
///     }
///     Ok(sum)
/// }
/// # fn main() {}
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolError(String);

impl ToolError {
    /// A failure that says what went wrong and what would help.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }
}

/// A resource's failure. Any other `E: Display` will do, too: it is as [`ResourceError::Failed`] with its text.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ResourceError {
    /// There is no such resource: -32002, -32602 from 2026-07-28 on, with the URI.
    NotFound,
    /// It cannot be read; the client gets the text (-32603).
    Failed(String),
}

impl ResourceError {
    /// There is no such resource.
    pub fn not_found() -> Self {
        Self::NotFound
    }

    /// It cannot be read; the client gets `text`.
    pub fn new(text: impl Into<String>) -> Self {
        Self::Failed(text.into())
    }
}

/// A prompt's failure. Any other `E: Display` will do, too: it is as [`PromptError::Failed`] with its text.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PromptError {
    /// The arguments do not fit; the client gets the text (-32602).
    InvalidArguments(String),
    /// The prompt cannot be made; the client gets the text (-32603).
    Failed(String),
}

impl PromptError {
    /// The arguments do not fit; the client gets `text`.
    pub fn invalid_arguments(text: impl Into<String>) -> Self {
        Self::InvalidArguments(text.into())
    }

    /// The prompt cannot be made; the client gets `text`.
    pub fn new(text: impl Into<String>) -> Self {
        Self::Failed(text.into())
    }
}

impl Display for ToolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Display for ResourceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotFound => "resource not found",
            Self::Failed(text) => text,
        })
    }
}

impl Display for PromptError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Self::InvalidArguments(text) | Self::Failed(text)) = self;
        f.write_str(text)
    }
}

impl std::error::Error for ToolError {}
impl std::error::Error for ResourceError {}
impl std::error::Error for PromptError {}

impl From<String> for ToolError {
    fn from(text: String) -> Self {
        Self(text)
    }
}

impl From<&str> for ToolError {
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}

/// The text of an error: in the alternate form, in which `anyhow` and kin tell the causes, too.
fn text_of(error: &impl Display) -> String {
    format!("{error:#}")
}

macro_rules! from_errors {
    ($($error:ty),* $(,)?) => { $(
        impl From<$error> for ToolError {
            fn from(error: $error) -> Self {
                Self(text_of(&error))
            }
        }
    )* };
}
// One for all errors is not to be had beside that of `String`, which may become one.
from_errors!(
    fmt::Error,
    io::Error,
    ParseBoolError,
    ParseCharError,
    ParseFloatError,
    ParseIntError,
    TryFromIntError,
    Utf8Error,
    FromUtf8Error,
    serde_json::Error,
    Box<dyn std::error::Error>,
    Box<dyn std::error::Error + Send>,
    Box<dyn std::error::Error + Send + Sync>,
);

/// A tool's own text for any error.
pub(crate) fn tool_failure(error: &impl Display) -> CallToolResult {
    CallToolResult::error(text_of(error))
}

fn resource_failure<E: Display + 'static>(error: &E, request: &ReadRequest) -> RpcError {
    match (error as &dyn Any).downcast_ref::<ResourceError>() {
        Some(ResourceError::NotFound) => resource_not_found(&request.uri),
        _ => RpcError::internal(text_of(error)),
    }
}

fn prompt_failure<E: Display + 'static>(error: &E) -> RpcError {
    match (error as &dyn Any).downcast_ref::<PromptError>() {
        Some(PromptError::InvalidArguments(text)) => RpcError::invalid_params(text),
        _ => RpcError::internal(text_of(error)),
    }
}

/// Bytes of a URI that a refusal repeats.
const MOST_REPEATED: usize = 8 * 1024;

/// The refusal to read what is not there.
pub(crate) fn resource_not_found(uri: &str) -> RpcError {
    let message = format!("resource not found: {}", crate::server::nearest::excerpt(uri));
    let error = RpcError::new(ErrorCode::ResourceNotFound, message);
    // What is longer is no resource's, and not worth its way back.
    if uri.len() > MOST_REPEATED { error } else { error.with_data(serde_json::json!({ "uri": uri })) }
}

fn unwritable(error: &serde_json::Error) -> RpcError {
    tracing::error!(%error, "a handler's value is no JSON");
    RpcError::internal("the result could not be written as JSON")
}

impl IntoCallToolResult for () {
    fn into_call_tool_result(self) -> Result<CallToolResult, RpcError> {
        Ok(CallToolResult::default())
    }
}

macro_rules! text_results {
    ($($ty:ty),*) => { $(
        impl IntoCallToolResult for $ty {
            fn into_call_tool_result(self) -> Result<CallToolResult, RpcError> {
                Ok(CallToolResult::text(self))
            }
        }

        impl IntoReadResourceResult for $ty {
            fn into_read_resource_result(self, request: &ReadRequest) -> Result<ReadResourceResult, RpcError> {
                Ok(one(request, ResourceContents::text(request.uri.clone(), self)))
            }
        }

        impl IntoGetPromptResult for $ty {
            fn into_get_prompt_result(self) -> Result<GetPromptResult, RpcError> {
                Ok(GetPromptResult::new(vec![PromptMessage::user(ContentBlock::text(self))]))
            }
        }
    )* };
}
text_results!(String, &'static str, Cow<'static, str>, Box<str>);

macro_rules! display_results {
    ($($ty:ty),*) => { $(
        impl IntoCallToolResult for $ty {
            fn into_call_tool_result(self) -> Result<CallToolResult, RpcError> {
                Ok(CallToolResult::text(self.to_string()))
            }
        }
    )* };
}
display_results!(bool, char, f32, f64, i8, i16, i32, i64, i128, isize, u8, u16, u32, u64, u128, usize);

impl<T: StructuredContent> IntoCallToolResult for Json<T> {
    fn into_call_tool_result(self) -> Result<CallToolResult, RpcError> {
        structured(RawJson::new(&self.0))
    }

    fn output_schema(generator: &mut SchemaGenerator) -> Option<Schema> {
        Some(T::json_schema(generator))
    }
}

// What stands outside of a generic function is compiled once, and not once a tool.
fn structured(written: Result<RawJson, serde_json::Error>) -> Result<CallToolResult, RpcError> {
    let structured = written.map_err(|error| unwritable(&error))?;
    let content = vec![ContentBlock::text(structured.get())];
    Ok(CallToolResult { content, structured_content: Some(structured), ..CallToolResult::default() })
}

impl IntoCallToolResult for ContentBlock {
    fn into_call_tool_result(self) -> Result<CallToolResult, RpcError> {
        Ok(CallToolResult::new(vec![self]))
    }
}

impl IntoCallToolResult for Vec<ContentBlock> {
    fn into_call_tool_result(self) -> Result<CallToolResult, RpcError> {
        Ok(CallToolResult::new(self))
    }
}

impl IntoCallToolResult for Vec<String> {
    fn into_call_tool_result(self) -> Result<CallToolResult, RpcError> {
        Ok(CallToolResult::new(self.into_iter().map(ContentBlock::text).collect()))
    }
}

impl IntoCallToolResult for CallToolResult {
    fn into_call_tool_result(self) -> Result<CallToolResult, RpcError> {
        Ok(self)
    }
}

impl<T: IntoCallToolResult, E: Failure> IntoCallToolResult for Result<T, E> {
    fn into_call_tool_result(self) -> Result<CallToolResult, RpcError> {
        match self {
            Ok(value) => value.into_call_tool_result(),
            Err(error) => Ok(tool_failure(&error)),
        }
    }

    fn output_schema(generator: &mut SchemaGenerator) -> Option<Schema> {
        T::output_schema(generator)
    }
}

fn one(request: &ReadRequest, contents: ResourceContents) -> ReadResourceResult {
    many(request, vec![contents])
}

/// Contents without a media type of their own get the declared one.
fn many(request: &ReadRequest, mut contents: Vec<ResourceContents>) -> ReadResourceResult {
    for contents in &mut contents {
        if contents.mime_type.is_none() {
            contents.mime_type = request.mime_type.map(str::to_owned);
        }
    }
    ReadResourceResult::new(contents)
}

impl IntoReadResourceResult for Vec<u8> {
    fn into_read_resource_result(self, request: &ReadRequest) -> Result<ReadResourceResult, RpcError> {
        Ok(one(request, ResourceContents::blob(request.uri.clone(), self)))
    }
}

impl<T: Serialize> IntoReadResourceResult for Json<T> {
    fn into_read_resource_result(self, request: &ReadRequest) -> Result<ReadResourceResult, RpcError> {
        document(text(&self.0), request)
    }
}

fn document(written: Result<String, serde_json::Error>, request: &ReadRequest) -> Result<ReadResourceResult, RpcError> {
    let text = written.map_err(|error| unwritable(&error))?;
    let mut contents = ResourceContents::text(request.uri.clone(), text);
    contents.mime_type = Some(request.mime_type.unwrap_or("application/json").to_owned());
    Ok(ReadResourceResult::new(vec![contents]))
}

impl IntoReadResourceResult for ResourceContents {
    fn into_read_resource_result(self, request: &ReadRequest) -> Result<ReadResourceResult, RpcError> {
        Ok(one(request, self))
    }
}

impl IntoReadResourceResult for Vec<ResourceContents> {
    fn into_read_resource_result(self, request: &ReadRequest) -> Result<ReadResourceResult, RpcError> {
        // An empty answer would say "nothing in it" where the standard wants "not there".
        if self.is_empty() { Err(resource_not_found(&request.uri)) } else { Ok(many(request, self)) }
    }
}

impl IntoReadResourceResult for ReadResourceResult {
    fn into_read_resource_result(self, request: &ReadRequest) -> Result<ReadResourceResult, RpcError> {
        let meta = self.meta;
        Ok(ReadResourceResult { meta, ..self.contents.into_read_resource_result(request)? })
    }
}

impl<T: IntoReadResourceResult, E: Failure + 'static> IntoReadResourceResult for Result<T, E> {
    fn into_read_resource_result(self, request: &ReadRequest) -> Result<ReadResourceResult, RpcError> {
        match self {
            Ok(value) => value.into_read_resource_result(request),
            Err(error) => Err(resource_failure(&error, request)),
        }
    }
}

impl IntoGetPromptResult for PromptMessage {
    fn into_get_prompt_result(self) -> Result<GetPromptResult, RpcError> {
        Ok(GetPromptResult::new(vec![self]))
    }
}

impl IntoGetPromptResult for Vec<PromptMessage> {
    fn into_get_prompt_result(self) -> Result<GetPromptResult, RpcError> {
        Ok(GetPromptResult::new(self))
    }
}

impl IntoGetPromptResult for GetPromptResult {
    fn into_get_prompt_result(self) -> Result<GetPromptResult, RpcError> {
        Ok(self)
    }
}

impl<T: IntoGetPromptResult, E: Failure + 'static> IntoGetPromptResult for Result<T, E> {
    fn into_get_prompt_result(self) -> Result<GetPromptResult, RpcError> {
        match self {
            Ok(value) => value.into_get_prompt_result(),
            Err(error) => Err(prompt_failure(&error)),
        }
    }
}
