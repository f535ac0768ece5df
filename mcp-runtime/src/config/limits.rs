//! The names of the limits in an options object, and the values that each can take.

use std::time::Duration;

use serde_json::Value;

use super::reader::{At, Reader};
use crate::{limits::Limits, server::error::Error};

const PATH: &str = "transport.options.limits";

/// Lays the members of a `limits` object over `limits`.
pub(super) fn read(at: At<'_>, reader: &mut Reader<'_>, limits: &mut Limits) {
    let Some(mut object) = reader.object(at) else {
        return;
    };
    for (name, slot) in slots(limits) {
        if let Some(at) = object.take(name) {
            slot.read(&at, reader);
        }
    }
    reader.finish(object, |_| None);
}

/// What is wrong with limits that were given in code.
pub(crate) fn problems(limits: &Limits) -> Vec<Error> {
    let mut limits = limits.clone();
    let wrong = slots(&mut limits).into_iter().filter_map(|(name, slot)| {
        let reason = slot.problem()?;
        Some(Error::InvalidOption { path: format!("{PATH}.{name}"), reason, source_name: String::new() })
    });
    wrong.collect()
}

/// Where a limit of that name belongs, for one that was written in another object.
pub(super) fn path_of(name: &str) -> Option<&'static str> {
    slots(&mut Limits::default()).iter().any(|(known, _)| *known == name).then_some(PATH)
}

enum Slot<'l> {
    Count(&'l mut Option<usize>, Range),
    Seconds(&'l mut Option<Duration>, Range),
}

#[derive(Clone, Copy, PartialEq)]
enum Range {
    /// From one up: zero would leave nothing that can be served.
    Positive,
    /// Zero means something: none of it, or at once.
    FromZero,
    /// From one up to what the JSON parser itself bears.
    Depth,
}

/// The greatest depth of a message: the parser's own bound.
const MAX_DEPTH: usize = 128;
/// Longer times overflow the clock on some systems, and are meant as "never" anyway.
const MAX_SECONDS: f64 = 1e9;

impl Slot<'_> {
    fn read(self, at: &At<'_>, reader: &mut Reader<'_>) {
        match self {
            Self::Count(slot, range) => {
                let problem = |value| count_problem(value, range);
                store(slot, at, reader, count, problem, "a whole number");
            }
            Self::Seconds(slot, range) => {
                let problem = |value| time_problem(value, range);
                let what = "a number of seconds (up to 1000000000)";
                store(slot, at, reader, seconds, problem, what);
            }
        }
    }

    fn problem(&self) -> Option<String> {
        match self {
            Self::Count(slot, range) => slot.and_then(|value| count_problem(value, *range)),
            Self::Seconds(slot, range) => slot.and_then(|value| time_problem(value, *range)),
        }
    }
}

fn store<T: Copy>(
    slot: &mut Option<T>,
    at: &At<'_>,
    reader: &mut Reader<'_>,
    parse: fn(&Value) -> Option<T>,
    problem: impl Fn(T) -> Option<String>,
    what: &str,
) {
    if reader.is_null(at) {
        *slot = None;
        return;
    }
    let Some(value) = parse(at.value) else {
        reader.expected::<()>(at, &format!("{what}, or null to switch the limit off"));
        return;
    };
    match problem(value) {
        Some(reason) => reader.invalid(&at.path, reason),
        None => *slot = Some(value),
    }
}

fn count(value: &Value) -> Option<usize> {
    value.as_u64()?.try_into().ok()
}

fn seconds(value: &Value) -> Option<Duration> {
    let seconds = value.as_f64().filter(|seconds| *seconds <= MAX_SECONDS)?;
    Duration::try_from_secs_f64(seconds).ok()
}

fn count_problem(count: usize, range: Range) -> Option<String> {
    match (count, range) {
        (0, Range::Positive | Range::Depth) => Some(NOTHING_LEFT.into()),
        (depth, Range::Depth) if depth > MAX_DEPTH => {
            Some(format!("{depth} is too deep; {MAX_DEPTH} is the most that the parser bears"))
        }
        _ => None,
    }
}

fn time_problem(time: Duration, range: Range) -> Option<String> {
    if time.is_zero() && range != Range::FromZero {
        return Some(NOTHING_LEFT.into());
    }
    (time.as_secs_f64() > MAX_SECONDS).then(|| "is more than 1000000000 s; write null to switch the limit off".into())
}

const NOTHING_LEFT: &str = "0 leaves nothing that can be served; write null to switch the limit off";

