//! What clients ask to be told: `resources/subscribe` and its end, and `subscriptions/listen`.

use std::{collections::HashSet, sync::Arc};

use serde::Deserialize;
use serde_json::value::RawValue;

use super::{
    answer::Frame,
    changes::{Bus, Ear, Full, Listener, SUBSCRIPTION_ID, Wanted},
    dispatch::{Fault, Outcome, Received, Refusal, Request},
    nearest::excerpt,
    params,
    registry::{List, Registry},
    running::UnderWay,
    tasks::{Tasks, requests},
};
use crate::{
    limits::Limits,
    protocol::{ErrorCode, RpcError, jsonrpc::Id},
    session::Session,
};

/// A longer URI is no resource's.
const MAX_URI_BYTES: usize = 8 * 1024;

/// Lets a session hear of the lists that it was offered; where none can be heard, of nothing.
pub(super) fn join(bus: &Arc<Bus>, registry: &Registry, session: &Arc<Session>) {
    if session.agreed().is_some() && session.hears() {
        let wanted = Wanted {
            tools: registry.has(List::Tools),
            prompts: registry.has(List::Prompts),
            resources: registry.has(List::Resources),
            ..Wanted::default()
        };
        bus.join(session, wanted);
    }
}

/// Answers `resources/subscribe` (versions with sessions): any URI will do, since what is not there may come.
pub(super) fn subscribe(bus: &Arc<Bus>, limits: &Limits, request: &Request<'_>) -> Result<(), Refusal> {
    let session = request.caller.session;
    let uri = watched_uri(request)?;
    may_read(request, &uri)?;
    join(bus, request.registry, session);
    Ok(bus.watch(session, &uri, limits.max_subscription_uris)?)
}

/// Answers `resources/unsubscribe`.
pub(super) fn unsubscribe(bus: &Bus, request: &Request<'_>) -> Result<(), Refusal> {
    bus.unwatch(request.caller.session, &watched_uri(request)?);
    Ok(())
}

/// Takes `subscriptions/listen` (2026-07-28): it lasts until it is cancelled, or the server ends it.
pub(super) fn listen(
    bus: &Arc<Bus>,
    tasks: &Tasks,
    frame: &Arc<Frame>,
    limits: &Limits,
    request: &Request<'_>,
) -> Result<Received, Refusal> {
    let (caller, id) = (request.caller, request.id);
    let offers = |list| request.registry.has(list);
    if ![List::Tools, List::Prompts, List::Resources].into_iter().any(offers) {
        return Err(RpcError::new(ErrorCode::MethodNotFound, "this server has nothing that could change").into());
    }
    let asked = Filter::read(request.raw, limits)?;
    for uri in &asked.uris {
        may_read(request, uri)?;
    }
    let wanted = Wanted {
        tools: asked.tools && offers(List::Tools),
        prompts: asked.prompts && offers(List::Prompts),
        resources: asked.resources && offers(List::Resources),
        uris: if offers(List::Resources) { asked.uris } else { HashSet::new() },
        tasks: own_tasks(tasks, request, asked.tasks)?,
    };
    let under_way = UnderWay::lasting(caller.session, id)?;
    let pipe = caller.reply.is_none().then(|| Arc::clone(caller.session));
    let ear = match caller.reply {
        Some(reply) => Ear::Reply(Arc::clone(reply.queue())),
        None => Ear::Pipe(Arc::downgrade(caller.session)),
    };
    let acknowledgement = acknowledgement(id, &wanted);
    let listener = Listener { session: caller.session, ear, wanted, id: id.as_str(), call: &under_way.call };
    let (most_uris, most) = (limits.max_subscription_uris, limits.max_streams_per_principal);
    let (subscription, ended) = bus.subscribe(listener, acknowledgement, most_uris, most)?;
    let frame = Arc::clone(frame);
    let id = id.as_str().to_owned();
    Ok(Received::Pending(Box::pin(async move {
        let call = Arc::clone(&under_way.call);
        tokio::select! {
            biased;
            () = call.cancelled() => return None,
            _ = ended => {}
        }
        drop((subscription, under_way));
        let mut answer = Vec::new();
        frame.write_end(&mut answer, Id::of(&id), SUBSCRIPTION_ID);
        let Some(pipe) = pipe else { return Some(Outcome { answer, fault: None }) };
        // On a pipe nothing closes, so that the standard wants it said twice.
        let cancelled = format!(
            r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{id},"reason":"the server ends the subscription"}}}}"#
        );
        for message in [answer, cancelled.into_bytes()] {
            // Closed means that nobody reads it any more.
            let _ = pipe.outbox.send(message).await;
        }
        None
    })))
}

/// What `subscriptions/listen` asks for; kinds that are not known are nobody's.
#[derive(Default)]
struct Filter {
    tools: bool,
    prompts: bool,
    resources: bool,
    uris: HashSet<String>,
    /// Ids of tasks.
    tasks: Option<Vec<String>>,
}

