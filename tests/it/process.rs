//! A server as a process: what reaches its standard output, how it ends.

use std::{
    process::{ExitStatus, Stdio},
    time::Duration,
};

use mcp_test_support::{PATIENCE, schema::Conversation};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader, Lines},
    net::TcpStream,
    process::{Child, ChildStdin, ChildStdout, Command},
    time::timeout,
};

struct Process {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: Lines<BufReader<ChildStdout>>,
    conversation: Conversation,
}

impl Process {
    fn start(arguments: &[&str], variables: &[(&str, &str)]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_noisy"))
            .args(arguments)
            .envs(variables.iter().copied())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .expect("a process");
        let stdin = child.stdin.take();
        let stdout = BufReader::new(child.stdout.take().expect("piped")).lines();
        Self { child, stdin, stdout, conversation: Conversation::default() }
    }

    async fn ready() -> Self {
        Self::ready_with(&[], &[]).await
    }

    async fn ready_with(arguments: &[&str], variables: &[(&str, &str)]) -> Self {
        let mut process = Self::start(arguments, variables);
        // What is printed before the server starts is its own author's affair: the transport is not there yet.
        assert_eq!(process.line().await.as_deref(), Some("this is before the server starts"));
        let params = json!({"protocolVersion": "2025-06-18", "capabilities": {}});
        process.send(&json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params})).await;
        assert_eq!(process.message().await["id"], 0);
        process
    }

    async fn send(&mut self, message: &Value) {
        let line = format!("{message}\n");
        self.conversation.observe_sent(&line);
        self.stdin.as_mut().expect("open").write_all(line.as_bytes()).await.expect("a process that reads");
    }

    async fn call(&mut self, id: u32, tool: &str, arguments: Value) {
        let params = json!({"name": tool, "arguments": arguments, "_meta": {"progressToken": id}});
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params})).await;
    }

    async fn line(&mut self) -> Option<String> {
        timeout(PATIENCE, self.stdout.next_line()).await.expect("a line in time").expect("UTF-8")
    }

    async fn message(&mut self) -> Value {
        let line = self.line().await.expect("a message");
        self.conversation.observe_received(&line);
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("not JSON ({error}): {line}"))
    }

    async fn end(&mut self) -> ExitStatus {
        timeout(PATIENCE, self.child.wait()).await.expect("an end in time").expect("a status")
    }

    fn signal(&self, name: &str) {
        let id = self.child.id().expect("a process that runs").to_string();
        let status = std::process::Command::new("kill").args(["-s", name, &id]).status().expect("kill");
        assert!(status.success());
    }
}

#[tokio::test]
async fn what_a_function_prints_does_not_reach_the_wire() {
    let mut process = Process::ready().await;
    process.call(7, "noisy", json!({"times": 100})).await;
    for i in 0..100 {
        assert_eq!(process.message().await["params"]["progress"], i);
    }
    assert_eq!(process.message().await["result"]["content"][0]["text"], "100");
    drop(process.stdin.take());
    assert_eq!(process.line().await, None);
    assert!(process.end().await.success());
    let mut stderr = String::new();
    process.child.stderr.take().unwrap().read_to_string(&mut stderr).await.unwrap();
    assert!(stderr.contains("forged"), "it went to standard error: {stderr}");
}

#[tokio::test]
async fn a_function_that_is_called_at_once_may_print_more_than_a_pipe_holds() {
    let handshake = |id: u32| {
        let params = json!({"protocolVersion": "2025-06-18", "capabilities": {}});
        json!({"jsonrpc": "2.0", "id": id, "method": "initialize", "params": params})
    };
    let call = |id: u32, meta: Value| {
        let params = json!({"name": "chatter", "arguments": {"lines": 10_000}, "_meta": meta});
        json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params})
    };
    let own = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1.0.0"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let discover = json!({"jsonrpc": "2.0", "id": 1, "method": "server/discover", "params": {"_meta": own}});
    let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    // All at once, so that there is no pause before the call.
    for messages in
        [vec![handshake(1), initialized, call(2, json!({}))], vec![discover, call(2, own.clone())], vec![call(2, own)]]
    {
        let mut process = Process::start(&[], &[]);
        let lines: Vec<_> = messages.iter().map(|message| format!("{message}\n")).collect();
        lines.iter().for_each(|line| process.conversation.observe_sent(line));
        process.stdin.as_mut().unwrap().write_all(lines.concat().as_bytes()).await.unwrap();
        assert_eq!(process.line().await.as_deref(), Some("this is before the server starts"));
        loop {
            let message = process.message().await;
            if message["id"] == 2 {
                assert_eq!(message["result"]["content"][0]["text"], "10000");
                break;
            }
        }
        drop(process.stdin.take());
        assert!(process.end().await.success());
    }
}

