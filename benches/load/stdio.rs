//! Calls over the pipes of the server.

use std::{
    collections::HashMap,
    io,
    time::{Duration, Instant},
};

use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader},
    process::{Child, ChildStdin, ChildStdout},
};

use crate::{
    other,
    paths::{INITIALIZED, Numbers, Path, initialize},
};

#[derive(Debug)]
pub(crate) struct Pipes {
    input: BufReader<ChildStdout>,
    output: ChildStdin,
    line: Vec<u8>,
}

impl Pipes {
    /// Takes the pipes of a server, and shakes hands.
    pub(crate) async fn open(server: &mut Child) -> io::Result<Self> {
        let input = server.stdout.take().ok_or_else(|| other("no standard output"))?;
        let output = server.stdin.take().ok_or_else(|| other("no standard input"))?;
        let mut pipes =
            Self { input: BufReader::with_capacity(64 * 1024, input), output, line: Vec::with_capacity(1024) };
        pipes.output.write_all(format!("{}\n", initialize("2025-11-25")).as_bytes()).await?;
        pipes.read().await?;
        if memchr::memmem::find(&pipes.line, b"2025-11-25").is_none() {
            return Err(other(format!("no handshake: {}", String::from_utf8_lossy(&pipes.line))));
        }
        pipes.output.write_all(format!("{INITIALIZED}\n").as_bytes()).await?;
        Ok(pipes)
    }

    /// Makes the calls from `first` on, with so many under way at a time, and says how long each took.
    pub(crate) async fn call(
        &mut self,
        path: &Path,
        first: u64,
        calls: usize,
        in_flight: usize,
    ) -> io::Result<Vec<Duration>> {
        let (mut latencies, mut sent) = (Vec::with_capacity(calls), HashMap::with_capacity(in_flight));
        let (mut next, end) = (first, first + calls as u64);
        let mut out = Vec::new();
        while latencies.len() < calls {
            while sent.len() < in_flight && next < end {
                out.extend_from_slice(path.request(next).as_bytes());
                out.push(b'\n');
                sent.insert(next, Instant::now());
                next += 1;
            }
            self.output.write_all(&out).await?;
            out.clear();
            // Whatever has arrived is answered by as many new calls.
            loop {
                self.read().await?;
                let n = self.answered()?;
                path.check(n, &self.line)?;
                let began = sent.remove(&n).ok_or_else(|| other(format!("call {n} was answered unasked")))?;
                latencies.push(began.elapsed());
                if sent.is_empty() || !self.input.buffer().contains(&b'\n') {
                    break;
                }
            }
        }
        Ok(latencies)
    }

    async fn read(&mut self) -> io::Result<()> {
        self.line.clear();
        match self.input.read_until(b'\n', &mut self.line).await? {
            0 => Err(other("the server closed its output")),
            _ => Ok(()),
        }
    }

    /// Which call the line answers.
    fn answered(&self) -> io::Result<u64> {
        let id = memchr::memmem::find(&self.line, br#""id":"#).map(|at| &self.line[at + 5..]).unwrap_or_default();
        let digits = id.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let id = std::str::from_utf8(&id[..digits]).ok().and_then(|id| id.parse().ok());
        id.and_then(Numbers::n_of).ok_or_else(|| other(format!("no answer: {}", String::from_utf8_lossy(&self.line))))
    }
}
