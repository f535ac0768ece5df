//! Calls against the clock.

use std::{
    io,
    net::SocketAddr,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::{
    cores::Cores,
    http::Connection,
    other,
    paths::{How, INITIALIZED, Path, Server, initialize},
    process::Process,
    sse::Events,
    stdio::Pipes,
    tokens::Tokens,
};

/// Connections that call at a time, over HTTP.
const CONNECTIONS: usize = 8;

/// Header lines of every HTTP request.
pub(crate) const ACCEPT: &str = "accept: application/json, text/event-stream\r\n";

/// How often each is measured: what disturbs the machine disturbs one turn, not one server.
const TURNS: usize = 20;

/// What a call costs each of the servers on its path, by a part of the calls that measure it well. They take turns, so that
/// all of them have the same machine: one core, and over HTTP another for the client. (Over pipes it shares theirs: to wake
/// another core costs more than a call.)
pub(crate) async fn measure(servers: &[(Server, &'static Path)], part: usize) -> io::Result<Vec<Value>> {
    let cores = Cores::new()?;
    let mut contenders = Vec::new();
    for (server, path) in servers {
        cores.together()?;
        contenders.push(Contender::start(*server, path, part, &cores).await?);
    }
    for turn in 0..TURNS {
        // Nobody is always the first.
        contenders.rotate_left(1);
        for contender in &mut contenders {
            contender.take_turn(turn as u64 + 1).await?;
        }
    }
    contenders.rotate_right(TURNS % servers.len().max(1));
    let mut lines = Vec::new();
    for contender in contenders {
        lines.push(contender.end().await?);
    }
    Ok(lines)
}

/// One of those who take turns.
struct Contender {
    server: Server,
    path: &'static Path,
    process: Process,
    clients: Vec<Client>,
    /// Calls of a client in a turn.
    each: usize,
    latencies: Vec<Duration>,
    elapsed: Duration,
    /// CPU for each call, in microseconds, turn by turn.
    turns: Vec<f64>,
}

impl Contender {
    async fn start(server: Server, path: &'static Path, part: usize, cores: &Cores) -> io::Result<Self> {
        let connections = if matches!(path.how, How::Stdio(_)) { 1 } else { CONNECTIONS };
        let each = (path.calls_of(server) / part.max(1) / connections / TURNS).max(1);
        let tokens = Tokens::of(path)?;
        let mut process = Process::start(server, path, &tokens, &[]).await?;
        if process.address.is_some() {
            cores.apart()?;
        }
        let mut clients = Vec::new();
        for number in 0..connections {
            let mut client = Client::open(&mut process, server, path, &tokens, number).await?;
            client.call(0, each).await?;
            clients.push(client);
        }
        if path.others > 0 {
            open_sessions(process.address, server, path.others).await?;
        }
        let (latencies, elapsed, turns) = (Vec::new(), Duration::ZERO, Vec::new());
        Ok(Self { server, path, process, clients, each, latencies, elapsed, turns })
    }

    async fn take_turn(&mut self, turn: u64) -> io::Result<()> {
        let each = self.each;
        let (began, cpu, before) = (Instant::now(), self.process.cpu()?, self.latencies.len());
        let tasks = std::mem::take(&mut self.clients).into_iter().map(|mut client| {
            tokio::spawn(async move {
                let latencies = client.call(turn * each as u64, each).await;
                (client, latencies)
            })
        });
        for task in tasks.collect::<Vec<_>>() {
            let (client, latencies) = task.await?;
            self.clients.push(client);
            self.latencies.extend(latencies?);
        }
        self.elapsed += began.elapsed();
        let calls = self.latencies.len() - before;
        self.turns.push((self.process.cpu()? - cpu) as f64 / 1e3 / calls as f64);
        Ok(())
    }

    async fn end(mut self) -> io::Result<Value> {
        let peak = self.process.peak()?;
        drop(self.clients);
        self.process.end().await?;
        self.latencies.sort_unstable();
        let made = self.latencies.len();
        let percentile = |part: usize| micros(self.latencies[(made * part / 100).min(made - 1)]);
        let cpu = self.turns.iter().sum::<f64>() / self.turns.len() as f64;
        let turns: Vec<_> = self.turns.iter().copied().map(round).collect();
        Ok(json!({
            "kind": "call", "server": self.server.name(), "path": self.path.name, "calls": made,
            "cpu_us": round(cpu), "turns": turns, "per_second": (made as f64 / self.elapsed.as_secs_f64()).round(),
            "p50_us": percentile(50), "p90_us": percentile(90), "p99_us": percentile(99), "peak_kib": peak,
        }))
    }
}

/// Somebody who calls.
#[derive(Debug)]
pub(crate) enum Client {
    Http { server: Server, path: &'static Path, connection: Connection, body: Vec<u8> },
    Sse { path: &'static Path, connection: Connection, target: String, events: Events, body: Vec<u8> },
    Stdio { path: &'static Path, pipes: Pipes, in_flight: usize },
}

impl Client {
    pub(crate) async fn open(
        process: &mut Process,
        server: Server,
        path: &'static Path,
        tokens: &Tokens,
        number: usize,
    ) -> io::Result<Self> {
        if let How::Stdio(in_flight) = path.how {
            return Ok(Self::Stdio { path, pipes: Pipes::open(&mut process.child).await?, in_flight });
        }
        let address = process.address.ok_or_else(|| other("the server does not listen"))?;
        let headers = format!("{ACCEPT}{}", tokens.header(number)?);
        let mut connection = Connection::open(address, headers.clone()).await?;
        let mut body = Vec::new();
        match path.how {
            How::Session => {
                let session = open_session(&mut connection, server, &mut body).await?;
                connection.add_header(&format!("mcp-session-id: {session}"));
                Ok(Self::Http { server, path, connection, body })
            }
            How::Sse => {
                let stream = Connection::open(address, headers).await?;
                let mut events = Events::open(stream, "GET", "/sse", "", "").await?;
                events.next(&mut body).await?;
                let target = String::from_utf8_lossy(&body).into_owned();
                accept(&mut connection, &target, &initialize("2024-11-05").to_string()).await?;
                events.next(&mut body).await?;
                accept(&mut connection, &target, INITIALIZED).await?;
                Ok(Self::Sse { path, connection, target, events, body })
            }
            How::Stateless | How::Newest | How::Whole | How::Stdio(_) => {
                Ok(Self::Http { server, path, connection, body })
            }
        }
    }

    /// Makes the calls from `first` on, and says how long each took.
    pub(crate) async fn call(&mut self, first: u64, calls: usize) -> io::Result<Vec<Duration>> {
        if let Self::Stdio { path, pipes, in_flight } = self {
            return pipes.call(path, first, calls, *in_flight).await;
        }
        let mut latencies = Vec::with_capacity(calls);
        for n in first..first + calls as u64 {
            let began = Instant::now();
            self.one(n).await?;
            latencies.push(began.elapsed());
        }
        Ok(latencies)
    }

    async fn one(&mut self, n: u64) -> io::Result<()> {
        match self {
            Self::Http { server, path, connection, body } if path.how == How::Whole => {
                let session = open_session(connection, *server, body).await?;
                let headers = format!("{}mcp-session-id: {session}\r\n", path.headers());
                let target = path.target(*server);
                expect(connection.exchange("POST", target, &headers, &path.request(n), body).await?.status, 200)?;
                path.check(n, body)?;
                let status = connection.exchange("DELETE", target, &headers, "", body).await?.status;
                // Some say it with 202 or 204.
                expect(status / 100, 2)
            }
            Self::Http { server, path, connection, body } => {
                let target = path.target(*server);
                let head = connection.exchange("POST", target, &path.headers(), &path.request(n), body).await?;
                path.check(n, body)?;
                expect(head.status, 200)
            }
            Self::Sse { path, connection, target, events, body } => {
                accept(connection, target, &path.request(n)).await?;
                events.next(body).await?;
                path.check(n, body)
            }
            Self::Stdio { .. } => Ok(()),
        }
    }
}

/// Opens so many sessions that nobody uses.
pub(crate) async fn open_sessions(address: Option<SocketAddr>, server: Server, count: usize) -> io::Result<()> {
    let address = address.ok_or_else(|| other("the server does not listen"))?;
    let mut connection = Connection::open(address, ACCEPT.to_owned()).await?;
    let mut body = Vec::new();
    for _ in 0..count {
        open_session(&mut connection, server, &mut body).await?;
    }
    Ok(())
}

/// Opens a session, and gives its name.
async fn open_session(connection: &mut Connection, server: Server, body: &mut Vec<u8>) -> io::Result<String> {
    let target = if server == Server::Ceiling { "/open" } else { "/mcp" };
    let opened = connection.exchange("POST", target, "", &initialize("2025-11-25").to_string(), body).await?;
    expect(opened.status, 200)?;
    if memchr::memmem::find(body, b"2025-11-25").is_none() {
        return Err(other(format!("no handshake: {}", String::from_utf8_lossy(body))));
    }
    let session = opened.session.ok_or_else(|| other("the answer to `initialize` names no session"))?;
    let headers = format!("mcp-protocol-version: 2025-11-25\r\nmcp-session-id: {session}\r\n");
    expect(connection.exchange("POST", target, &headers, INITIALIZED, body).await?.status, 202)?;
    Ok(session)
}

/// Sends what is answered elsewhere.
async fn accept(connection: &mut Connection, target: &str, content: &str) -> io::Result<()> {
    expect(connection.exchange("POST", target, "", content, &mut Vec::new()).await?.status, 202)
}

fn expect(status: u16, expected: u16) -> io::Result<()> {
    if status == expected { Ok(()) } else { Err(other(format!("status {status} where {expected} was expected"))) }
}

pub(crate) fn micros(time: Duration) -> f64 {
    round(time.as_secs_f64() * 1e6)
}

/// To two digits behind the point.
pub(crate) fn round(number: f64) -> f64 {
    (number * 100.0).round() / 100.0
}
