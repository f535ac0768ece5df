//! Asking the client, written once: its user, its model, its roots.
//!
//! Where there are sessions, a question is a request of the server's, and the handler waits for the answer. From
//! 2026-07-28 on the handler is left at that point; the client comes back with the answer, and the handler runs again,
//! past that point.

use std::{fmt, future::Future, pin::Pin, sync::Arc};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json, value::RawValue};

use super::{
    context::Context,
    form::{ElicitationForm, FormError},
    nearest::excerpt,
    outcome::{PromptError, ResourceError, ToolError},
    round::Keyed,
    seal::random,
    tasks::asking,
};
use crate::{
    protocol::{
        ClientCapabilities, CreateMessageRequestParams, CreateMessageResult, ElicitAction, ElicitRequestParams,
        ElicitResult, ElicitSchema, ListRootsResult, ProtocolVersion, RawJson, Root, adapt::Lower, input::InputRequest,
        jsonrpc, sampling::IncludeContext,
    },
    session::{Call, NoRequest, OpenRequest, Outbox, Session},
};

/// What a user did with a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use = "a user may also decline"]
pub enum Elicited<T> {
    /// Answered it.
    Accepted(T),
    /// Said no.
    Declined,
    /// Left it without saying anything.
    Cancelled,
}

impl<T> Elicited<T> {
    /// The answer, where there is one.
    pub fn accepted(self) -> Option<T> {
        match self {
            Self::Accepted(answer) => Some(answer),
            Self::Declined | Self::Cancelled => None,
        }
    }
}

/// Why a question has no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AskError {
    /// The client does not offer what the question needs. Go on without it, or fail: a client of 2026-07-28 is told then
    /// what it lacks.
    Unsupported(ClientFeature),
    /// The client answered with an error: it does not want to, its user said no to sampling, or it failed.
    Refused {
        /// The error's code; -1 is a user's no to sampling.
        code: i64,
        /// The error's message.
        message: String,
    },
    /// The answer is not what was asked for. A client of 2026-07-28 is asked again instead.
    Unfit(String),
    /// What was asked for cannot be a form.
    NoForm(FormError),
    /// Too many questions wait already.
    TooMany,
    /// There will be no answer: the call is over, or the client has gone.
    Gone,
}

/// What a question needs of a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ClientFeature {
    /// Forms for its user: `elicitation.form`.
    Form,
    /// Forms with a choice of several values: `elicitation.form` from 2025-11-25 on.
    MultiSelect,
    /// Pages for its user to visit: `elicitation.url`.
    Url,
    /// Its model: `sampling`.
    Sampling,
    /// Its model, with tools: `sampling.tools`.
    SamplingTools,
    /// Its roots: `roots`.
    Roots,
}

impl fmt::Display for ClientFeature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Form => "forms for its user (elicitation)",
            Self::MultiSelect => "forms with a choice of several values",
            Self::Url => "pages for its user to visit (elicitation.url)",
            Self::Sampling => "its model (sampling)",
            Self::SamplingTools => "its model with tools (sampling.tools)",
            Self::Roots => "its roots (roots)",
        })
    }
}

impl fmt::Display for AskError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unsupported(feature) => write!(f, "the client does not offer {feature}"),
            Self::Refused { code, message } => write!(f, "the client refused the question: {message} ({code})"),
            Self::Unfit(reason) => write!(f, "the client's answer does not fit the question: {reason}"),
            Self::NoForm(error) => error.fmt(f),
            Self::TooMany => f.write_str("too many questions wait for the client's answer"),
            Self::Gone => f.write_str("the client did not answer"),
        }
    }
}

impl std::error::Error for AskError {}

impl From<FormError> for AskError {
    fn from(error: FormError) -> Self {
        Self::NoForm(error)
    }
}

macro_rules! failures {
    ($($error:ident),*) => { $(
        impl From<AskError> for $error {
            fn from(error: AskError) -> Self {
                Self::new(error.to_string())
            }
        }
    )* };
}
failures!(ToolError, ResourceError, PromptError);

