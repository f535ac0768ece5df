//! What is measured: the servers, the ways to them, the calls.

use std::io;

use serde_json::{Value, json};

use crate::other;

/// Who is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Server {
    Ours,
    /// Ours without what stdio has no use for.
    OursLean,
    /// Ours with the transports that the ceiling has, without authentication and layers of options.
    OursPlain,
    Ceiling,
    /// The ceiling on stdio with one thread that waits.
    CeilingBlocking,
    RmcpDefault,
    RmcpTuned,
    Typescript,
}

impl Server {
    pub(crate) const ALL: [(&str, Self); 8] = [
        ("ours", Self::Ours),
        ("ours-lean", Self::OursLean),
        ("ours-plain", Self::OursPlain),
        ("ceiling", Self::Ceiling),
        ("ceiling-blocking", Self::CeilingBlocking),
        ("rmcp-default", Self::RmcpDefault),
        ("rmcp-tuned", Self::RmcpTuned),
        ("typescript", Self::Typescript),
    ];

    pub(crate) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|(known, _)| *known == name).map(|(_, server)| server)
    }

    pub(crate) fn name(self) -> &'static str {
        Self::ALL.into_iter().find(|(_, server)| *server == self).map_or("", |(name, _)| name)
    }
}

/// How a call reaches the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum How {
    /// A POST of 2025-11-25 without a session.
    Stateless,
    /// The same in a session.
    Session,
    /// A POST of 2026-07-28.
    Newest,
    /// A POST whose answer comes on a stream of its own (2024-11-05).
    Sse,
    /// A session of four requests for each call.
    Whole,
    /// A line, with so many of them under way.
    Stdio(usize),
}

/// What is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum What {
    Add,
    /// `add` with three notifications on its way.
    Progress,
    /// 64 KiB out.
    Big,
    /// 64 KiB in and out.
    Echo,
    List,
    Read,
}

/// What a request has to show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Guard {
    Open,
    Hs256,
    Rs256,
}

/// A path of the table.
#[derive(Debug)]
pub(crate) struct Path {
    pub(crate) name: &'static str,
    pub(crate) how: How,
    pub(crate) what: What,
    pub(crate) guard: Guard,
    /// How many tools the server has, if more than its own.
    pub(crate) tools: usize,
    /// Sessions beside those that call.
    pub(crate) others: usize,
    /// Calls of a run that measures time.
    pub(crate) calls: usize,
}

const fn path(name: &'static str, how: How, what: What, calls: usize) -> Path {
    Path { name, how, what, guard: Guard::Open, tools: 0, others: 0, calls }
}

const fn guarded(name: &'static str, guard: Guard) -> Path {
    Path { guard, ..path(name, How::Stateless, What::Add, 40_000) }
}

const fn among_tools(name: &'static str, tools: usize) -> Path {
    Path { tools, ..path(name, How::Stateless, What::Add, 40_000) }
}

const fn among_sessions(name: &'static str, others: usize) -> Path {
    Path { others, ..path(name, How::Session, What::Add, 40_000) }
}

pub(crate) const PATHS: [Path; 20] = [
    path("stateless", How::Stateless, What::Add, 40_000),
    path("session", How::Session, What::Add, 40_000),
    path("2026-07-28", How::Newest, What::Add, 40_000),
    path("sse", How::Sse, What::Add, 40_000),
    guarded("hs256", Guard::Hs256),
    guarded("rs256", Guard::Rs256),
    path("whole", How::Whole, What::Add, 10_000),
    Path { tools: 100, ..path("list", How::Stateless, What::List, 20_000) },
    path("read", How::Stateless, What::Read, 40_000),
    path("big", How::Stateless, What::Big, 8_000),
    path("echo", How::Stateless, What::Echo, 8_000),
    path("progress", How::Stateless, What::Progress, 20_000),
    path("stdio", How::Stdio(1), What::Add, 100_000),
    path("stdio-32", How::Stdio(32), What::Add, 400_000),
    among_tools("tools-10", 10),
    among_tools("tools-100", 100),
    among_tools("tools-1000", 1000),
    among_sessions("sessions-1", 0),
    among_sessions("sessions-100", 99),
    among_sessions("sessions-10000", 9999),
];

