//! What the parts of a call cost, as far as they can be told apart from outside: each group varies one part, and what
//! differs within it is that part's.
#![allow(missing_docs, reason = "criterion's macros write undocumented functions")]

use aws_lc_rs::hmac;
use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use criterion::{BenchmarkGroup, Criterion, Throughput, criterion_group, criterion_main, measurement::WallTime};
use mcp_runtime::{
    Algorithm, AuthOptions, JwtOptions,
    prelude::*,
    testing::{Connection, CredentialCheck},
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

    /// Gives what older versions do not know: structured content
    #[mcp_tool]
    fn point() -> Json<Point> {
        Json(Point { x: 1.5, y: 2.5 })
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

/// A session of the version.
fn connect(server: McpServer, version: &str) -> Connection {
    let connection = Connection::open(server).unwrap_or_else(|error| panic!("{error}"));
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

/// One result, in the words of each version.
fn adapt(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("adapt");
    for (version, expected) in [
        ("2024-11-05", "1.5"),
        ("2025-03-26", "1.5"),
        ("2025-06-18", "structuredContent"),
        ("2025-11-25", "structuredContent"),
    ] {
        let connection = connect(parts::server(), version);
        measure(&mut group, version, &connection, &call("point", "{}"), expected);
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

criterion_group!(benches, envelope, arguments, list, adapt, template, framing, token);
criterion_main!(benches);