/// Asks the client: its user, its model, its roots.
///
/// A handler that asks is written the same for every version and transport. Await the question:
///
/// ```
/// use mcp_runtime::prelude::*;
///
/// #[derive(serde::Deserialize, schemars::JsonSchema)]
/// struct Confirmation {
///     /// Delete them for good?
///     for_good: bool,
/// }
///
/// /// Deletes the notes
/// #[mcp_tool]
/// async fn delete(context: Context) -> Result<&'static str, ToolError> {
///     match context.elicit::<Confirmation>("This deletes all notes.").await? {
///         Elicited::Accepted(Confirmation { for_good: true }) => Ok("deleted for good"),
///         Elicited::Accepted(_) => Ok("moved to the bin"),
///         Elicited::Declined | Elicited::Cancelled => Ok("nothing was deleted"),
///     }
/// }
/// # fn main() {}
/// ```
///
/// From 2026-07-28 on a call that asks runs more than once, from its beginning each time, and gets the answers of the
/// rounds before: ask the same questions in the same words each time, and do nothing that may not be done twice before
/// the last of them is answered. An answer counts for the question as it was asked; a question that has changed is asked
/// again. Questions that are awaited together go out together:
///
/// ```
/// # use mcp_runtime::{AskError, prelude::*, protocol::CreateMessageRequestParams};
/// # #[derive(serde::Deserialize, schemars::JsonSchema)] struct Name { name: String }
/// async fn greet(context: &Context) -> Result<String, AskError> {
///     let (name, greeting) = tokio::try_join!(
///         context.elicit::<Name>("Who are you?").key("user_name").into_future(),
///         context.sample(CreateMessageRequestParams::new("Write a greeting.", 100)).into_future(),
///     )?;
///     let name = name.accepted().map_or_else(|| "stranger".to_owned(), |name| name.name);
///     Ok(format!("{} {name}", greeting.first_text().unwrap_or("Hello")))
/// }
/// ```
impl Context {
    /// Asks the user to fill in a form, whose fields are those of `T`; see [`ElicitationForm`]. Awaited, it gives what the
    /// user did ([`Elicited`]), or why there is no answer ([`AskError`]): a client need not offer forms.
    ///
    /// Never ask for a secret in a form; [`Context::elicit_url`] is for that.
    pub fn elicit<T: ElicitationForm>(&self, message: impl Into<String>) -> Elicit<T> {
        Elicit {
            context: self.clone(),
            key: None,
            before_task: false,
            message: message.into(),
            form: None,
            form_of_type: ElicitSchema::of::<T>,
            read: ElicitSchema::read::<T>,
        }
    }

    /// Asks the user to visit a page. An acceptance means that the user agreed to, not that all is done there.
    ///
    /// Put no secret into the URL, and check on the page that the visitor is the user who was asked.
    pub fn elicit_url(&self, message: impl Into<String>, url: impl Into<String>) -> ElicitUrl {
        let (context, message) = (self.clone(), message.into());
        ElicitUrl { context, key: None, before_task: false, message, url: url.into() }
    }

    /// Asks the client's model. Awaited, it gives what the model said, or why there is no answer ([`AskError`]): the user
    /// may say no to it, which is [`AskError::Refused`] with the code -1.
    ///
    /// ```
    /// use mcp_runtime::{prelude::*, protocol::CreateMessageRequestParams};
    ///
    /// /// Summarizes a text
    /// #[mcp_tool]
    /// async fn summarize(context: Context, text: String) -> Result<String, ToolError> {
    ///     let question = CreateMessageRequestParams::new(format!("Summarize:\n{text}"), 500);
    ///     let answer = context.sample(question).await?;
    ///     Ok(answer.first_text().unwrap_or_default().to_owned())
    /// }
    /// # fn main() {}
    /// ```
    pub fn sample(&self, request: CreateMessageRequestParams) -> Sample {
        Sample { context: self.clone(), key: None, before_task: false, request }
    }

    /// Asks for the places that the client works in. They are advice: check every path all the same.
    ///
    /// ```
    /// use mcp_runtime::prelude::*;
    ///
    /// /// Where the client works
    /// #[mcp_tool]
    /// async fn places(context: Context) -> Result<Vec<String>, ToolError> {
    ///     Ok(context.roots().await?.into_iter().map(|root| root.uri).collect())
    /// }
    /// # fn main() {}
    /// ```
    pub fn roots(&self) -> ListRoots {
        ListRoots { context: self.clone(), key: None, before_task: false }
    }
}

/// A question that is under way.
type Answer<T> = Pin<Box<dyn Future<Output = Result<T, AskError>> + Send>>;

/// A form for the user; await it.
#[must_use = "a question is asked when it is awaited"]
#[derive(Debug)]
pub struct Elicit<T> {
    context: Context,
    key: Option<String>,
    before_task: bool,
    message: String,
    form: Option<ElicitSchema>,
    // What is known of `T`, so that awaiting asks nothing of it: a type that is no form is one error.
    form_of_type: fn() -> Result<ElicitSchema, FormError>,
    read: fn(&ElicitSchema, &Map<String, Value>) -> Result<T, String>,
}

