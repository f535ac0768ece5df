//! A server as a process: how it is started, and what /proc says of it.

use std::{io, net::SocketAddr, path::PathBuf, process::Stdio};

use tokio::{
    io::{AsyncBufReadExt, BufReader},
    process::{Child, Command},
};

use crate::{
    other,
    paths::{Guard, How, Path, Server, What},
    tokens::Tokens,
};

#[derive(Debug)]
pub(crate) struct Process {
    pub(crate) child: Child,
    pid: u32,
    /// Where it listens, unless it is asked by its pipes.
    pub(crate) address: Option<SocketAddr>,
}

impl Process {
    /// Starts the server as the path needs it; `under` is what runs it, with arguments.
    pub(crate) async fn start(server: Server, path: &Path, tokens: &Tokens, under: &[String]) -> io::Result<Self> {
        let mut command = command(server, path, tokens, under).await?;
        let stdio = matches!(path.how, How::Stdio(_));
        if stdio {
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        } else {
            command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        }
        if !under.is_empty() {
            // What is counted is counted on one core.
            command.env("TOKIO_WORKER_THREADS", "1");
        }
        let mut child = command.kill_on_drop(true).spawn()?;
        let pid = child.id().ok_or_else(|| other("the server is gone"))?;
        let address = if stdio { None } else { Some(listening(&mut child).await?) };
        Ok(Self { child, pid, address })
    }

    /// CPU time so far, in nanoseconds: user and kernel, all threads.
    pub(crate) fn cpu(&self) -> io::Result<u64> {
        let mut sum = 0;
        for thread in std::fs::read_dir(format!("/proc/{}/task", self.pid))? {
            let text = std::fs::read_to_string(thread?.path().join("schedstat"))?;
            sum += text.split(' ').next().and_then(|time| time.parse::<u64>().ok()).unwrap_or_default();
        }
        Ok(sum)
    }

    /// Resident memory in KiB.
    pub(crate) fn resident(&self) -> io::Result<u64> {
        self.status("VmRSS:")
    }

    /// What of it is no page of a file: the process's own, which nobody shares and the kernel cannot drop. In KiB.
    pub(crate) fn anonymous(&self) -> io::Result<u64> {
        self.status("RssAnon:")
    }

    /// The most that it ever was.
    pub(crate) fn peak(&self) -> io::Result<u64> {
        self.status("VmHWM:")
    }

    /// Asks it to end (by SIGTERM, or the end of its input), and waits for that.
    pub(crate) async fn end(mut self) -> io::Result<()> {
        drop(self.child.stdin.take());
        if self.address.is_some() {
            let pid = i32::try_from(self.pid).ok().and_then(rustix::process::Pid::from_raw);
            let pid = pid.ok_or_else(|| other("no process"))?;
            rustix::process::kill_process(pid, rustix::process::Signal::TERM)?;
        }
        self.child.wait().await.map(drop)
    }

    fn status(&self, name: &str) -> io::Result<u64> {
        let text = std::fs::read_to_string(format!("/proc/{}/status", self.pid))?;
        let line = text.lines().find_map(|line| line.strip_prefix(name));
        line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok())
            .ok_or_else(|| other(format!("/proc tells no {name}")))
    }
}

async fn command(server: Server, path: &Path, tokens: &Tokens, under: &[String]) -> io::Result<Command> {
    let stdio = matches!(path.how, How::Stdio(_));
    let mut words = under.to_vec();
    match server {
        Server::Ours => words.push(sibling("bench-server")?),
        Server::OursLean => words.push(variable("BENCH_LEAN")?),
        Server::OursPlain => words.push(variable("BENCH_PLAIN")?),
        Server::Ceiling => words.extend([sibling("bench-ceiling")?, if stdio { "stdio" } else { "http" }.to_owned()]),
        Server::CeilingBlocking => words.extend([sibling("bench-ceiling")?, "stdio-blocking".to_owned()]),
        Server::RmcpDefault | Server::RmcpTuned => {
            let mode = if server == Server::RmcpDefault { "default" } else { "tuned" };
            let door = match path.how {
                How::Stdio(_) => "stdio",
                How::Session | How::Whole => "session",
                _ => "stateless",
            };
            words.extend([variable("BENCH_RMCP")?, mode.to_owned(), door.to_owned()]);
        }
        Server::Typescript => words.extend(["node".to_owned(), variable("BENCH_TYPESCRIPT")?]),
    }
    if server == Server::Ceiling && path.what == What::List {
        words.push(list(path, tokens).await?);
    }
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]);
    // Options of ours come from the environment; none but those said here.
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("MCP_") {
            command.env_remove(name);
        }
    }
    if server == Server::Ours {
        configure(&mut command, path, tokens)?;
    }
    Ok(command)
}