#[tokio::test]
async fn an_input_that_cannot_be_read_is_an_error() {
    let input = std::fs::File::open("/").unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_noisy"));
    command.stdin(input).stdout(Stdio::null()).stderr(Stdio::piped()).kill_on_drop(true);
    // Whether it fails before or after the runtime is made is a matter of microseconds.
    for _ in 0..20 {
        let output = timeout(PATIENCE, command.output()).await.expect("an end in time").unwrap();
        assert_eq!(output.status.code(), Some(1));
        assert!(String::from_utf8_lossy(&output.stderr).contains("Is a directory"), "{output:?}");
    }
}

#[tokio::test]
async fn the_end_of_the_input_lets_calls_finish() {
    let mut process = Process::ready().await;
    process.call(1, "sleep", json!({"ms": 300})).await;
    process.call(2, "sleep", json!({"ms": 3_600_000})).await;
    let last = json!({"jsonrpc": "2.0", "id": 3, "method": "ping"}).to_string();
    process.conversation.observe_sent(&last);
    // The last line has no end.
    process.stdin.as_mut().unwrap().write_all(last.as_bytes()).await.unwrap();
    drop(process.stdin.take());
    assert_eq!(process.message().await["id"], 3);
    assert_eq!(process.message().await["id"], 1);
    assert_eq!(process.line().await, None, "the call of an hour is not waited for");
    assert!(process.end().await.success());
}

#[tokio::test]
async fn a_signal_drains_calls_and_a_second_one_does_not() {
    for name in ["TERM", "INT"] {
        let mut process = Process::ready().await;
        process.call(1, "sleep", json!({"ms": 500})).await;
        process.send(&json!({"jsonrpc": "2.0", "id": 2, "method": "ping"})).await;
        assert_eq!(process.message().await["id"], 2);
        process.signal(name);
        assert_eq!(process.message().await["id"], 1, "{name}");
        assert!(process.end().await.success(), "{name}");
    }
    let mut process = Process::ready().await;
    process.call(1, "sleep", json!({"ms": 3_600_000})).await;
    process.send(&json!({"jsonrpc": "2.0", "id": 2, "method": "ping"})).await;
    assert_eq!(process.message().await["id"], 2);
    process.signal("TERM");
    let mut errors = BufReader::new(process.child.stderr.take().unwrap()).lines();
    while !timeout(PATIENCE, errors.next_line()).await.unwrap().unwrap().unwrap().contains("told to stop") {}
    process.signal("TERM");
    let end = timeout(Duration::from_secs(5), process.child.wait()).await.expect("an end at once").unwrap();
    assert_eq!(end.code(), Some(1), "it was cut");
}

#[tokio::test]
async fn signals_are_heard_while_a_function_computes() {
    let mut process = Process::ready().await;
    let mut errors = BufReader::new(process.child.stderr.take().unwrap()).lines();
    process.call(1, "compute", json!({"ms": 3_600_000})).await;
    while !timeout(PATIENCE, errors.next_line()).await.unwrap().unwrap().unwrap().contains("computing") {}
    process.signal("TERM");
    while !timeout(PATIENCE, errors.next_line()).await.unwrap().unwrap().unwrap().contains("told to stop") {}
    process.signal("TERM");
    let end = timeout(Duration::from_secs(5), process.child.wait()).await.expect("an end at once").unwrap();
    assert_eq!(end.code(), Some(1));
}

#[tokio::test]
async fn signals_are_heard_while_nobody_reads_standard_error() {
    let mut process = Process::ready().await;
    let mut errors = BufReader::new(process.child.stderr.take().unwrap()).lines();
    // More than a pipe holds: the function waits for its reader, and standard error with it.
    process.call(1, "shout", json!({"lines": 100_000})).await;
    while !timeout(PATIENCE, errors.next_line()).await.unwrap().unwrap().unwrap().contains("line 0") {}
    // Two of one kind could become one.
    process.signal("TERM");
    process.signal("INT");
    assert_eq!(process.end().await.code(), Some(1));
}

