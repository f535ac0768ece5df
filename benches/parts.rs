//! What the parts of a call cost, as far as they can be told apart from outside: each group varies one part, and what
//! differs within it is that part's.
#![allow(missing_docs, reason = "criterion's macros write undocumented functions")]

use std::time::Instant;

use aws_lc_rs::hmac;
use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use criterion::{
    BatchSize, BenchmarkGroup, Criterion, Throughput, criterion_group, criterion_main, measurement::WallTime,
};
use mcp_benches::{CALLS, http};
use mcp_runtime::{
    Algorithm, AuthOptions, JwtOptions,
    prelude::*,
    protocol::{Annotations, Icon, ProtocolVersion, RawJson, ResourceLink, TextContent},
    testing::{Connection, CredentialCheck, lower},
};
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader, duplex, split},
    runtime::Runtime,
};

/// A point of the plane.
#[derive(Clone, Copy, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
struct Point {
    x: f64,
    y: f64,
}

/// What is varied.
#[mcp_server(name = "parts", version = "1.0.0")]
mod parts {
    use super::*;

    /// Takes nothing
    #[mcp_tool]
    fn nothing() {}

    /// Takes eight numbers
    #[mcp_tool]
    #[expect(clippy::too_many_arguments, reason = "that is what is measured")]
    fn eight(a: i64, b: i64, c: i64, d: i64, e: i64, f: i64, g: i64, h: i64) -> i64 {
        a + b + c + d + e + f + g + h
    }

    /// Takes a thousand points
    #[mcp_tool]
    fn points(points: Vec<Point>) -> usize {
        points.len()
    }

    /// Takes what has bounds
    #[mcp_tool]
    fn bounded(
        #[mcp(minimum = 1, maximum = 7)] days: u8,
        #[mcp(min_length = 2, max_length = 20, pattern = "^[a-z]+$")] city: String,
    ) -> String {
        format!("{city} {days}")
    }

    /// Gives one of everything that a result can hold
    #[mcp_tool(output_schema = false)]
    fn everything() -> CallToolResult {
        super::everything()
    }

    /// One variable
    #[mcp_resource(uri = "parts://one/{a}")]
    fn one(a: String) -> String {
        a
    }

    /// Three variables
    #[mcp_resource(uri = "parts://three/{a}/{b}/{c}")]
    fn three(a: String, b: String, c: String) -> String {
        a + &b + &c
    }

    /// The rest of a path
    #[mcp_resource(uri = "parts://rest/{+path}")]
    fn rest(path: String) -> String {
        path
    }
}

type Group<'a> = BenchmarkGroup<'a, WallTime>;

fn open(server: McpServer) -> Connection {
    Connection::open(server).unwrap_or_else(|error| panic!("{error}"))
}

/// A session of the version.
fn connect(server: McpServer, version: &str) -> Connection {
    let connection = open(server);
    let initialize = format!(
        r#"{{"jsonrpc":"2.0","id":0,"method":"initialize","params":{{"protocolVersion":"{version}","capabilities":{{}},"clientInfo":{{"name":"bench","version":"1.0.0"}}}}}}"#
    );
    let mut out = Vec::new();
    assert!(connection.answer(initialize.as_bytes(), &mut out));
    assert!(has(&out, version));
    connection
}

fn request(method: &str, params: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{params}}}"#)
}