fn configure(command: &mut Command, path: &Path, tokens: &Tokens) -> io::Result<()> {
    if path.tools > 0 {
        command.env("BENCH_TOOLS", path.tools.to_string());
    }
    if matches!(path.how, How::Stdio(_)) {
        return Ok(());
    }
    command.env("MCP_TRANSPORT", "sse").env("MCP_PORT", "0");
    if path.how == How::Stateless {
        command.env("MCP_SESSIONS", "false");
    }
    if path.others > 500 {
        // More than the defaults allow, and longer than they would wait for their first use.
        let limits = r#"{"maxSessions":20000,"maxSessionsPerPrincipal":20000,"sessionUnusedSeconds":3600}"#;
        let options = format!(r#"{{"transport":{{"type":"sse","options":{{"limits":{limits}}}}}}}"#);
        let file = scratch("options.json")?;
        std::fs::write(&file, options)?;
        command.env("MCP_CONFIG", file);
    }
    if path.guard != Guard::Open {
        command.env("MCP_AUTH", "jwt").env("MCP_JWT_ISSUER", Tokens::ISSUER).env("MCP_JWT_AUDIENCE", Tokens::AUDIENCE);
    }
    match path.guard {
        Guard::Open => {}
        Guard::Hs256 => {
            command.env("MCP_JWT_ALGORITHMS", "HS256").env("MCP_JWT_SECRET", Tokens::SECRET);
        }
        Guard::Rs256 => {
            command.env("MCP_JWT_ALGORITHMS", "RS256").env("MCP_JWT_PUBLIC_KEY", tokens.public_key()?);
        }
    }
    Ok(())
}

/// A file with the bytes by which our server answers `tools/list`, for the ceiling to answer the same.
async fn list(path: &Path, tokens: &Tokens) -> io::Result<String> {
    let ours = Box::pin(Process::start(Server::Ours, path, tokens, &[])).await?;
    let address = ours.address.ok_or_else(|| other("it does not listen"))?;
    let mut connection = crate::http::Connection::open(address, crate::calls::ACCEPT.to_owned()).await?;
    let mut body = Vec::new();
    let target = path.target(Server::Ours);
    connection.exchange("POST", target, &path.headers(), &path.request(0), &mut body).await?;
    path.check(0, &body)?;
    ours.end().await?;
    let file = scratch("list.json")?;
    std::fs::write(&file, body)?;
    file.into_os_string().into_string().map_err(|_| other("a path that is no text"))
}

/// Reads what the server says until it says where it listens; what it says later is read and forgotten.
async fn listening(child: &mut Child) -> io::Result<SocketAddr> {
    let mut lines = BufReader::new(child.stderr.take().ok_or_else(|| other("no standard error"))?).lines();
    let mut said = String::new();
    while let Some(line) = lines.next_line().await? {
        if let Some((_, address)) = line.split_once("listening on http://") {
            tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
            return address.trim().parse().map_err(|_| other(format!("`{address}` is no address")));
        }
        said.push_str(&line);
        said.push('\n');
    }
    Err(other(format!("the server did not listen: {said}")))
}

/// A program that is built together with this one.
pub(crate) fn sibling(name: &str) -> io::Result<String> {
    let path = std::env::current_exe()?.with_file_name(name);
    path.into_os_string().into_string().map_err(|_| other("a path that is no text"))
}

/// A file that a run needs, beside the programs.
pub(crate) fn scratch(name: &str) -> io::Result<PathBuf> {
    let directory = std::env::current_exe()?.with_file_name("bench-scratch");
    std::fs::create_dir_all(&directory)?;
    Ok(directory.join(name))
}

fn variable(name: &str) -> io::Result<String> {
    std::env::var(name).map_err(|_| other(format!("{name} does not say where the server is; see benches/run")))
}
