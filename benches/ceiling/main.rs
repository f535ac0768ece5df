//! `bench-ceiling http [LIST]`, `bench-ceiling stdio`, `bench-ceiling stdio-blocking`: how little a call can cost.
//!
//! The same JSON-RPC, parsed with `serde_json` into typed structs, and the same answers; no schema, no limits, no owner.

mod http;
mod messages;
mod stdio;

use std::{io, process::ExitCode};

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let served = match arguments.next().as_deref() {
        Some("http") => list(arguments.next()).and_then(|list| runtime()?.block_on(http::serve(list))),
        Some("stdio") => runtime().and_then(|runtime| runtime.block_on(stdio::serve())),
        Some("stdio-blocking") => stdio::serve_blocking(),
        _ => Err(io::Error::other("bench-ceiling http [LIST] | stdio | stdio-blocking")),
    };
    match served {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// The file whose bytes answer `tools/list`.
fn list(path: Option<String>) -> io::Result<Vec<u8>> {
    path.map_or(Ok(Vec::new()), std::fs::read)
}

fn runtime() -> io::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_multi_thread().enable_all().build()
}