impl Path {
    /// Where the path's calls go to.
    pub(crate) fn target(&self, server: Server) -> &'static str {
        match (server, self.how, self.what) {
            (_, How::Sse, _) => "/messages",
            (Server::Ceiling, _, What::List) => "/list",
            (Server::Ceiling, _, What::Read) => "/read",
            (Server::Ceiling, _, What::Big) => "/big",
            (Server::Ceiling, _, What::Echo) => "/echo",
            (Server::Ceiling, _, What::Progress) => "/progress",
            (Server::Ceiling, How::Session | How::Whole, What::Add) => "/session",
            (Server::Ceiling, How::Newest, What::Add) => "/checked",
            _ => "/mcp",
        }
    }

    /// How many calls measure the time of that server well: some take longer for each.
    pub(crate) fn calls_of(&self, server: Server) -> usize {
        match (server, self.how) {
            // 44 ms each.
            (Server::RmcpDefault, How::Session | How::Whole) => self.calls.min(1000),
            (Server::RmcpDefault | Server::RmcpTuned, How::Stdio(_)) => self.calls / 4,
            (Server::Typescript, _) => self.calls / 10,
            _ => self.calls,
        }
    }

    /// The header lines of the path's calls, beside those of the connection.
    pub(crate) fn headers(&self) -> String {
        match self.how {
            How::Newest => {
                let name = self.tool();
                format!("mcp-protocol-version: 2026-07-28\r\nmcp-method: tools/call\r\nmcp-name: {name}\r\n")
            }
            How::Sse | How::Stdio(_) => String::new(),
            How::Stateless | How::Session | How::Whole => "mcp-protocol-version: 2025-11-25\r\n".to_owned(),
        }
    }

    /// The `n`th call.
    pub(crate) fn request(&self, n: u64) -> String {
        let Numbers { id, a, b, .. } = Numbers::of(n);
        let params = match self.what {
            What::List => return r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}"#.to_owned(),
            What::Read => {
                return format!(
                    r#"{{"jsonrpc":"2.0","id":{id},"method":"resources/read","params":{{"uri":"bench://square/{a}"}}}}"#
                );
            }
            What::Add => format!(r#"{{"a":{a},"b":{b}}}"#),
            What::Progress => format!(r#"{{"a":{a},"b":{b}}},"_meta":{{"progressToken":{id}}}"#),
            What::Big => r#"{"n":64}"#.to_owned(),
            What::Echo => format!(r#"{{"message":"{}"}}"#, long()),
        };
        let params = match self.what {
            // Its brace is closed already.
            What::Progress => params,
            _ if self.how == How::Newest => format!(
                r#"{params},"_meta":{{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{{"name":"bench","version":"1.0.0"}},"io.modelcontextprotocol/clientCapabilities":{{}}}}"#
            ),
            _ => params,
        };
        let name = self.tool();
        format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"{name}","arguments":{params}}}}}"#
        )
    }

    /// Whether `answer` is the one of the `n`th call.
    pub(crate) fn check(&self, n: u64, answer: &[u8]) -> io::Result<()> {
        let Numbers { id, a, sum, .. } = Numbers::of(n);
        let has = |part: &str| memchr::memmem::find(answer, part.as_bytes()).is_some();
        let count = |part: &str| memchr::memmem::find_iter(answer, part.as_bytes()).count();
        let id_is = |id| has(&format!(r#""id":{id}"#));
        let right = match self.what {
            What::List => id_is(1) && count(r#""inputSchema""#) >= self.tools.max(3),
            What::Read => id_is(id) && has(&format!(r#""text":"{}""#, a * a)),
            What::Add => id_is(id) && has(&format!(r#""text":"{sum}""#)),
            What::Progress => id_is(id) && has(&format!(r#""text":"{sum}""#)) && count("notifications/progress") == 3,
            What::Big | What::Echo => id_is(id) && has(long()),
        };
        if right {
            return Ok(());
        }
        let shown = String::from_utf8_lossy(answer.get(..400).unwrap_or(answer)).into_owned();
        Err(other(format!("call {n} of {} was answered with {shown}", self.name)))
    }

    fn tool(&self) -> &'static str {
        match self.what {
            What::Progress => "progress",
            What::Big => "big",
            What::Echo => "echo",
            What::Add | What::List | What::Read => "add",
        }
    }
}

/// The request that opens a session.
pub(crate) fn initialize(version: &str) -> Value {
    json!({
        "jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": {
            "protocolVersion": version, "capabilities": {}, "clientInfo": { "name": "bench", "version": "1.0.0" },
        },
    })
}

/// What says that it is open.
pub(crate) const INITIALIZED: &str = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;

/// The numbers of a call: all of one length, so that one call is like the other.
#[derive(Clone, Copy)]
pub(crate) struct Numbers {
    pub(crate) id: u64,
    a: u64,
    b: u64,
    sum: u64,
}

impl Numbers {
    const FIRST: u64 = 100_000_000;

    pub(crate) fn of(n: u64) -> Self {
        let (a, b) = (1000 + n % 4000, 1000 + n * 7 % 4000);
        Self { id: Self::FIRST + n, a, b, sum: a + b }
    }

    /// Which call has this id.
    pub(crate) fn n_of(id: u64) -> Option<u64> {
        id.checked_sub(Self::FIRST)
    }
}

/// 64 KiB of text.
fn long() -> &'static str {
    static LONG: std::sync::OnceLock<String> = std::sync::OnceLock::new();
    LONG.get_or_init(|| "0123456789abcdef".repeat(4096))
}
