//! The figures that a change is held to: instructions and allocations of fixed runs, and a file that has them.

use std::{collections::HashMap, fmt::Write, io, process::ExitCode};

use mcp_benches::{CALLS, http};
use tokio::process::Command;

use crate::{
    callgrind::{Cost, cost, cost_in_memory},
    other,
    paths::{PATHS, Server},
    print,
};

/// The paths that are counted through real pipes and sockets.
const COUNTED: [&str; 5] = ["stdio", "stateless", "session", "2026-07-28", "sse"];

/// By what a figure may rise.
const TOLERANCE: f64 = 0.03;

/// Counts what `file` holds, and fails where it has risen.
pub(crate) async fn compare(file: &str) -> io::Result<ExitCode> {
    let text = std::fs::read_to_string(file)?;
    let committed: HashMap<&str, Cost> = text.lines().filter_map(read).collect();
    let tools = tools().await?;
    if !text.lines().any(|line| line == tools) {
        print(&format!("The committed figures were counted with other tools than these ({}).", &tools[2..]));
    }
    let mut risen = Vec::new();
    print(&format!("{:<28} {:>12} {:>8} {:>12} {:>8}", "call", "instructions", "", "allocations", ""));
    for_each(|name, now| {
        let Some(then) = committed.get(name) else {
            risen.push(format!("{name} is not in {file}"));
            return print(&format!(
                "{name:<28} {:>12.0} {:>8} {:>12.1} {:>8}",
                now.instructions, "new", now.allocations, "new"
            ));
        };
        let change = |now: f64, then: f64| if then == 0.0 { now } else { now / then - 1.0 };
        let (instructions, allocations) =
            (change(now.instructions, then.instructions), change(now.allocations, then.allocations));
        print(&format!(
            "{name:<28} {:>12.0} {:>+7.1}% {:>12.1} {:>+7.1}%",
            now.instructions,
            instructions * 100.0,
            now.allocations,
            allocations * 100.0
        ));
        for (what, change) in [("instructions", instructions), ("allocations", allocations)] {
            if change > TOLERANCE {
                risen.push(format!("{name}: {:+.1} % {what}", change * 100.0));
            }
        }
    })
    .await?;
    if risen.is_empty() {
        return Ok(ExitCode::SUCCESS);
    }
    print(&format!("Risen by more than {:.0} %, or new:", TOLERANCE * 100.0));
    risen.iter().for_each(|line| print(&format!("  {line}")));
    print("If that is meant: benches/instructions --write");
    Ok(ExitCode::FAILURE)
}

/// Counts, and keeps the figures in `file`.
pub(crate) async fn write(file: &str) -> io::Result<()> {
    let mut text = format!(
        "# Instructions and allocations of a call, by callgrind: see benches/instructions.\n{}\n",
        tools().await?
    );
    for_each(|name, cost| {
        let line = format!("{name} {:.0} {:.1}", cost.instructions, cost.allocations);
        print(&line);
        // Writing to a text does not fail.
        let _ = writeln!(text, "{line}");
    })
    .await?;
    std::fs::write(file, text)
}

async fn for_each(mut tell: impl FnMut(&str, Cost)) -> io::Result<()> {
    for name in CALLS.map(|(name, ..)| name).into_iter().chain(http::NAMES) {
        tell(&format!("memory/{name}"), cost_in_memory(name).await?);
    }
    for path in PATHS.iter().filter(|path| COUNTED.contains(&path.name)) {
        tell(path.name, cost(Server::Ours, path).await?);
    }
    Ok(())
}

/// A line of the file, unless it is a comment.
fn read(line: &str) -> Option<(&str, Cost)> {
    let mut words = line.split(' ').filter(|_| !line.starts_with('#'));
    let name = words.next()?;
    let (instructions, allocations) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
    Some((name, Cost { instructions, allocations }))
}

/// What the figures depend on, as a comment.
async fn tools() -> io::Result<String> {
    let mut versions = Vec::new();
    for tool in ["rustc".to_owned(), crate::callgrind::program()] {
        let said = Command::new(&tool).arg("--version").output().await?;
        let said = String::from_utf8(said.stdout).map_err(|_| other("a version that is no text"))?;
        // `rustc 1.95.0 (…)`, `valgrind-3.19.0`.
        versions.push(said.split_whitespace().take(2).collect::<Vec<_>>().join(" "));
    }
    Ok(format!("# {}", versions.join(", ")))
}

#[cfg(test)]
mod tests {
    #[test]
    fn reads_its_lines() {
        assert!(super::read("# rustc 1.0, 2.0 3.0").is_none());
        let (name, cost) = super::read("memory/add 4000 3.0").unwrap();
        assert_eq!((name, cost.instructions, cost.allocations), ("memory/add", 4000.0, 3.0));
    }
}