/// A page for the user to visit; await it.
#[must_use = "a question is asked when it is awaited"]
#[derive(Debug)]
pub struct ElicitUrl {
    context: Context,
    key: Option<String>,
    before_task: bool,
    message: String,
    url: String,
}

/// A question to the client's model; await it.
#[must_use = "a question is asked when it is awaited"]
#[derive(Debug)]
pub struct Sample {
    context: Context,
    key: Option<String>,
    before_task: bool,
    request: CreateMessageRequestParams,
}

/// A question for the client's roots; await it.
#[must_use = "a question is asked when it is awaited"]
#[derive(Debug)]
pub struct ListRoots {
    context: Context,
    key: Option<String>,
    before_task: bool,
}

macro_rules! keyed {
    ($($question:ident $(<$T:ident>)?),*) => { $(
        impl $(<$T>)? $question $(<$T>)? {
            /// Names the question, for clients that get several at once (2026-07-28); otherwise it gets a number.
            pub fn key(mut self, key: impl Into<String>) -> Self {
                self.key = Some(key.into());
                self
            }

            /// Asks before the call becomes a task, where it would become one (2026-07-28): the call itself is answered
            /// with the question, as that of any other tool. Ask so at the beginning of the handler, before it waits for
            /// anything else; where the call is a task already, its task asks.
            pub fn before_task(mut self) -> Self {
                self.before_task = true;
                self
            }
        }
    )* };
}
keyed!(Elicit<T>, ElicitUrl, Sample, ListRoots);

impl<T> Elicit<T> {
    /// Asks with a form that was written by hand, rather than that of `T`; what comes back must be a `T` all the same.
    ///
    /// ```
    /// use mcp_runtime::{AskError, prelude::*, protocol::elicitation::{ElicitSchema, LegacyTitledEnumSchema}};
    ///
    /// async fn size(context: &Context) -> Result<Option<String>, AskError> {
    ///     let sizes = LegacyTitledEnumSchema::new([("s", "Small"), ("l", "Large")]);
    ///     let form = ElicitSchema::new().required("size", sizes);
    ///     let answer = context.elicit::<serde_json::Value>("Which size?").form(form).await?;
    ///     Ok(answer.accepted().and_then(|answer| answer["size"].as_str().map(str::to_owned)))
    /// }
    /// ```
    pub fn form(mut self, form: ElicitSchema) -> Self {
        self.form = Some(form);
        self
    }
}

impl<T: Send + 'static> IntoFuture for Elicit<T> {
    type Output = Result<Elicited<T>, AskError>;
    type IntoFuture = Answer<Elicited<T>>;

    fn into_future(self) -> Self::IntoFuture {
        let Self { context, key, before_task, message, form, form_of_type, read } = self;
        let form = match form {
            Some(form) => form.validate().map(|()| form),
            None => form_of_type(),
        };
        let form = match form {
            Ok(form) => form,
            Err(error) => {
                tracing::error!(%error, "a handler asks for what cannot be a form");
                return failed(error.into());
            }
        };
        let feature = if form.has_multi_select() { ClientFeature::MultiSelect } else { ClientFeature::Form };
        let mut params = ElicitRequestParams::form(message, form.clone());
        params.lower(context.protocol_version());
        let read = move |answer: &RawValue| elicited(answer, |result| read(&form, &result.content.unwrap_or_default()));
        ask(context, Place { key, before_task }, feature, "elicitation/create", Some(&params), read)
    }
}

impl IntoFuture for ElicitUrl {
    type Output = Result<Elicited<()>, AskError>;
    type IntoFuture = Answer<Elicited<()>>;

    fn into_future(self) -> Self::IntoFuture {
        let mut params = ElicitRequestParams::url(self.message, self.url);
        let version = self.context.protocol_version();
        if let ElicitRequestParams::Url(url) = &mut params
            && version.has_elicitation_id()
        {
            let Ok(id) = random::<16>() else { return failed(AskError::Gone) };
            url.elicitation_id = Some(format!("{:032x}", u128::from_be_bytes(id)));
        }
        params.lower(version);
        let read = |answer: &RawValue| elicited(answer, |_| Ok(()));
        let place = Place { key: self.key, before_task: self.before_task };
        ask(self.context, place, ClientFeature::Url, "elicitation/create", Some(&params), read)
    }
}

impl IntoFuture for Sample {
    type Output = Result<CreateMessageResult, AskError>;
    type IntoFuture = Answer<CreateMessageResult>;

