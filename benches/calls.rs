//! `calls NAME COUNT`: makes one call so many times; `http/NAME` makes it over HTTP, in memory too. Two runs of different
//! counts under `valgrind --tool=callgrind` give the instructions of one call: their difference over that of the counts.

use mcp_benches::{CALLS, connection, exchange, http};

fn main() {
    let mut arguments = std::env::args().skip(1);
    let name = arguments.next().unwrap_or_else(|| "add".to_owned());
    let count = arguments.next().and_then(|count| count.parse().ok()).unwrap_or(1000);
    let (call, request) = (CALLS.into_iter().find(|(known, ..)| *known == name), http::request(&name));
    match (call, request) {
        (Some((_, call, expected)), _) => in_memory(call, expected, count),
        (None, Some(request)) => over_http(&request, count),
        (None, None) => {
            eprintln!("no call `{name}`; there are {:?} and {:?}", CALLS.map(|(name, ..)| name), http::NAMES);
            std::process::exit(1);
        }
    }
}

fn in_memory(call: &str, expected: &str, count: usize) {
    let connection = connection();
    let mut out = Vec::new();
    exchange(&connection, call, expected, &mut out);
    for _ in 0..count {
        out.clear();
        connection.answer(call.as_bytes(), &mut out);
    }
}

fn over_http(request: &http::Request, count: usize) {
    let runtime = http::runtime();
    runtime.block_on(async {
        let door = http::door().await;
        request.exchange(&door).await;
        request.repeat(&door, count).await;
    });
}