#[tokio::test]
async fn a_function_that_is_always_ready_leaves_others_their_turn() {
    let mut process = Process::ready().await;
    process.call(1, "spin", json!({})).await;
    process.send(&json!({"jsonrpc": "2.0", "id": 2, "method": "ping"})).await;
    assert_eq!(process.message().await["id"], 2);
    let cancelled = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}});
    process.send(&cancelled).await;
    drop(process.stdin.take());
    assert_eq!(process.line().await, None);
    assert!(process.end().await.success());
}

#[tokio::test]
async fn others_are_heard_while_a_function_computes() {
    let mut process = Process::start(&["--transport", "sse", "--port", "0", "--sessions", "false"], &[]);
    let mut errors = BufReader::new(process.child.stderr.take().unwrap()).lines();
    let mut said = async |what: &str| loop {
        let line = timeout(PATIENCE, errors.next_line()).await.expect("a line in time").unwrap().expect("a line");
        if let Some((_, rest)) = line.split_once(what) {
            return rest.to_owned();
        }
    };
    let address = said("listening on http://").await;
    let open = async || BufReader::new(TcpStream::connect(&address).await.expect("a listener"));
    let health = format!("GET /health HTTP/1.1\r\nhost: {address}\r\n\r\n");
    let is_well = async |socket: &mut BufReader<TcpStream>| {
        socket.write_all(health.as_bytes()).await.unwrap();
        let mut line = String::new();
        timeout(PATIENCE, socket.read_line(&mut line)).await.expect("an answer in time").unwrap();
        assert_eq!(line, "HTTP/1.1 200 OK\r\n");
    };
    let params = json!({"name": "compute", "arguments": {"ms": 3_600_000}});
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).to_string();
    let head = format!("POST /mcp HTTP/1.1\r\nhost: {address}\r\naccept: application/json, text/event-stream");
    let head = format!("{head}\r\ncontent-type: application/json\r\ncontent-length: {}", call.len());
    // On a connection that is there already: whoever hears of the request is the one who looks after all connections.
    let mut computing = open().await;
    is_well(&mut computing).await;
    computing.write_all(format!("{head}\r\n\r\n{call}").as_bytes()).await.unwrap();
    said("computing").await;
    is_well(&mut open().await).await;
    process.signal("TERM");
    said("told to stop").await;
    process.signal("TERM");
    assert_eq!(process.end().await.code(), Some(1));
}

#[tokio::test]
async fn the_end_of_the_input_is_seen_with_all_places_taken() {
    let mut process = Process::ready().await;
    for id in 1..=70 {
        process.call(id, "sleep", json!({"ms": 3_600_000})).await;
    }
    process.call(71, "compute_apart", json!({"ms": 3_600_000})).await;
    drop(process.stdin.take());
    assert_eq!(process.line().await, None, "calls of an hour are not waited for");
    assert!(process.end().await.success());
}

#[tokio::test]
async fn a_blocking_function_keeps_no_process() {
    let mut process = Process::ready().await;
    process.call(1, "compute_apart", json!({"ms": 3_600_000})).await;
    drop(process.stdin.take());
    assert_eq!(process.line().await, None);
    assert!(process.end().await.success());
}

#[tokio::test]
async fn the_wire_is_nobody_elses() {
    let mut process = Process::ready().await;
    process.call(1, "read_input", json!({})).await;
    assert_eq!(process.message().await["result"]["content"][0]["text"], "Some(0) \"\"");
    process.call(2, "child", json!({})).await;
    let child = process.message().await["result"]["content"][0]["text"].as_str().unwrap().to_owned();
    drop(process.stdin.take());
    assert_eq!(process.line().await, None, "the child does not hold the client's pipe");
    assert!(process.end().await.success());
    std::process::Command::new("kill").arg(child).status().expect("kill");
}

#[tokio::test]
async fn a_client_that_closes_the_output_ends_the_server() {
    let mut process = Process::ready().await;
    drop(process.stdout);
    let Some(mut stdin) = process.stdin.take() else { panic!("open") };
    let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"});
    // The first write may still be taken; the server ends at the first that is not.
    let _ = stdin.write_all(format!("{ping}\n").as_bytes()).await;
    let status = timeout(PATIENCE, process.child.wait()).await.expect("an end in time").unwrap();
    assert!(status.success(), "{status}");
    let mut stderr = String::new();
    process.child.stderr.take().unwrap().read_to_string(&mut stderr).await.unwrap();
    assert!(!stderr.contains("panicked"), "{stderr}");
}