    fn into_future(self) -> Self::IntoFuture {
        let mut params = self.request;
        let feature = if params.has_tools() { ClientFeature::SamplingTools } else { ClientFeature::Sampling };
        let version = self.context.protocol_version();
        let offers_context = || {
            let offered = self.context.client_capabilities().and_then(|offered| offered.sampling.as_ref());
            offered.is_some_and(|sampling| has_member(sampling, "context"))
        };
        if params.include_context.is_some_and(|context| context != IncludeContext::None)
            && version.has_sampling_tools()
            && !offers_context()
        {
            params.include_context = None;
        }
        params.lower(version);
        let place = Place { key: self.key, before_task: self.before_task };
        ask(self.context, place, feature, "sampling/createMessage", Some(&params), read)
    }
}

impl IntoFuture for ListRoots {
    type Output = Result<Vec<Root>, AskError>;
    type IntoFuture = Answer<Vec<Root>>;

    fn into_future(self) -> Self::IntoFuture {
        let read = |answer: &RawValue| read::<ListRootsResult>(answer).map(|result| result.roots);
        let place = Place { key: self.key, before_task: self.before_task };
        ask(self.context, place, ClientFeature::Roots, "roots/list", None::<&()>, read)
    }
}

fn failed<T: Send + 'static>(error: AskError) -> Answer<T> {
    Box::pin(std::future::ready(Err(error)))
}

/// An answer as what the standard says it is, an object above all; the reason otherwise.
fn read<T: for<'de> Deserialize<'de>>(answer: &RawValue) -> Result<T, String> {
    // Serde would take an array for a struct.
    let answer = Some(answer.get()).filter(|answer| answer.starts_with('{'));
    let answer = answer.and_then(|answer| serde_json::from_str(answer).ok());
    answer.ok_or_else(|| "it is not what the standard says".to_owned())
}

fn elicited<T>(
    answer: &RawValue,
    accept: impl FnOnce(ElicitResult) -> Result<T, String>,
) -> Result<Elicited<T>, String> {
    let result: ElicitResult = read(answer)?;
    Ok(match result.action {
        ElicitAction::Accept => Elicited::Accepted(accept(result)?),
        ElicitAction::Decline => Elicited::Declined,
        ElicitAction::Cancel => Elicited::Cancelled,
    })
}

/// What a question is called, and where it is asked.
struct Place {
    key: Option<String>,
    before_task: bool,
}

/// Asks, in the way of the client's version. What a question is called is settled here and now, what it takes to ask it
/// when it is awaited.
fn ask<T: Send + 'static>(
    context: Context,
    place: Place,
    feature: ClientFeature,
    method: &'static str,
    params: Option<&impl Serialize>,
    read: impl Fn(&RawValue) -> Result<T, String> + Send + 'static,
) -> Answer<T> {
    if !feature.is_offered(context.client_capabilities(), context.protocol_version()) {
        if let Some(round) = context.round() {
            round.miss(feature.capability());
        }
        return failed(AskError::Unsupported(feature));
    }
    // A question is strings, numbers and JSON that was read before.
    let Ok(params) = params.map(RawJson::new).transpose() else {
        return failed(AskError::Unfit("the question is no JSON".to_owned()));
    };
    let request = InputRequest { method, params };
    let Place { key, before_task } = place;
    match context.round().map(|round| round.key(key.as_deref(), InputRequest::clone(&request))) {
        Some(question) => Box::pin(async move {
            match context.task() {
                Some(task) if task.is_begun() || !before_task => {
                    asking::by_update(&context, task, key.as_deref(), question, read).await
                }
                _ => leave(&context, question, read).await,
            }
        }),
        None => Box::pin(async move {
            let answer = match context.task() {
                Some(task) => asking::by_result(&context, task, &request).await?,
                None => exchange(context.call(), context.session(), context.outbox(), &request).await?,
            };
            read(&answer).map_err(AskError::Unfit)
        }),
    }
}

/// The answer that the client came back with. Where it has brought none, the question is noted, and the call left.
async fn leave<T>(
    context: &Context,
    question: Keyed,
    read: impl Fn(&RawValue) -> Result<T, String>,
) -> Result<T, AskError> {
    let round = context.round().ok_or(AskError::Gone)?;
    if let Some(answer) = round.answer(&question) {
        match read(answer.as_raw()) {
            Ok(answer) => return Ok(answer),
            Err(reason) => {
                tracing::debug!(reason, "asked again, since the answer does not fit");
                round.refuse(&question);
            }
        }
    }
    let _note = round.note(question).ok_or(AskError::TooMany)?;
    // Whoever is left here is dropped; what it has started elsewhere ends here.
    context.call().over().await;
    Err(AskError::Gone)
}

