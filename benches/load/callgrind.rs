//! Instructions and allocations of a call, exactly: valgrind's callgrind counts two runs that differ in calls alone.

use std::{collections::HashMap, io, path::Path as File};

use serde_json::{Value, json};
use tokio::process::Command;

use crate::{
    calls::{Client, open_sessions},
    cores::Cores,
    other,
    paths::{Path, Server, What},
    process::{Process, scratch},
    tokens::Tokens,
};

/// What a run took, or the difference of two.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cost {
    pub(crate) instructions: f64,
    pub(crate) allocations: f64,
}

impl Cost {
    /// Of one call, by a run with `calls` and one with three times as many.
    fn of_a_call(less: Self, more: Self, calls: usize) -> Self {
        let each = |less: f64, more: f64| (more - less) / (2 * calls) as f64;
        Self {
            instructions: each(less.instructions, more.instructions),
            allocations: each(less.allocations, more.allocations),
        }
    }
}

/// What a call of the path takes, over one connection.
pub(crate) async fn count(server: Server, path: &'static Path) -> io::Result<Value> {
    let cost = cost(server, path).await?;
    Ok(json!({
        "kind": "count", "server": server.name(), "path": path.name,
        "instructions": cost.instructions.round(), "allocations": (cost.allocations * 10.0).round() / 10.0,
    }))
}

pub(crate) async fn cost(server: Server, path: &'static Path) -> io::Result<Cost> {
    let calls = match path.what {
        What::Big | What::Echo | What::List => 100,
        _ => 500,
    };
    let less = run(server, path, calls).await?;
    let more = run(server, path, 3 * calls).await?;
    Ok(Cost::of_a_call(less, more, calls))
}

/// What a call takes in memory, by the program `calls`.
pub(crate) async fn cost_in_memory(name: &str) -> io::Result<Cost> {
    const CALLS: usize = 1000;
    let mut costs = Vec::new();
    for calls in [CALLS, 3 * CALLS] {
        let out = scratch("callgrind.out")?;
        let mut words = valgrind(&out)?;
        words.extend([crate::process::sibling("calls")?, name.to_owned(), calls.to_string()]);
        let done = Command::new(&words[0]).args(&words[1..]).output().await?;
        if !done.status.success() {
            return Err(other(String::from_utf8_lossy(&done.stderr)));
        }
        costs.push(parse(&out)?);
    }
    Ok(Cost::of_a_call(costs[0], costs[1], CALLS))
}

async fn run(server: Server, path: &'static Path, calls: usize) -> io::Result<Cost> {
    let out = scratch("callgrind.out")?;
    let tokens = Tokens::of(path)?;
    let mut process = Process::start(server, path, &tokens, &valgrind(&out)?).await?;
    if path.others > 0 {
        open_sessions(process.address, server, path.others).await?;
    }
    let mut client = Client::open(&mut process, server, path, &tokens, 0).await?;
    client.call(0, calls).await?;
    drop(client);
    process.end().await?;
    parse(&out)
}

/// The name of the program that counts.
pub(crate) fn program() -> String {
    std::env::var("BENCH_VALGRIND").unwrap_or_else(|_| "valgrind".to_owned())
}

fn valgrind(out: &File) -> io::Result<Vec<String>> {
    // How many workers a server has, and which of them wakes, would be counted otherwise.
    Cores::new()?.together()?;
    let out = out.to_str().ok_or_else(|| other("a path that is no text"))?;
    Ok(vec![program(), "--tool=callgrind".to_owned(), format!("--callgrind-out-file={out}")])
}

/// Reads what callgrind has written: all instructions, and how often memory was asked for.
fn parse(out: &File) -> io::Result<Cost> {
    let text = std::fs::read_to_string(out)?;
    std::fs::remove_file(out)?;
    read(&text).ok_or_else(|| other("callgrind has written no totals"))
}

fn read(text: &str) -> Option<Cost> {
    let (mut names, mut allocations, mut instructions) = (HashMap::new(), 0, None);
    let mut callee = "";
    for line in text.lines() {
        if let Some((key @ ("fn" | "cfn"), value)) = line.split_once('=') {
            // A name stands beside its number once, and the number alone later.
            let (number, name) = value.split_once(' ').unwrap_or((value, ""));
            if !name.is_empty() {
                names.insert(number, name);
            }
            if key == "cfn" {
                callee = names.get(number).copied().unwrap_or_default();
            }
        } else if let Some(calls) = line.strip_prefix("calls=") {
            if asks_for_memory(callee) {
                allocations += calls.split(' ').next()?.parse::<u64>().ok()?;
            }
        } else if let Some(total) = line.strip_prefix("totals: ").or_else(|| line.strip_prefix("summary: ")) {
            instructions = total.trim().parse::<u64>().ok();
        }
    }
    Some(Cost { instructions: instructions? as f64, allocations: allocations as f64 })
}

fn asks_for_memory(function: &str) -> bool {
    matches!(function, "malloc" | "calloc" | "realloc" | "posix_memalign" | "aligned_alloc" | "memalign")
}

#[cfg(test)]
mod tests {
    #[test]
    fn reads_what_callgrind_writes() {
        let text = "fn=(1) main\n1 5\ncfn=(2) malloc\ncalls=3 0\n1 50\ncfn=(3) free\ncalls=9 0\n1 7\n\n\
                    fn=(4) other\ncfn=(2)\ncalls=2 0\n1 20\ntotals: 82\n";
        let cost = super::read(text).unwrap();
        assert_eq!((cost.instructions, cost.allocations), (82.0, 5.0));
    }
}
