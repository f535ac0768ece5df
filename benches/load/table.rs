//! What the lines of many runs say: the goals first, then all that was measured.

use std::{fmt::Write, io};

use serde_json::Value;

use crate::{other, paths::Server};

/// A goal for a path of our server.
struct Goal {
    says: &'static str,
    path: &'static str,
    /// At most so many instructions a call, and what they are beyond: another of our paths, or nothing.
    instructions: Option<(f64, Option<&'static str>)>,
    allocations: Option<f64>,
    /// At most so many times the CPU of that server on that path.
    cpu: Option<(f64, &'static str, &'static str)>,
}

const fn goal(says: &'static str, path: &'static str, instructions: f64, cpu: f64) -> Goal {
    Goal { instructions: Some((instructions, None)), ..ratio(says, path, cpu) }
}

const fn ratio(says: &'static str, path: &'static str, cpu: f64) -> Goal {
    Goal { says, path, instructions: None, allocations: None, cpu: Some((cpu, "ceiling", path)) }
}

const fn token(says: &'static str, path: &'static str) -> Goal {
    Goal {
        says,
        path,
        instructions: Some((3_000.0, Some("stateless"))),
        allocations: None,
        cpu: Some((1.1, "ours", "stateless")),
    }
}

const GOALS: [Goal; 14] = [
    Goal { allocations: Some(24.0), ..goal("`add`, stateless JSON", "stateless", 36_000.0, 1.15) },
    goal("with a session (2025-11-25)", "session", 38_000.0, 1.2),
    goal("2026-07-28, headers checked by both", "2026-07-28", 46_000.0, 1.15),
    goal("HTTP+SSE, answer on the stream", "sse", 40_000.0, 1.25),
    token("HS256, beside the same without", "hs256"),
    token("RS256, beside the same without", "rs256"),
    ratio("whole session: initialize, initialized, call, DELETE", "whole", 1.3),
    ratio("`tools/list` of 100, beside the same bytes from memory", "list", 1.15),
    ratio("`resources/read` by template", "read", 1.25),
    ratio("`big`: 64 KiB out", "big", 0.8),
    ratio("`echo`: 64 KiB in and out", "echo", 0.9),
    ratio("three notifications of progress, beside the same four events", "progress", 1.4),
    goal("stdio, one at a time, one core", "stdio", 14_000.0, 1.6),
    ratio("stdio, 32 in flight, one core", "stdio-32", 3.0),
];

/// Memory of each, in KiB.
const IDLE: [(&str, &str, f64); 3] =
    [("HTTP+SSE stream", "sse", 16.0), ("`subscriptions/listen` stream", "listen", 16.0), ("session", "session", 1.5)];

/// What is to cost the same, among however many, within 5 %.
const FLAT: [(&str, [&str; 3]); 2] = [
    ("tools: 10, 100, 1,000", ["tools-10", "tools-100", "tools-1000"]),
    ("sessions: 1, 100, 10,000", ["sessions-1", "sessions-100", "sessions-10000"]),
];

pub(crate) fn of(file: &str) -> io::Result<String> {
    let text = std::fs::read_to_string(file)?;
    let lines: Result<Vec<Value>, _> = text.lines().map(serde_json::from_str).collect();
    let lines = Lines(lines?);
    let mut out = String::new();
    lines.write(&mut out).map_err(|_| other("the table cannot be written"))?;
    Ok(out)
}

/// Every line is a run.
struct Lines(Vec<Value>);

impl Lines {
    fn write(&self, out: &mut String) -> std::fmt::Result {
        self.write_goals(out)?;
        self.write_counts(out)?;
        self.write_times(out)?;
        self.write_rest(out)
    }