#[tokio::test]
async fn a_line_over_the_limit_is_skipped() {
    let mut process = Process::ready().await;
    let megabyte = vec![b'x'; 1024 * 1024];
    let stdin = process.stdin.as_mut().unwrap();
    for _ in 0..20 {
        stdin.write_all(&megabyte).await.unwrap();
    }
    stdin.write_all(b"\n").await.unwrap();
    process.send(&json!({"jsonrpc": "2.0", "id": 1, "method": "ping"})).await;
    assert_eq!(process.message().await["error"]["code"], -32700);
    assert_eq!(process.message().await["id"], 1);
    let status = std::fs::read_to_string(format!("/proc/{}/status", process.child.id().unwrap()));
    if let Ok(status) = status {
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("Linux says so");
        let peak: u64 = peak.trim().trim_end_matches(" kB").parse().unwrap();
        assert!(peak < 64 * 1024, "{peak} KiB at the most, for 20 MiB that are skipped");
    }
}

#[tokio::test]
async fn a_client_that_does_not_read_stops_the_reading() {
    let mut process = Process::ready().await;
    let ping = format!("{}\n", json!({"jsonrpc": "2.0", "id": "x".repeat(4096), "method": "ping"}));
    let stdin = process.stdin.as_mut().unwrap();
    let mut taken = 0;
    // Each write that is taken at once is one that the server, or a pipe, had room for.
    while timeout(Duration::from_secs(1), stdin.write_all(ping.as_bytes())).await.is_ok() {
        taken += 1;
        assert!(taken < 10_000, "the server reads on, whatever becomes of its answers");
    }
}

#[tokio::test]
async fn a_start_that_fails_says_why_in_one_line() {
    for (arguments, variables, part) in [
        (vec!["--transport", "carrier-pigeon"], vec![], "carrier-pigeon"),
        (vec!["--prot", "80"], vec![], "--port"),
        (vec!["--log", "loud"], vec![], "expected `off`"),
        (vec![], vec![("MCP_CONFIG", "/nowhere/mcp.json")], "/nowhere/mcp.json"),
        (vec!["--transport", "sse", "--endpoint", "/messages"], vec![], "messageEndpoint"),
        (vec!["--transport", "http-stream", "--message-endpoint", "/m", "--endpoint", "mcp"], vec![], "endpoint"),
        (vec![], vec![("MCP_TRANSPORT", "sse"), ("MCP_AUTH", "jwt")], "MCP_JWT_ALGORITHMS"),
    ] {
        let mut process = Process::start(&arguments, &variables);
        let status = process.end().await;
        assert_eq!(status.code(), Some(1), "{arguments:?}");
        let mut stderr = String::new();
        process.child.stderr.take().unwrap().read_to_string(&mut stderr).await.unwrap();
        let errors: Vec<_> = stderr.lines().filter(|line| line.starts_with("Error: ")).collect();
        assert_eq!(errors.len(), 1, "{arguments:?}: {stderr}");
        assert!(errors[0].contains(part), "{arguments:?}: {stderr}");
    }
}

#[tokio::test]
async fn the_log_says_as_much_as_it_is_told() {
    const CALLED: &str = "DEBUG tools/call \"boom\"";
    const HELD: &str = "WARN tools/call \"compute\" held its thread for";
    const PANICKED: &str = "ERROR the function panicked in tools/call \"boom\"";
    const WHERE: &str = "as it was told";
    const FRAME: &str = "noisy.rs:";
    const FORGED: &str = "a line of the client's";
    let quiet = ("RUST_BACKTRACE", "0");
    for (arguments, variables, said, unsaid) in [
        (vec![], vec![quiet], vec![HELD, PANICKED, WHERE], vec![CALLED]),
        (vec!["--log", "debug"], vec![quiet], vec![CALLED, HELD, PANICKED, WHERE], vec![]),
        (vec![], vec![quiet, ("MCP_LOG", "error")], vec![PANICKED, WHERE], vec![HELD, CALLED]),
        (vec!["--log", "off"], vec![quiet, ("MCP_LOG", "trace")], vec![], vec![HELD, PANICKED, WHERE, CALLED]),
        (vec![], vec![("RUST_BACKTRACE", "1")], vec![HELD, PANICKED, FRAME], vec![CALLED]),
        (vec!["--log", "off"], vec![("RUST_BACKTRACE", "1")], vec![], vec![PANICKED, FRAME]),
    ] {
        let mut process = Process::ready_with(&arguments, &variables).await;
        process.call(1, "compute", json!({"ms": 150})).await;
        process.call(2, "boom", json!({})).await;
        // What a client says beside what is asked for is none of the log's.
        let params = json!({"uri": "test://slow", "name": [FORGED]});
        process.send(&json!({"jsonrpc": "2.0", "id": 3, "method": "resources/read", "params": params})).await;
        for _ in 0..3 {
            process.message().await;
        }
        drop(process.stdin.take());
        assert!(process.end().await.success());
        let mut log = String::new();
        process.child.stderr.take().unwrap().read_to_string(&mut log).await.unwrap();
        let case = format!("{arguments:?} {variables:?}: {log}");
        assert!(said.iter().all(|part| log.contains(part)), "{case}");
        assert!(!unsaid.iter().chain(&[FORGED, "test://slow"]).any(|part| log.contains(part)), "{case}");
        assert_eq!(log.contains("WARN resources/read held its thread for"), said.contains(&HELD), "{case}");
    }
}

