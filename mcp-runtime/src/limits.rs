//! The bounds on everything that can grow, with their defaults (floor 0: shared by every floor above).

use std::{sync::LazyLock, time::Duration};

/// The bounds of a server. `None` switches a bound off. Names in an options object are camelCase
/// (`maxBodyBytes`), times there are in seconds.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Limits {
    /// `maxRequestLineBytes`: bytes of an HTTP request's target (8 KiB). Over it: 414.
    pub max_request_line_bytes: Option<usize>,
    /// `maxHeaderBytes`: bytes of all HTTP header lines together (32 KiB). Over it: 431.
    pub max_header_bytes: Option<usize>,
    /// `maxHeaders`: number of HTTP header lines (100). Over it: 431.
    pub max_headers: Option<usize>,
    /// `headerReadSeconds`: time for a request's head, from its first byte (15 s). Over it the connection is closed.
    pub header_read: Option<Duration>,
    /// `maxBodyBytes`: bytes of an HTTP request's body (4 MiB). Over it: 413.
    pub max_body_bytes: Option<usize>,
    /// `bodyReadSeconds`: time for a request's body in all (30 s). Over it: 408.
    pub body_read: Option<Duration>,
    /// `idleConnectionSeconds`: time without a request on a kept connection (60 s). Over it: closed.
    pub idle_connection: Option<Duration>,
    /// `maxConnections`: open HTTP connections (8192, or 80 % of the descriptor limit if that is less). Over it: not accepted yet.
    pub max_connections: Option<usize>,
    /// `maxUnauthenticatedRequests`: requests that have not passed authentication yet (1024). Over it: 503.
    pub max_unauthenticated_requests: Option<usize>,
    /// `maxJsonDepth`: nesting of a message (128, the parser's own and greatest bound). Over it: 400.
    pub max_json_depth: Option<usize>,
    /// `maxBatch`: messages in a batch of 2025-03-26 (100). Over it: refused.
    pub max_batch: Option<usize>,
    /// `maxLineBytes`: bytes of a line on stdio (8 MiB). Over it the line is skipped and answered with -32700.
    pub max_line_bytes: Option<usize>,
    /// `maxSessions`: sessions in all (4096). Over it the least recently used idle one is ended, else 503.
    pub max_sessions: Option<usize>,
    /// `maxSessionsPerPrincipal`: sessions of one principal (1024).
    pub max_sessions_per_principal: Option<usize>,
    /// `sessionIdleSeconds`: time without a request after which a session ends (30 min).
    pub session_idle: Option<Duration>,
    /// `sessionUnusedSeconds`: time after which a session that was never used ends (60 s).
    pub session_unused: Option<Duration>,
    /// `maxStreams`: open event streams in all (4096). Over it: 503.
    pub max_streams: Option<usize>,
    /// `maxStreamsPerPrincipal`: open event streams of one principal (1024). Over it: 429.
    pub max_streams_per_principal: Option<usize>,
    /// `streamQueueMessages`: messages waiting for one reader (256). Over it functions that report or ask wait for room, while the
    /// reader takes something at least once a second; else, and over it with what cannot wait, the stream is closed.
    pub stream_queue_messages: Option<usize>,
    /// `streamQueueBytes`: bytes waiting for one reader (4 MiB). Over it the same.
    pub stream_queue_bytes: Option<usize>,
    /// `replayEvents`: events kept for the clients of one session that resume a stream (256). Over it the oldest goes.
    pub replay_events: Option<usize>,
    /// `replayBytes`: bytes of those (1 MiB). Over it the oldest goes.
    pub replay_bytes: Option<usize>,
    /// `replaySeconds`: time that each of them is kept, and a stream without a connection with it (5 min).
    pub replay: Option<Duration>,
    /// `stalledWriteSeconds`: time without progress of a write (20 s). Over it the connection is closed.
    pub stalled_write: Option<Duration>,
    /// `keepAliveSeconds`: time between comment lines on an idle event stream (15 s).
    pub keep_alive: Option<Duration>,
    /// `maxRequestsPerSession`: requests in flight of one session (64). Over it: 429, on stdio reading stops instead.
    pub max_requests_per_session: Option<usize>,
    /// `maxSubscriptionUris`: resources that one session, or one subscription, watches (1000). Over it: refused.
    pub max_subscription_uris: Option<usize>,
    /// `callTimeoutSeconds`: time for one call, extended by its progress (5 min). Over it: -32603.
    pub call_timeout: Option<Duration>,
    /// `maxCallSeconds`: time for one call whatever it reports (1 h). Over it: -32603.
    pub max_call: Option<Duration>,
    /// `maxRounds`: how often one call may send a client away with questions (16). Over it: -32603.
    pub max_rounds: Option<usize>,
    /// `stateSeconds`: time in which a client may come back with the answers (30 min). Over it: -32602.
    pub state_age: Option<Duration>,
    /// `maxStateBytes`: bytes of what a client keeps for a call meanwhile, its `requestState` (1 MiB). Over it: -32603.
    pub max_state_bytes: Option<usize>,
    /// `maxTasks`: tasks that run or whose results are kept (1024). Over it: -32603.
    pub max_tasks: Option<usize>,
    /// `maxTasksPerPrincipal`: those of one principal, or of one session where nobody is authenticated (128). Over it: -32603.
    pub max_tasks_per_principal: Option<usize>,
    /// `taskTtlSeconds`: how long a task is kept from its creation, where its client does not say (1 h). One that still
    /// runs is kept until its end, and for up to five minutes from then on.
    pub task_ttl: Option<Duration>,
    /// `maxTaskTtlSeconds`: how long a client may ask for (24 h). Over it: so long.
    pub max_task_ttl: Option<Duration>,
    /// `maxBlockingThreads`: threads for `blocking` functions (4 × cores).
    pub max_blocking_threads: Option<usize>,
    /// `blockingQueue`: `blocking` calls that wait for a thread (1024). Over it: 503, or -32603.
    pub blocking_queue: Option<usize>,
    /// `shutdownGraceSeconds`: time that running calls get when the server stops (10 s).
    pub shutdown_grace: Option<Duration>,
    /// `fetchSeconds`: time for one request to a key server or an identity provider (5 s). Over it: as if it were down.
    pub fetch: Option<Duration>,
    /// `maxFetchBytes`: bytes of an answer from there (1 MiB). Over it: as if it were down.
    pub max_fetch_bytes: Option<usize>,
    /// `maxKeys`: keys in a published set (100). Over it the set is refused, and the last one stays.
    pub max_keys: Option<usize>,
    /// `jwksAgeSeconds`: time after which a key set is fetched again (10 min, or less if its server says so).
    pub jwks_age: Option<Duration>,
    /// `jwksRefetchSeconds`: least time between two fetches for the sake of keys that are not in the set (30 s).
    pub jwks_refetch: Option<Duration>,
    /// `jwksGraceSeconds`: how long an outdated key set serves while its server is down (1 h). Over it: 503.
    pub jwks_grace: Option<Duration>,
    /// `introspectionSeconds`: how long a provider's word on a token is believed (30 s; 5 s at most if it was no).
    pub introspection: Option<Duration>,
    /// `introspectionEntries`: tokens whose introspection is remembered (10 000). Over it: asked again.
    pub introspection_entries: Option<usize>,
    /// `maxLogLinesPerSecond`: lines that one place in our code logs in a second, where `run` logs (10). Over it they are
    /// counted, and how many is told with the next one.
    pub max_log_lines: Option<usize>,
    /// `rememberedTokens`: tokens whose signature was verified and is not computed again (10 000).
    pub remembered_tokens: Option<usize>,
}

