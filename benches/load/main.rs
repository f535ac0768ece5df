//! `bench-load`: makes calls of a server, checks each answer, and says in one line of JSON what they cost.

mod callgrind;
mod calls;
mod cores;
mod http;
mod idle;
mod instructions;
mod paths;
mod process;
mod sse;
mod stdio;
mod table;
mod tokens;

use std::{io, process::ExitCode};

use paths::{PATHS, Path, Server};

const USAGE: &str = "\
bench-load calls PART SERVER:PATH…    what a call costs, the servers taking turns; PART 10: by a tenth of the calls
bench-load count SERVER PATH          instructions and allocations of a call, by callgrind
bench-load idle SERVER KIND           memory of each idle session, sse, listen
bench-load start SERVER…              stdio: time to the first answer, memory after it, the servers taking turns
bench-load instructions FILE [--write] the instructions that FILE holds, counted again
bench-load table FILE                 what the lines of FILE say, beside the goals
bench-load paths                      all paths";

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match command(&arguments).await {
        Ok(code) => code,
        Err(error) => {
            eprintln!("bench-load {}: {error}", arguments.join(" "));
            ExitCode::FAILURE
        }
    }
}

async fn command(arguments: &[&str]) -> io::Result<ExitCode> {
    match *arguments {
        ["calls", part, ref servers @ ..] => {
            let part = part.parse().map_err(|_| other(format!("`{part}` is no number")))?;
            let servers: io::Result<Vec<_>> = servers.iter().map(|server| on_path(server)).collect();
            calls::measure(&servers?, part).await?.iter().for_each(say);
        }
        ["count", server, path] => say(&callgrind::count(parse(server)?, find(path)?).await?),
        ["idle", server, kind] => say(&idle::measure(parse(server)?, kind).await?),
        ["start", ref servers @ ..] => {
            let servers: io::Result<Vec<_>> = servers.iter().map(|server| parse(server)).collect();
            idle::start(&servers?).await?.iter().for_each(say);
        }
        ["instructions", file] => return instructions::compare(file).await,
        ["instructions", file, "--write"] => instructions::write(file).await?,
        ["table", file] => print(&table::of(file)?),
        ["paths"] => PATHS.iter().for_each(|path| print(path.name)),
        _ => return Err(other(USAGE)),
    }
    Ok(ExitCode::SUCCESS)
}

fn parse(server: &str) -> io::Result<Server> {
    Server::named(server).ok_or_else(|| other(format!("no server `{server}`")))
}

fn find(name: &str) -> io::Result<&'static Path> {
    PATHS.iter().find(|path| path.name == name).ok_or_else(|| other(format!("no path `{name}`")))
}

fn on_path(words: &str) -> io::Result<(Server, &'static Path)> {
    let (server, path) = words.split_once(':').ok_or_else(|| other(format!("`{words}` is no SERVER:PATH")))?;
    Ok((parse(server)?, find(path)?))
}

fn say(value: &serde_json::Value) {
    print(&value.to_string());
}

#[expect(clippy::print_stdout, reason = "it is what the program is for")]
fn print(line: &str) {
    println!("{line}");
}

fn other(text: impl Into<String>) -> io::Error {
    io::Error::other(text.into())
}