impl Filter {
    /// # Errors
    /// -32602 where it is missing, does not fit, or asks for too much.
    fn read(raw: Option<&RawValue>, limits: &Limits) -> Result<Self, Refusal> {
        #[derive(Deserialize)]
        struct Params<'a> {
            #[serde(borrow, default)]
            notifications: Option<&'a RawValue>,
        }
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Notifications {
            tools_list_changed: Option<bool>,
            prompts_list_changed: Option<bool>,
            resources_list_changed: Option<bool>,
            resource_subscriptions: Option<Vec<String>>,
            task_ids: Option<Vec<String>>,
        }
        let params: Params<'_> = params::required(raw, "params.notifications")?;
        let raw = params.notifications.ok_or_else(|| RpcError::invalid_params("`params.notifications` is missing"))?;
        if !raw.get().starts_with('{') {
            return Err(RpcError::invalid_params("`params.notifications` must be an object").into());
        }
        let asked: Notifications = params::read_at("params.notifications", raw)?;
        let uris = asked.resource_subscriptions.unwrap_or_default();
        if let Some(most) = limits.max_subscription_uris.filter(|most| uris.len() > *most) {
            let message = format!("`params.notifications.resourceSubscriptions` has more than {most} entries");
            return Err(Refusal::Limit(Fault::TooMuch, RpcError::invalid_params(message)));
        }
        let tasks = asked.task_ids.as_ref().map_or(0, Vec::len);
        if let Some(most) = limits.max_subscription_uris.filter(|most| tasks > *most) {
            let message = format!("`params.notifications.taskIds` has more than {most} entries");
            return Err(Refusal::Limit(Fault::TooMuch, RpcError::invalid_params(message)));
        }
        for uri in &uris {
            check_uri("params.notifications.resourceSubscriptions", uri)?;
        }
        Ok(Self {
            tools: asked.tools_list_changed.unwrap_or_default(),
            prompts: asked.prompts_list_changed.unwrap_or_default(),
            resources: asked.resources_list_changed.unwrap_or_default(),
            uris: uris.into_iter().collect(),
            tasks: asked.task_ids,
        })
    }
}

impl From<Full> for Refusal {
    fn from(full: Full) -> Self {
        match full {
            Full::Uris(most) => {
                let message = format!("{most} resources are watched already; end another subscription first");
                Self::Limit(Fault::TooMuch, RpcError::invalid_request(message))
            }
            Full::Subscriptions(most) => {
                Self::Error(RpcError::internal(format!("{most} subscriptions are open already; end another first")))
            }
        }
    }
}

/// The first word to a subscription: what it will hear of.
fn acknowledgement(id: Id<'_>, wanted: &Wanted) -> Vec<u8> {
    let mut honoured = serde_json::Map::new();
    for (member, is_honoured) in [
        ("toolsListChanged", wanted.tools),
        ("promptsListChanged", wanted.prompts),
        ("resourcesListChanged", wanted.resources),
    ] {
        if is_honoured {
            honoured.insert(member.to_owned(), true.into());
        }
    }
    for (member, names) in [("resourceSubscriptions", &wanted.uris), ("taskIds", &wanted.tasks)] {
        if !names.is_empty() {
            let mut names: Vec<_> = names.iter().map(String::as_str).collect();
            names.sort_unstable();
            honoured.insert(member.to_owned(), names.into());
        }
    }
    let honoured = serde_json::Value::Object(honoured);
    let id = id.as_str();
    format!(
        r#"{{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{{"_meta":{{"{SUBSCRIPTION_ID}":{id}}},"notifications":{honoured}}}}}"#
    )
    .into_bytes()
}

/// The tasks of these ids that are the caller's: others do not exist.
fn own_tasks(tasks: &Tasks, request: &Request<'_>, ids: Option<Vec<String>>) -> Result<HashSet<String>, Refusal> {
    let Some(ids) = ids else { return Ok(HashSet::new()) };
    requests::must_declare(request)?;
    Ok(ids.into_iter().filter(|id| requests::is_own(tasks, request, id)).collect())
}

/// The URI of `resources/subscribe` and its end.
fn watched_uri(request: &Request<'_>) -> Result<String, Refusal> {
    if !request.registry.has(List::Resources) {
        return Err(RpcError::new(ErrorCode::MethodNotFound, "this server has no resources").into());
    }
    if !request.caller.session.hears() {
        let message = "nothing can be subscribed to without a session";
        return Err(RpcError::new(ErrorCode::MethodNotFound, message).into());
    }
    let uri = request.params.uri()?;
    check_uri("params.uri", &uri)?;
    Ok(uri.into_owned())
}

/// Whoever may not read a resource is not told when it changes either.
fn may_read(request: &Request<'_>, uri: &str) -> Result<(), Refusal> {
    let registry = request.registry;
    match registry.resource(uri).or_else(|| registry.template(uri).map(|(template, _)| template)) {
        Some(resource) => request.caller.must_have(resource.spec.scopes),
        None => Ok(()),
    }
}

/// Refuses what is no URI: a scheme, a colon, and no blanks behind it.
fn check_uri(member: &str, uri: &str) -> Result<(), RpcError> {
    let fits = uri.len() <= MAX_URI_BYTES
        && uri.split_once(':').is_some_and(|(scheme, rest)| {
            scheme.starts_with(|c: char| c.is_ascii_alphabetic())
                && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.'))
                && !rest.is_empty()
                && !rest.contains(|c: char| c.is_whitespace() || c.is_control())
        });
    if fits { Ok(()) } else { Err(RpcError::invalid_params(format!("`{member}`: `{}` is no URI", excerpt(uri)))) }
}