    fn write_goals(&self, out: &mut String) -> std::fmt::Result {
        writeln!(out, "## Goals\n\n| path | instructions a call | allocations a call | CPU, times the ceiling's |")?;
        writeln!(out, "| --- | --- | --- | --- |")?;
        for goal in &GOALS {
            let Goal { says, path, instructions, allocations, cpu } = goal;
            let counted = |field| self.median("count", "ours", path, field);
            let instructions = match *instructions {
                None => cell(counted("instructions"), None, thousands),
                Some((most, None)) => cell(counted("instructions"), Some(most), thousands),
                Some((most, Some(less))) => {
                    let less = self.median("count", "ours", less, "instructions");
                    let more = counted("instructions").zip(less).map(|(with, without)| with - without);
                    cell(more, Some(most), |more| format!("{} more", thousands(more)))
                }
            };
            let allocations = cell(counted("allocations"), *allocations, |count| format!("{count:.0}"));
            let cpu = cpu.map_or_else(String::new, |(most, server, beside)| {
                cell(self.cpu_ratio(path, server, beside), Some(most), |ratio| format!("{ratio:.2} ×"))
            });
            writeln!(out, "| {says} | {instructions} | {allocations} | {cpu} |")?;
        }
        writeln!(out, "\n| what | ours | ceiling |\n| --- | --- | --- |")?;
        for (says, path, most) in IDLE {
            let each = |server| self.median("idle", server, path, "kib_each");
            let kib = |kib: f64| format!("{kib:.2} KiB");
            let (ours, ceiling) = (cell(each("ours"), Some(most), kib), cell(each("ceiling"), None, kib));
            writeln!(out, "| memory for each idle {says} | {ours} | {ceiling} |")?;
        }
        for (says, server, field, most) in [
            ("resident after start on stdio, built for stdio", "ours-lean", "resident_kib", 1.5),
            ("the same built for stdio and HTTP, as the ceiling is", "ours-plain", "resident_kib", 1.5),
            ("the same with all features: TLS, tokens, options in layers", "ours", "resident_kib", 1.5),
            ("start to first answer on stdio, built for stdio", "ours-lean", "first_answer_us", 1.3),
            ("the same built for stdio and HTTP, as the ceiling is", "ours-plain", "first_answer_us", 1.3),
            ("the same with all features: TLS, tokens, options in layers", "ours", "first_answer_us", 1.3),
        ] {
            let of = |server| self.median("start", server, "stdio", field);
            let ratio = of(server).zip(of("ceiling")).map(|(ours, ceiling)| ours / ceiling);
            let show = |figure: Option<f64>| match field {
                "resident_kib" => cell(figure, None, |kib| format!("{:.1} MiB", kib / 1024.0)),
                _ => cell(figure, None, |us| format!("{:.2} ms", us / 1000.0)),
            };
            let times = cell(ratio, Some(most), |ratio| format!("{ratio:.2} ×"));
            writeln!(out, "| {says} | {}: {times} | {} |", show(of(server)), show(of("ceiling")))?;
        }
        let crates =
            |path, most| cell(self.median("crates", "ours", path, "crates"), Some(most), |count| format!("{count:.0}"));
        let reasons = "more than 40 want their reasons: ARCHITECTURE.md, \"What it stands on\"";
        writeln!(out, "| crates, stdio only; {reasons} | {} | |", crates("stdio only", 60.0))?;
        writeln!(out, "| crates, all defaults | {} | |", crates("all defaults", 115.0))?;
        writeln!(out, "\n| instructions a call among so many | first | second | third | spread |")?;
        writeln!(out, "| --- | --- | --- | --- | --- |")?;
        for (says, paths) in FLAT {
            let figures = paths.map(|path| self.median("count", "ours", path, "instructions"));
            let known = figures.iter().flatten().copied();
            let (least, greatest) = known.fold((f64::MAX, 0.0), |(a, b): (f64, f64), c| (a.min(c), b.max(c)));
            let spread = (greatest > 0.0).then(|| (greatest / least - 1.0) * 100.0);
            let [a, b, c] = figures.map(|figure| cell(figure, None, thousands));
            let spread = cell(spread, Some(5.0), |spread| format!("{spread:.1} %"));
            writeln!(out, "| {says} | {a} | {b} | {c} | {spread} |")?;
        }
        Ok(())
    }

    /// Instructions and allocations of everybody, and how many times ours they are.
    fn write_counts(&self, out: &mut String) -> std::fmt::Result {
        self.write_servers(out, "Instructions and allocations a call", "count", |server, path| {
            let instructions = self.median("count", server, path, "instructions")?;
            let allocations = self.median("count", server, path, "allocations")?;
            let times = match (server, self.median("count", "ours", path, "instructions")) {
                ("rmcp-default" | "rmcp-tuned", Some(ours)) => format!(" ({:.1} × ours)", instructions / ours),
                _ => String::new(),
            };
            Some(format!("{} · {allocations:.0}{times}", thousands(instructions)))
        })
    }

    fn write_times(&self, out: &mut String) -> std::fmt::Result {
        self.write_servers(out, "CPU of the server a call, µs", "call", |server, path| {
            self.median("call", server, path, "cpu_us").map(|cpu| format!("{cpu:.1}"))
        })?;
        self.write_servers(out, "Latency: p50, p99, µs", "call", |server, path| {
            let [p50, p99] = ["p50_us", "p99_us"].map(|field| self.median("call", server, path, field));
            Some(format!("{:.0}, {:.0}", p50?, p99?))
        })?;
        self.write_servers(out, "Calls a second", "call", |server, path| {
            self.median("call", server, path, "per_second").map(thousands)
        })?;
        self.write_servers(out, "Peak memory, MiB", "call", |server, path| {
            self.median("call", server, path, "peak_kib").map(|kib| format!("{:.1}", kib / 1024.0))
        })
    }