/// Every limit by its name. It takes the struct apart in full, so that a new limit cannot be forgotten here.
fn slots(limits: &mut Limits) -> Vec<(&'static str, Slot<'_>)> {
    use Range::{Depth, FromZero, Positive};
    use Slot::{Count, Seconds};
    let Limits {
        max_request_line_bytes,
        max_header_bytes,
        max_headers,
        header_read,
        max_body_bytes,
        body_read,
        idle_connection,
        max_connections,
        max_unauthenticated_requests,
        max_json_depth,
        max_batch,
        max_line_bytes,
        max_sessions,
        max_sessions_per_principal,
        session_idle,
        session_unused,
        max_streams,
        max_streams_per_principal,
        stream_queue_messages,
        stream_queue_bytes,
        replay_events,
        replay_bytes,
        replay,
        stalled_write,
        keep_alive,
        max_requests_per_session,
        max_subscription_uris,
        call_timeout,
        max_call,
        max_rounds,
        state_age,
        max_state_bytes,
        max_tasks,
        max_tasks_per_principal,
        task_ttl,
        max_task_ttl,
        max_blocking_threads,
        blocking_queue,
        shutdown_grace,
        fetch,
        max_fetch_bytes,
        max_keys,
        jwks_age,
        jwks_refetch,
        jwks_grace,
        introspection,
        introspection_entries,
        max_log_lines,
        remembered_tokens,
    } = limits;
    vec![
        ("maxRequestLineBytes", Count(max_request_line_bytes, Positive)),
        ("maxHeaderBytes", Count(max_header_bytes, Positive)),
        ("maxHeaders", Count(max_headers, Positive)),
        ("headerReadSeconds", Seconds(header_read, Positive)),
        ("maxBodyBytes", Count(max_body_bytes, Positive)),
        ("bodyReadSeconds", Seconds(body_read, Positive)),
        ("idleConnectionSeconds", Seconds(idle_connection, Positive)),
        ("maxConnections", Count(max_connections, Positive)),
        ("maxUnauthenticatedRequests", Count(max_unauthenticated_requests, Positive)),
        ("maxJsonDepth", Count(max_json_depth, Depth)),
        ("maxBatch", Count(max_batch, FromZero)),
        ("maxLineBytes", Count(max_line_bytes, Positive)),
        ("maxSessions", Count(max_sessions, Positive)),
        ("maxSessionsPerPrincipal", Count(max_sessions_per_principal, Positive)),
        ("sessionIdleSeconds", Seconds(session_idle, Positive)),
        ("sessionUnusedSeconds", Seconds(session_unused, Positive)),
        ("maxStreams", Count(max_streams, Positive)),
        ("maxStreamsPerPrincipal", Count(max_streams_per_principal, Positive)),
        ("streamQueueMessages", Count(stream_queue_messages, Positive)),
        ("streamQueueBytes", Count(stream_queue_bytes, Positive)),
        ("replayEvents", Count(replay_events, FromZero)),
        ("replayBytes", Count(replay_bytes, FromZero)),
        ("replaySeconds", Seconds(replay, FromZero)),
        ("stalledWriteSeconds", Seconds(stalled_write, Positive)),
        ("keepAliveSeconds", Seconds(keep_alive, Positive)),
        ("maxRequestsPerSession", Count(max_requests_per_session, Positive)),
        ("maxSubscriptionUris", Count(max_subscription_uris, FromZero)),
        ("callTimeoutSeconds", Seconds(call_timeout, Positive)),
        ("maxCallSeconds", Seconds(max_call, Positive)),
        ("maxRounds", Count(max_rounds, Positive)),
        ("stateSeconds", Seconds(state_age, Positive)),
        ("maxStateBytes", Count(max_state_bytes, Positive)),
        ("maxTasks", Count(max_tasks, Positive)),
        ("maxTasksPerPrincipal", Count(max_tasks_per_principal, Positive)),
        ("taskTtlSeconds", Seconds(task_ttl, Positive)),
        ("maxTaskTtlSeconds", Seconds(max_task_ttl, Positive)),
        ("maxBlockingThreads", Count(max_blocking_threads, Positive)),
        ("blockingQueue", Count(blocking_queue, FromZero)),
        ("shutdownGraceSeconds", Seconds(shutdown_grace, FromZero)),
        ("fetchSeconds", Seconds(fetch, Positive)),
        ("maxFetchBytes", Count(max_fetch_bytes, Positive)),
        ("maxKeys", Count(max_keys, Positive)),
        ("jwksAgeSeconds", Seconds(jwks_age, Positive)),
        ("jwksRefetchSeconds", Seconds(jwks_refetch, Positive)),
        ("jwksGraceSeconds", Seconds(jwks_grace, FromZero)),
        ("introspectionSeconds", Seconds(introspection, FromZero)),
        ("introspectionEntries", Count(introspection_entries, FromZero)),
        ("maxLogLinesPerSecond", Count(max_log_lines, Positive)),
        ("rememberedTokens", Count(remembered_tokens, FromZero)),
    ]
}