/// Sends a request of the server's to the client, and waits for its answer.
pub(super) async fn exchange(
    call: &Call,
    session: &Arc<Session>,
    outbox: &Outbox,
    request: &InputRequest,
) -> Result<Box<RawValue>, AskError> {
    #[derive(Serialize)]
    struct Request<'a> {
        jsonrpc: &'static str,
        id: u64,
        #[serde(flatten)]
        request: &'a InputRequest,
    }
    if outbox.is_deaf() {
        return Err(AskError::Gone);
    }
    let open = session.open_request().map_err(|reason| match reason {
        NoRequest::TooMany => AskError::TooMany,
        NoRequest::Gone => AskError::Gone,
    })?;
    // What it holds was JSON before.
    let message = Request { jsonrpc: "2.0", id: open.id(), request };
    let mut message = serde_json::to_vec(&message).map_err(|_| AskError::Gone)?;
    jsonrpc::flatten(&mut message, 0);
    // A user who thinks is no call that hangs.
    let _waiting = call.wait();
    if !call.is_open() {
        return Err(AskError::Gone);
    }
    let mut sent = Sent { outbox, open, answered: false };
    outbox.send_when(message, || call.is_open()).await.map_err(|_| AskError::Gone)?;
    tokio::select! {
        biased;
        answer = sent.open.answer() => {
            sent.answered = true;
            match answer.ok_or(AskError::Gone)? {
                Ok(result) => Ok(result),
                Err(error) => Err(refused(&error)),
            }
        }
        () = call.over() => Err(AskError::Gone),
    }
}

/// A request that the client has; dropped without an answer, it is withdrawn.
struct Sent<'a> {
    outbox: &'a Outbox,
    open: OpenRequest,
    answered: bool,
}

impl Drop for Sent<'_> {
    fn drop(&mut self) {
        if !self.answered {
            let params = json!({ "requestId": self.open.id(), "reason": "nobody waits for the answer any more" });
            let message = json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": params });
            // Where there is no room for it the client is slow, and learns by its answer that nobody waits.
            self.outbox.offer(message.to_string().into_bytes());
        }
    }
}

fn refused(error: &RawValue) -> AskError {
    #[derive(Deserialize)]
    struct Refusal {
        #[serde(default)]
        code: i64,
        #[serde(default)]
        message: String,
    }
    let refusal = serde_json::from_str(error.get()).unwrap_or(Refusal { code: 0, message: String::new() });
    AskError::Refused { code: refusal.code, message: excerpt(&refusal.message).to_owned() }
}

impl ClientFeature {
    /// Whether a client offers it. A capability is an object: one that says `false` is none.
    fn is_offered(self, offered: Option<&ClientCapabilities>, version: ProtocolVersion) -> bool {
        let Some(offered) = offered else { return false };
        let has = |capability: &Option<RawJson>| capability.as_ref().is_some_and(RawJson::is_object);
        let part = |capability: &Option<RawJson>, name| capability.as_ref().is_some_and(|it| has_member(it, name));
        let elicitation = &offered.elicitation;
        // `{}` means forms: there was nothing else.
        let forms = has(elicitation) && (part(elicitation, "form") || !part(elicitation, "url"));
        match self {
            Self::Form => version.has_elicitation() && forms,
            Self::MultiSelect => version.has_elicitation_modes() && forms,
            Self::Url => version.has_elicitation_modes() && part(elicitation, "url"),
            Self::Sampling => has(&offered.sampling),
            Self::SamplingTools => version.has_sampling_tools() && part(&offered.sampling, "tools"),
            Self::Roots => has(&offered.roots),
        }
    }

    /// The capability that a client lacks which does not offer it.
    fn capability(self) -> Value {
        match self {
            Self::Form | Self::MultiSelect => json!({ "elicitation": { "form": {} } }),
            Self::Url => json!({ "elicitation": { "url": {} } }),
            Self::Sampling => json!({ "sampling": {} }),
            Self::SamplingTools => json!({ "sampling": { "tools": {} } }),
            Self::Roots => json!({ "roots": {} }),
        }
    }
}

fn has_member(object: &RawJson, name: &str) -> bool {
    object.parse::<Value>().is_ok_and(|object| object.get(name).is_some_and(Value::is_object))
}