    fn write_rest(&self, out: &mut String) -> std::fmt::Result {
        self.write_servers(out, "Memory for each idle one, KiB", "idle", |server, path| {
            self.median("idle", server, path, "kib_each").map(|kib| format!("{kib:.1}"))
        })?;
        let says = "Start: first answer, ms; resident after it, and what of that is no page of a file, MiB";
        self.write_servers(out, says, "start", |server, path| {
            let [us, kib, own] = ["first_answer_us", "resident_kib", "anonymous_kib"]
                .map(|field| self.median("start", server, path, field));
            Some(format!("{:.2}; {:.1}, {:.2}", us? / 1000.0, kib? / 1024.0, own? / 1024.0))
        })
    }

    /// A table of all paths that have a line of this kind, by servers.
    fn write_servers(
        &self,
        out: &mut String,
        says: &str,
        kind: &str,
        show: impl Fn(&str, &str) -> Option<String>,
    ) -> std::fmt::Result {
        let has = |line: &&Value, path: &str| line["kind"] == kind && line["path"] == path;
        let mut paths: Vec<&str> = Vec::new();
        for line in self.0.iter().filter(|line| line["kind"] == kind) {
            let path = line["path"].as_str().unwrap_or_default();
            if !paths.contains(&path) {
                paths.push(path);
            }
        }
        let servers = Server::ALL.map(|(name, _)| name);
        let servers: Vec<&str> = servers
            .into_iter()
            .filter(|server| self.0.iter().any(|line| line["kind"] == kind && line["server"] == *server))
            .collect();
        if paths.is_empty() {
            return Ok(());
        }
        writeln!(out, "\n## {says}\n\n| path | {} |", servers.join(" | "))?;
        writeln!(out, "| --- |{}", " --- |".repeat(servers.len()))?;
        for path in paths {
            if !self.0.iter().any(|line| has(&line, path)) {
                continue;
            }
            let cells: Vec<String> = servers.iter().map(|server| show(server, path).unwrap_or_default()).collect();
            writeln!(out, "| {path} | {} |", cells.join(" | "))?;
        }
        Ok(())
    }

    /// The median of the turns' ratios: what disturbs a turn disturbs both of its sides.
    fn cpu_ratio(&self, path: &str, server: &str, beside: &str) -> Option<f64> {
        let turns = |server: &str, path: &str| -> Vec<f64> {
            let lines = self.lines("call", server, path);
            lines.flat_map(|line| line["turns"].as_array().into_iter().flatten().filter_map(Value::as_f64)).collect()
        };
        let (ours, theirs) = (turns("ours", path), turns(server, beside));
        median(ours.into_iter().zip(theirs).map(|(ours, theirs)| ours / theirs).collect())
    }

    fn median(&self, kind: &str, server: &str, path: &str, field: &str) -> Option<f64> {
        median(self.figures(kind, server, path, field))
    }

    fn figures(&self, kind: &str, server: &str, path: &str, field: &str) -> Vec<f64> {
        self.lines(kind, server, path).filter_map(|line| line[field].as_f64()).collect()
    }

    fn lines(&self, kind: &str, server: &str, path: &str) -> impl Iterator<Item = &Value> {
        self.0.iter().filter(move |line| line["kind"] == kind && line["server"] == server && line["path"] == path)
    }
}

/// A figure beside its goal, which is at most that.
fn cell(figure: Option<f64>, most: Option<f64>, show: impl Fn(f64) -> String) -> String {
    match (figure, most) {
        (None, _) => "not measured".to_owned(),
        (Some(figure), None) => show(figure),
        (Some(figure), Some(most)) if figure <= most => format!("{} (≤ {})", show(figure), plain(most)),
        (Some(figure), Some(most)) => format!("**{}: missed** (≤ {})", show(figure), plain(most)),
    }
}

fn plain(number: f64) -> String {
    if number < 1000.0 { number.to_string() } else { thousands(number) }
}

/// `12345` as `12,345`.
fn thousands(number: f64) -> String {
    let digits = format!("{:.0}", number.abs());
    let mut text = String::from(if number < 0.0 { "-" } else { "" });
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at) % 3 == 0 {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

fn median(mut figures: Vec<f64>) -> Option<f64> {
    figures.sort_unstable_by(f64::total_cmp);
    figures.get(figures.len() / 2).copied()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn call(server: &str, turns: &[f64]) -> Value {
        json!({ "kind": "call", "server": server, "path": "stateless", "turns": turns })
    }

    #[test]
    fn compares_turn_by_turn() {
        let lines = [
            call("ours", &[12.0, 26.0]),
            call("ceiling", &[10.0, 20.0]),
            call("ours", &[11.0]),
            call("ceiling", &[10.0]),
        ];
        let lines = Lines(lines.into());
        assert_eq!(lines.cpu_ratio("stateless", "ceiling", "stateless"), Some(1.2));
    }

    #[test]
    fn says_what_is_missed() {
        assert_eq!(cell(Some(34_726.0), Some(36_000.0), thousands), "34,726 (≤ 36,000)");
        assert_eq!(cell(Some(49_300.0), Some(3_000.0), thousands), "**49,300: missed** (≤ 3,000)");
        assert_eq!(cell(None, Some(1.0), thousands), "not measured");
    }
}