fn call(tool: &str, arguments: &str) -> String {
    request("tools/call", &format!(r#"{{"name":"{tool}","arguments":{arguments}}}"#))
}

fn has(answer: &[u8], part: &str) -> bool {
    memchr::memmem::find(answer, part.as_bytes()).is_some()
}

/// Measures a message whose answer has to contain `expected`.
fn measure(group: &mut Group<'_>, name: &str, connection: &Connection, message: &str, expected: &str) {
    let mut out = Vec::new();
    assert!(connection.answer(message.as_bytes(), &mut out), "{message}");
    assert!(has(&out, expected), "{}", String::from_utf8_lossy(&out));
    group.throughput(Throughput::Bytes(message.len() as u64));
    group.bench_function(name, |bencher| {
        bencher.iter(|| {
            out.clear();
            connection.answer(message.as_bytes(), &mut out)
        });
    });
}

/// An envelope as `serde_json` reads it, in one pass.
#[derive(serde::Deserialize)]
struct Envelope<'a> {
    id: u64,
    #[serde(borrow)]
    params: Option<&'a serde_json::value::RawValue>,
}

/// A ping has nothing but an envelope. Beside each stands what `serde_json` alone takes for it.
fn envelope(criterion: &mut Criterion) {
    let connection = connect(parts::server(), "2025-11-25");
    let mut group = criterion.benchmark_group("envelope");
    let text = "0123456789abcdef".repeat(4096);
    let rows = vec![r#"{"id":17,"name":"row","tags":["a","b"],"on":true}"#; 1300].join(",");
    for (name, params) in [
        ("small", "{}".to_owned()),
        ("text_64k", format!(r#"{{"_meta":{{"text":"{text}"}}}}"#)),
        ("rows_64k", format!(r#"{{"_meta":{{"rows":[{rows}]}}}}"#)),
    ] {
        let ping = request("ping", &params);
        measure(&mut group, name, &connection, &ping, r#""result":{}"#);
        group.bench_function(format!("{name}_serde_json"), |bencher| {
            bencher.iter(|| {
                let envelope: Envelope<'_> =
                    serde_json::from_slice(ping.as_bytes()).unwrap_or_else(|error| panic!("{error}"));
                (envelope.id, envelope.params.map(|params| params.get().len()))
            });
        });
    }
}

fn arguments(criterion: &mut Criterion) {
    let connection = connect(parts::server(), "2025-11-25");
    let mut group = criterion.benchmark_group("arguments");
    measure(&mut group, "none", &connection, &call("nothing", "{}"), r#""result""#);
    let eight = call("eight", r#"{"a":1,"b":2,"c":3,"d":4,"e":5,"f":6,"g":7,"h":8}"#);
    measure(&mut group, "eight", &connection, &eight, r#""text":"36""#);
    let points = vec![r#"{"x":1.5,"y":2.25}"#; 1000].join(",");
    let points = call("points", &format!(r#"{{"points":[{points}]}}"#));
    measure(&mut group, "thousand_points", &connection, &points, r#""text":"1000""#);
    let bounded = call("bounded", r#"{"days":3,"city":"paris"}"#);
    measure(&mut group, "bounded", &connection, &bounded, r#""text":"paris 3""#);
    let refused = call("bounded", r#"{"days":9,"city":"paris"}"#);
    measure(&mut group, "refused", &connection, &refused, "days");
}

fn list(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("list");
    for tools in [10, 100, 1000] {
        let connection = connect(mcp_benches::server(tools).page_size(1000), "2025-11-25");
        measure(&mut group, &tools.to_string(), &connection, &request("tools/list", "{}"), r#""name":"add""#);
    }
}

/// A block of each kind, with all that some version does not know, and structured content that is no object.
fn everything() -> CallToolResult {
    let hints = Annotations { last_modified: Some("2026-07-28T12:00:00Z".into()), ..Annotations::default() };
    let meta = Some([("source".to_owned(), "bench".into())].into_iter().collect());
    let text = TextContent { text: "one of everything".into(), annotations: Some(hints.clone()), meta };
    let link = ResourceLink {
        uri: "parts://one/a".into(),
        name: "one".into(),
        icons: Some(vec![Icon::new("https://example.com/icon.png")]),
        ..ResourceLink::default()
    };
    let content = vec![
        ContentBlock::Text(text),
        ContentBlock::image([7; 48], "image/png").with_annotations(hints),
        ContentBlock::audio([7; 48], "audio/wav"),
        ContentBlock::ResourceLink(link),
        ContentBlock::resource(ResourceContents::text("parts://one/b", "b")),
    ];
    let structured = RawJson::new(&[Point { x: 1.5, y: 2.5 }; 4]).unwrap_or_else(|error| panic!("{error}"));
    CallToolResult { structured_content: Some(structured), ..CallToolResult::new(content) }
}

/// One result in the words of each version: the whole call, which writes less where the version knows less, and what is
/// taken out or put in other words by itself. The newest version loses nothing; its call reads, and repeats, who speaks.
fn adapt(criterion: &mut Criterion) {
    const KNOWN: &str = r#""structuredContent":[{"x":1.5"#;
    const WRAPPED: &str = r#""structuredContent":{"result":[{"x":1.5"#;
    let older = call("everything", "{}");
    let newest = CALLS[2].1.replace("add", "everything").replace(r#"{"a":2,"b":40}"#, "{}");
    let mut group = criterion.benchmark_group("adapt");
    for version in ProtocolVersion::ALL {
        let name = version.as_str();
        let (connection, message, expected) = match name {
            "2026-07-28" => (open(parts::server()), &newest, KNOWN),
            "2025-11-25" | "2025-06-18" => (connect(parts::server(), name), &older, WRAPPED),
            "2025-03-26" => (connect(parts::server(), name), &older, r#""type":"audio""#),
            _ => (connect(parts::server(), name), &older, "[audio, audio/wav"),
        };
        measure(&mut group, name, &connection, message, expected);
    }
    group.throughput(Throughput::Elements(1));
    for version in ProtocolVersion::ALL {
        group.bench_function(format!("{}_alone", version.as_str()), |bencher| {
            bencher.iter_batched_ref(everything, |result| lower(result, version), BatchSize::SmallInput);
        });
    }
}

fn template(criterion: &mut Criterion) {
    let connection = connect(parts::server(), "2025-11-25");
    let mut group = criterion.benchmark_group("template");
    let read = |uri: &str| request("resources/read", &format!(r#"{{"uri":"{uri}"}}"#));
    measure(&mut group, "one", &connection, &read("parts://one/abc"), r#""text":"abc""#);
    measure(&mut group, "three", &connection, &read("parts://three/a/b/c"), r#""text":"abc""#);
    measure(&mut group, "escaped", &connection, &read("parts://one/a%20b%C3%A9"), r#""text":"a bé""#);
    measure(&mut group, "rest", &connection, &read("parts://rest/a/b/c"), r#""text":"a/b/c""#);
    measure(&mut group, "none_fits", &connection, &read("parts://none/a"), r#""error""#);
}

/// Lines through a stream and back: what framing adds to a ping.
fn framing(criterion: &mut Criterion) {
    const LINES: usize = 100;
    let runtime = Runtime::new().unwrap_or_else(|error| panic!("{error}"));
    let mut group = criterion.benchmark_group("framing");
    group.throughput(Throughput::Elements(LINES as u64));
    let (ours, theirs) = duplex(64 * 1024);
    let (reader, writer) = split(theirs);
    runtime.spawn(async move { parts::server().serve_streams(reader, writer).await });
    let (input, mut output) = split(ours);
    let mut input = BufReader::new(input);
    let lines = format!("{}\n", r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#).repeat(LINES);
    let mut answer = String::new();
    group.bench_function("hundred_lines", |bencher| {
        bencher.iter(|| {
            runtime.block_on(async {
                output.write_all(lines.as_bytes()).await.unwrap_or_else(|error| panic!("{error}"));
                for _ in 0..LINES {
                    answer.clear();
                    input.read_line(&mut answer).await.unwrap_or_else(|error| panic!("{error}"));
                    assert!(answer.contains(r#""result":{}"#), "{answer}");
                }
            });
        });
    });
}

/// A request's bytes in, its answer's bytes out, over a stream in memory with every guard and clock on. `http/add` beside
/// `dispatch/add` is what HTTP adds to a call; `http/add_once` beside it what a connection costs, which a refusal wants for
/// itself, since its body is not read.
fn over_http(criterion: &mut Criterion) {
    let runtime = http::runtime();
    let door = runtime.block_on(http::door());
    let mut group = criterion.benchmark_group("http");
    for name in http::NAMES {
        let request = http::request(name).unwrap_or_else(|| panic!("no request {name}"));
        runtime.block_on(request.exchange(&door));
        group.throughput(Throughput::Bytes(request.bytes.len() as u64));
        group.bench_function(name.trim_start_matches("http/"), |bencher| {
            bencher.iter_custom(|times| {
                let began = Instant::now();
                runtime.block_on(request.repeat(&door, times as usize));
                began.elapsed()
            });
        });
    }
}

/// A token on a connection: the first request that carries it, and one of a thousand that repeat it.
fn token(criterion: &mut Criterion) {
    const SECRET: &str = "a secret of the benchmarks, long enough for any of them";
    let far = i64::from(i32::MAX);
    let part = |json: String| BASE64_URL_SAFE_NO_PAD.encode(json);
    let said =
        [part(r#"{"alg":"HS256","typ":"JWT"}"#.into()), part(format!(r#"{{"sub":"bench","exp":{far}}}"#))].join(".");
    let key = hmac::Key::new(hmac::HMAC_SHA256, SECRET.as_bytes());
    let signature = BASE64_URL_SAFE_NO_PAD.encode(hmac::sign(&key, said.as_bytes()));
    let options = JwtOptions { algorithms: vec![Algorithm::HS256], secret: Some(SECRET.into()), ..Default::default() };
    let check = CredentialCheck::new(&AuthOptions::Jwt(options), &format!("Bearer {said}.{signature}"));
    let check = check.unwrap_or_else(|| panic!("options that can be used"));
    let mut group = criterion.benchmark_group("token");
    for (name, requests) in [("first", 1), ("repeated", 1000)] {
        group.throughput(Throughput::Elements(requests as u64));
        group.bench_function(name, |bencher| bencher.iter(|| assert!(check.admits(requests), "admitted")));
    }
}

criterion_group!(benches, envelope, arguments, list, adapt, template, framing, over_http, token);
criterion_main!(benches);