/// How many threads run at a time. Asked once: the answer is read from files.
pub(crate) fn cores() -> usize {
    static CORES: LazyLock<usize> = LazyLock::new(|| std::thread::available_parallelism().map_or(1, usize::from));
    *CORES
}

impl Default for Limits {
    fn default() -> Self {
        const KIB: usize = 1024;
        const MIB: usize = 1024 * KIB;
        let seconds = |n| Some(Duration::from_secs(n));
        Self {
            max_request_line_bytes: Some(8 * KIB),
            max_header_bytes: Some(32 * KIB),
            max_headers: Some(100),
            header_read: seconds(15),
            max_body_bytes: Some(4 * MIB),
            body_read: seconds(30),
            idle_connection: seconds(60),
            max_connections: Some(8192),
            max_unauthenticated_requests: Some(1024),
            max_json_depth: Some(128),
            max_batch: Some(100),
            max_line_bytes: Some(8 * MIB),
            max_sessions: Some(4096),
            max_sessions_per_principal: Some(1024),
            session_idle: seconds(30 * 60),
            session_unused: seconds(60),
            max_streams: Some(4096),
            max_streams_per_principal: Some(1024),
            stream_queue_messages: Some(256),
            stream_queue_bytes: Some(4 * MIB),
            replay_events: Some(256),
            replay_bytes: Some(MIB),
            replay: seconds(5 * 60),
            stalled_write: seconds(20),
            keep_alive: seconds(15),
            max_requests_per_session: Some(64),
            max_subscription_uris: Some(1000),
            call_timeout: seconds(5 * 60),
            max_call: seconds(60 * 60),
            max_rounds: Some(16),
            state_age: seconds(30 * 60),
            max_state_bytes: Some(MIB),
            max_tasks: Some(1024),
            max_tasks_per_principal: Some(128),
            task_ttl: seconds(60 * 60),
            max_task_ttl: seconds(24 * 60 * 60),
            max_blocking_threads: Some(4 * cores()),
            blocking_queue: Some(1024),
            shutdown_grace: seconds(10),
            fetch: seconds(5),
            max_fetch_bytes: Some(MIB),
            max_keys: Some(100),
            jwks_age: seconds(10 * 60),
            jwks_refetch: seconds(30),
            jwks_grace: seconds(60 * 60),
            introspection: seconds(30),
            introspection_entries: Some(10_000),
            max_log_lines: Some(10),
            remembered_tokens: Some(10_000),
        }
    }
}