#[tokio::test]
async fn help_lists_the_flags() {
    let mut process = Process::start(&["--help"], &[]);
    assert!(process.end().await.success());
    let mut stderr = String::new();
    process.child.stderr.take().unwrap().read_to_string(&mut stderr).await.unwrap();
    assert!(stderr.contains("--transport") && stderr.contains("MCP_PORT"), "{stderr}");
}

#[tokio::test]
async fn the_listener_says_where_it_listens() {
    let mut process = Process::start(&["--transport", "sse", "--port", "0"], &[]);
    let mut errors = BufReader::new(process.child.stderr.take().unwrap()).lines();
    let mut said = String::new();
    while !said.contains("mcpServers") {
        said.push_str(&timeout(PATIENCE, errors.next_line()).await.unwrap().unwrap().expect("more"));
        said.push('\n');
    }
    let url = said.lines().find_map(|line| line.strip_prefix("listening on ")).expect("where it listens");
    assert!(said.contains(&format!("GET  {url}/sse")) && said.contains(&format!("POST {url}/messages")), "{said}");
    process.signal("TERM");
    assert!(process.end().await.success());
}

/// A conversation written down, and how many answers it has.
const SCRIPT: &str = concat!(
    r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18"}}"#,
    "\n",
    r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"noisy","arguments":{"times":3}}}"#,
    "\n",
    r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"sleep","arguments":{"ms":50}}}"#,
    "\n",
);

fn ids(lines: &str) -> Vec<Value> {
    let mut conversation = Conversation::default();
    SCRIPT.lines().for_each(|line| conversation.observe_sent(line));
    let messages = lines.lines().filter(|line| line.starts_with('{'));
    let id = |line| {
        conversation.observe_received(line);
        serde_json::from_str::<Value>(line).expect("JSON")["id"].take()
    };
    messages.map(id).collect()
}

#[tokio::test]
async fn files_and_sockets_serve_as_pipes_do() {
    let folder = std::env::temp_dir().join(format!("mcp-stdio-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let (script, answers) = (folder.join("script"), folder.join("answers"));
    std::fs::write(&script, SCRIPT).unwrap();
    let status = Command::new(env!("CARGO_BIN_EXE_noisy"))
        .stdin(std::fs::File::open(&script).unwrap())
        .stdout(std::fs::File::create(&answers).unwrap())
        .stderr(Stdio::null())
        .status();
    assert!(timeout(PATIENCE, status).await.expect("an end in time").unwrap().success());
    let said = std::fs::read_to_string(&answers).unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    assert_eq!(ids(&said), [0, 1, 2], "{said}");

    #[cfg(unix)]
    {
        use std::os::{fd::OwnedFd, unix::net::UnixStream};

        let (ours, theirs) = UnixStream::pair().unwrap();
        let theirs = (OwnedFd::from(theirs.try_clone().unwrap()), OwnedFd::from(theirs));
        let mut child = Command::new(env!("CARGO_BIN_EXE_noisy"))
            .stdin(Stdio::from(theirs.0))
            .stdout(Stdio::from(theirs.1))
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        ours.set_nonblocking(true).unwrap();
        let mut ours = tokio::net::UnixStream::from_std(ours).unwrap();
        ours.write_all(SCRIPT.as_bytes()).await.unwrap();
        ours.shutdown().await.unwrap();
        let mut said = String::new();
        timeout(PATIENCE, ours.read_to_string(&mut said)).await.expect("an end in time").unwrap();
        assert_eq!(ids(&said), [0, 1, 2], "{said}");
        assert!(timeout(PATIENCE, child.wait()).await.expect("an end in time").unwrap().success());
    }
}
