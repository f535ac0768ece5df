//! What a server takes that does nothing.

use std::{io, time::Instant};

use serde_json::{Value, json};

use crate::{
    calls::{ACCEPT, micros, open_sessions, round},
    http::Connection,
    other,
    paths::{PATHS, Path, Server},
    process::Process,
    sse::Events,
    stdio::Pipes,
    tokens::Tokens,
};

/// How many there are.
const COUNT: usize = 500;
/// How many come before, so that what is made once is there.
const WARM: usize = 20;

/// Memory of each idle one of the kind: a session, an HTTP+SSE stream, a stream of `subscriptions/listen`.
pub(crate) async fn measure(server: Server, kind: &str) -> io::Result<Value> {
    let path = by_name(if kind == "listen" { "2026-07-28" } else { "session" })?;
    let tokens = Tokens::of(path)?;
    let process = Process::start(server, path, &tokens, &[]).await?;
    let mut streams = Vec::new();
    let mut open = async |count| {
        for _ in 0..count {
            match kind {
                "session" => return open_sessions(process.address, server, count).await,
                "sse" => streams.push(stream(&process, "GET", "/sse", "", "").await?),
                "listen" => {
                    let target = if server == Server::Ceiling { "/listen" } else { "/mcp" };
                    let headers = "mcp-protocol-version: 2026-07-28\r\nmcp-method: subscriptions/listen\r\n";
                    streams.push(stream(&process, "POST", target, headers, LISTEN).await?);
                }
                _ => return Err(other(format!("no kind `{kind}`"))),
            }
        }
        Ok(())
    };
    open(WARM).await?;
    let before = process.resident()?;
    open(COUNT).await?;
    let after = process.resident()?;
    process.end().await?;
    let each = round((after - before.min(after)) as f64 / COUNT as f64);
    Ok(json!({ "kind": "idle", "server": server.name(), "path": kind, "kib_each": each }))
}

const LISTEN: &str = r#"{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"bench","version":"1.0.0"},"io.modelcontextprotocol/clientCapabilities":{}}}}"#;

/// A stream whose first event has come.
async fn stream(process: &Process, method: &str, target: &str, headers: &str, content: &str) -> io::Result<Events> {
    let address = process.address.ok_or_else(|| other("the server does not listen"))?;
    let connection = Connection::open(address, ACCEPT.to_owned()).await?;
    let mut events = Events::open(connection, method, target, headers, content).await?;
    events.next(&mut Vec::new()).await?;
    Ok(events)
}

/// Time from the start to the first answer over stdio, and the memory after it: medians. The servers take turns.
pub(crate) async fn start(servers: &[Server]) -> io::Result<Vec<Value>> {
    const TURNS: usize = 100;
    let path = by_name("stdio")?;
    let tokens = Tokens::of(path)?;
    let mut runs = vec![(Vec::new(), Vec::new(), Vec::new()); servers.len()];
    for turn in 0..TURNS {
        for (server, (times, sizes, own)) in servers.iter().zip(&mut runs) {
            // That takes hundreds of milliseconds.
            if *server == Server::Typescript && turn % 10 > 0 {
                continue;
            }
            let began = Instant::now();
            let mut process = Process::start(*server, path, &tokens, &[]).await?;
            let mut pipes = Pipes::open(&mut process.child).await?;
            times.push(began.elapsed());
            pipes.call(path, 0, 1, 1).await?;
            sizes.push(process.resident()?);
            own.push(process.anonymous()?);
            drop(pipes);
            process.end().await?;
        }
    }
    let lines = servers.iter().zip(&mut runs).map(|(server, (times, sizes, own))| {
        times.sort_unstable();
        sizes.sort_unstable();
        own.sort_unstable();
        json!({
            "kind": "start", "server": server.name(), "path": "stdio",
            "first_answer_us": micros(times[times.len() / 2]), "resident_kib": sizes[sizes.len() / 2],
            "anonymous_kib": own[own.len() / 2],
        })
    });
    Ok(lines.collect())
}

fn by_name(name: &str) -> io::Result<&'static Path> {
    PATHS.iter().find(|path| path.name == name).ok_or_else(|| other(format!("no path `{name}`")))
}
